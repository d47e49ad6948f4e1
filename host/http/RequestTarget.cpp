#include "host/http/RequestTarget.h"

#include <supplierd/Errors.h>
#include <supplierd/Validation.h>

#include <algorithm>

namespace supplierd::host {

namespace {

int hexValue(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

[[noreturn]] void refuse(const char* message) {
    throw ApiError(ErrorKind::BadRequest, message);
}

std::string decodeSegment(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '%') {
            out += raw[i];
            continue;
        }
        const int high = i + 1 < raw.size() ? hexValue(raw[i + 1]) : -1;
        const int low = i + 2 < raw.size() ? hexValue(raw[i + 2]) : -1;
        if (high < 0 || low < 0)
            refuse("The path has a broken percent escape");
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (out.find('\0') != std::string::npos)
        refuse("The path must not contain U+0000");
    if (!isValidUtf8(out))
        refuse("The path must be UTF-8");
    return out;
}

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCasePrefix) {
    return text.size() >= lowerCasePrefix.size() &&
           std::equal(lowerCasePrefix.begin(), lowerCasePrefix.end(), text.begin(),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

std::string_view withoutAuthority(std::string_view raw) {
    for (std::string_view scheme : {"http://", "https://"})
        if (startsWithIgnoringCase(raw, scheme)) {
            const auto end = raw.find_first_of("/?#", scheme.size());
            return end == std::string_view::npos || raw[end] != '/' ? std::string_view("/") : raw.substr(end);
        }
    return raw;
}

} // namespace

RequestTarget RequestTarget::parse(std::string_view raw) {
    raw = withoutAuthority(raw);
    if (raw.empty() || raw.front() != '/')
        refuse("The request target must be a path that begins with '/'");
    RequestTarget target;
    const auto mark = raw.find('?');
    target.path = raw.substr(0, mark);
    if (mark != std::string_view::npos)
        target.query = raw.substr(mark + 1);
    target.query = target.query.substr(0, target.query.find('#'));
    auto rest = target.path.substr(1);
    for (;;) {
        const auto slash = rest.find('/');
        target.segments.push_back(decodeSegment(rest.substr(0, slash)));
        if (slash == std::string_view::npos)
            break;
        rest.remove_prefix(slash + 1);
    }
    return target;
}

} // namespace supplierd::host
