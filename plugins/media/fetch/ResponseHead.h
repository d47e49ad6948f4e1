#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

class StreamInput;

/// The head of an HTTP/1 response, as far as fetching an image needs it. It is read strictly: what two readers could
/// take differently is refused. Poco's reader decodes RFC 2047 words in headers, stops at no size, and takes any text
/// for a length (POCO.md). A value type.
struct ResponseHead {
    int status = 0;
    std::optional<std::uint64_t> contentLength;
    bool isChunked = false;
    /// Compressed, or coded in another way that was not asked for.
    bool isEncoded = false;
    /// The values of all Location headers.
    std::vector<std::string> locations;

    /// The first head that is final: some 1xx before it are skipped. Throws FetchError (HttpStatus) when it is not
    /// valid HTTP or too large, (Connect) when nothing comes, and those of the connection.
    static ResponseHead read(StreamInput& input);

    bool isRedirect() const;

private:
    void take(std::string_view line);
    void takeField(std::string_view lowerCaseName, std::string_view value);
};

} // namespace supplierd::media
