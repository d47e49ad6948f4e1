#include <supplierd/Cookies.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd {

namespace {

bool isCookieText(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c > 0x20 && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\'; });
}

} // namespace

std::optional<std::string_view> findCookie(std::string_view field, std::string_view name) {
    while (!field.empty()) {
        const auto end = std::min(field.find(';'), field.size());
        const auto pair = trimmed(field.substr(0, end));
        field.remove_prefix(std::min(end + 1, field.size()));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != name)
            continue;
        auto value = pair.substr(equals + 1);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        return value;
    }
    return std::nullopt;
}

std::string setCookie(std::string_view name, std::string_view value, const CookieOptions& options) {
    if (name.empty() || !isCookieText(name) || name.find('=') != std::string_view::npos || !isCookieText(value) ||
        !isCookieText(options.path))
        throw std::invalid_argument("a cookie has characters that it cannot hold");
    std::string text(name);
    text.append("=").append(value).append("; Path=").append(options.path).append("; HttpOnly");
    text.append("; SameSite=").append(options.sameSite);
    if (options.secure)
        text += "; Secure";
    if (options.maxAge != 0)
        text += "; Max-Age=" + std::to_string(std::max(options.maxAge, 0));
    return text;
}

} // namespace supplierd
