#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// What a server answered. The body is there for status 200 alone. A value type.
struct HttpResponse {
    int status = 0;
    /// The values of all Location headers.
    std::vector<std::string> locations;
    std::string body;

    bool isRedirect() const;
};

/// Takes a response as it arrives, and strictly: what two readers could take differently is refused, where libcurl
/// decides for one of them. Chunks are taken apart here for the same reason. Thread: one.
class ResponseReader {
public:
    /// So many bytes of a body are accepted, one more is not.
    explicit ResponseReader(std::uint64_t maxBytes) : _maxBytes(maxBytes) {}

    /// The next line of the head with its end. Throws FetchError: HttpStatus when it is not valid HTTP or too large,
    /// Type when the body is coded, TooLarge.
    void takeLine(std::string_view line);
    /// Bytes behind the head, or of what does not begin with a head. Throws FetchError: TooLarge, Damaged for bad
    /// chunks, HttpStatus where there was no head.
    void takeBody(std::string_view bytes);
    /// Whether all has arrived that is wanted, though more may come.
    bool isComplete() const { return _isComplete; }
    /// Whether nothing but the connection's end tells that the body is whole.
    bool endsWithConnection() const { return !_isComplete && !_contentLength && !_isChunked; }

    /// At the end of the connection or of the body. Throws FetchError (Damaged) when something is missing.
    HttpResponse finish();

private:
    void takeField(std::string_view line);
    void finishHead();
    void takeWithoutHead(std::string_view bytes);
    void takeChunks(std::string_view bytes);
    void takeChunkLine(std::string_view line);
    void append(std::string_view bytes);

    const std::uint64_t _maxBytes;
    HttpResponse _response;
    bool _hasHead = false;
    bool _isComplete = false;
    std::size_t _headBytes = 0;
    unsigned _fields = 0;
    unsigned _interim = 0;

    std::optional<std::uint64_t> _contentLength;
    bool _isChunked = false;
    /// Compressed, or coded in another way that was not asked for.
    bool _isEncoded = false;

    std::string _line; ///< of a chunk's size, or of its end; or what came instead of a head
    std::uint64_t _chunkLeft = 0;
    bool _expectsChunkEnd = false;
    std::uint64_t _arrived = 0;
};

} // namespace supplierd::media
