#pragma once

#include <supplierd/services/HttpClient.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::host {

/// What of a response is wanted.
struct ResponseWishes {
    std::uint64_t maxResponseBytes = 0;
    /// The body of a response with another status is left unread; 0: of none.
    int onlyBodyOfStatus = 0;
    /// That of a redirect too.
    bool followsRedirects = false;
    /// How texts of errors call the other side.
    std::string peerName;
    /// What is beyond maxResponseBytes is left unread instead of refused.
    bool truncatesBody = false;
};

bool isRedirect(int status);

/// Takes a response as it arrives, and strictly: what two readers could take differently is refused, where libcurl
/// decides for one of them. Chunks are taken apart here for the same reason. Thread: one.
class ResponseReader {
public:
    explicit ResponseReader(ResponseWishes wishes) : _wishes(std::move(wishes)) {}

    /// The next line of the head with its end. Throws HttpError: HttpStatus when it is not valid HTTP or too large,
    /// Type when the body is coded, TooLarge.
    void takeLine(std::string_view line);
    /// Bytes behind the head, or of what does not begin with a head. Throws HttpError: TooLarge, Damaged for bad
    /// chunks, Protocol where there was no head.
    void takeBody(std::string_view bytes);
    /// Whether all has arrived that is wanted, though more may come.
    bool isComplete() const { return _isComplete; }
    bool hasHead() const { return _hasHead; }
    /// Whether what was taken last ended where the response ends, and not merely where enough of it had come.
    bool endsExactly() const { return _endsExactly; }
    /// Whether another response can follow on the connection: both sides are at its end, and the server has not said
    /// that it closes.
    bool leavesConnectionOpen() const;
    /// Whether nothing but the connection's end tells that the body is whole.
    bool endsWithConnection() const { return _wantsBody && !_contentLength && !_isChunked && !_isCut; }

    /// At the end of the connection or of the body. Throws HttpError (Damaged) when something is missing.
    HttpResponse finish();

    HttpError notHttp() const;
    /// Less than there should be.
    HttpError cut() const;

private:
    void takeField(std::string_view line);
    void finishHead();
    void takeWithoutHead(std::string_view bytes);
    void takeChunks(std::string_view bytes);
    void takeChunkLine(std::string_view line);
    void append(std::string_view bytes);

    HttpError badChunk() const;
    HttpError tooLarge() const;
    std::uint64_t lengthOf(std::string_view value) const;
    std::uint64_t chunkSizeOf(std::string_view line) const;
    int statusOf(std::string_view line) const;

    const ResponseWishes _wishes;
    HttpResponse _response;
    bool _hasHead = false;
    bool _wantsBody = false;
    bool _isComplete = false;
    bool _isCut = false;
    bool _isPersistent = false;
    bool _endsExactly = false;
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

} // namespace supplierd::host
