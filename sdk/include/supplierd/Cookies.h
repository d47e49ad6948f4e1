#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace supplierd {

/// The value of the first cookie of this name in a `Cookie` field, without the quotes that it may have. Since 1.0.
std::optional<std::string_view> findCookie(std::string_view field, std::string_view name);

/// How long, and for whom, a browser keeps a cookie.
struct CookieOptions {
    /// Seconds; 0: until the browser is closed; negative: it is to forget the cookie now.
    int maxAge = 0;
    std::string path = "/";
    /// Only over https: `request.scheme() == "https"`.
    bool secure = true;
    /// "Strict", "Lax" or "None".
    std::string sameSite = "Lax";
};

/// The value of a `Set-Cookie` header, HttpOnly. Throws std::invalid_argument for what a cookie cannot hold: encode it.
/// Since 1.0.
std::string setCookie(std::string_view name, std::string_view value, const CookieOptions& options = {});

} // namespace supplierd
