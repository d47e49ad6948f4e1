#include "KnownBrowser.h"

#include "Sessions.h"

#include <supplierd/Cookies.h>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view SECURE_NAME = "__Host-supplierd-known";
constexpr std::string_view PLAIN_NAME = "supplierd-known";
constexpr int LIFETIME = 365 * 24 * 3'600;
constexpr std::size_t ID_BYTES = 16;

std::string_view nameFor(const RequestHead& head) {
    return isSecure(head) ? SECURE_NAME : PLAIN_NAME;
}

} // namespace

std::string KnownBrowser::sealOf(std::string_view id, std::int64_t userId, std::string_view passwordHash) const {
    const std::string message = "supplierd dashboard: browser " + std::to_string(userId) + " " + std::string(id);
    return Crypto::hex(_crypto.hmacSha256(passwordHash, message));
}

std::optional<std::string> KnownBrowser::idOf(const RequestHead& head, std::int64_t userId,
                                              std::string_view passwordHash) const {
    const auto value = head.cookie(nameFor(head));
    if (!value || passwordHash.empty())
        return std::nullopt;
    const std::string_view text(*value);
    const auto dot = text.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    const std::string_view id = text.substr(0, dot);
    return _crypto.equal(text.substr(dot + 1), sealOf(id, userId, passwordHash)) ? std::optional(std::string(id))
                                                                                 : std::nullopt;
}

std::string KnownBrowser::cookie(const RequestHead& head, std::int64_t userId, std::string_view passwordHash) const {
    const auto known = idOf(head, userId, passwordHash);
    const std::string id = known ? *known : _crypto.randomToken(ID_BYTES);
    return setCookie(nameFor(head), id + "." + sealOf(id, userId, passwordHash), ownCookie(head, LIFETIME));
}

} // namespace supplierd::dashboard
