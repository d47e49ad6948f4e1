#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::history {

/// What a replay is made of.
struct ReplayedRequest {
    std::string_view origin; ///< "https://supplier.example"
    std::string_view method;
    std::string_view path;       ///< raw
    std::string_view query = {}; ///< raw, without the '?'
    std::optional<std::string_view> contentType = std::nullopt;
    std::uint64_t bodySize = 0;
    /// Nothing when the body is not known whole: the command reads it from a file then.
    std::optional<std::string_view> body = std::nullopt;
};

/// Where a body that is not known is read from, with the '@' of curl.
inline constexpr std::string_view BODY_FILE = "request-body";

/// A command for sh that sends the request with the key in the variable KEY: same method, path, query, Content-Type and
/// body, whatever bytes they are made of.
std::string curlCommand(const ReplayedRequest& request);

/// The text as one word of sh; it has no U+0000.
std::string shellQuoted(std::string_view text);

} // namespace supplierd::history
