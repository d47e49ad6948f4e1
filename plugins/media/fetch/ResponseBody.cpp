#include "ResponseBody.h"

#include "FetchError.h"
#include "ResponseHead.h"
#include "StreamInput.h"

#include <algorithm>
#include <charconv>

namespace supplierd::media {

namespace {

constexpr std::size_t MAX_CHUNK_LINE = 256;
constexpr std::size_t MAX_CHUNK_DIGITS = 8;
// Beyond the body itself: what its chunks may cost, generously. One byte in a chunk costs six.
constexpr std::uint64_t CHUNK_ALLOWANCE = 256 * 1024;

FetchError cut() {
    return {FetchErrorCode::Damaged, "the image ended early"};
}

FetchError tooLarge(std::uint64_t maxBytes) {
    return {FetchErrorCode::TooLarge, "the image is larger than " + std::to_string(maxBytes) + " bytes"};
}

FetchError badChunk() {
    return {FetchErrorCode::Damaged, "the answer of the image's server has a bad chunk"};
}

class BodyReader {
public:
    BodyReader(StreamInput& input, std::uint64_t maxBytes) : _input(input), _maxBytes(maxBytes) {}

    std::string read(const ResponseHead& head) {
        if (head.contentLength)
            readExactly(*head.contentLength);
        else if (head.isChunked)
            readChunks();
        else
            readToEnd();
        if (_body.empty())
            throw FetchError(FetchErrorCode::Damaged, "the answer of the image's server is empty");
        return std::move(_body);
    }

private:
    void readExactly(std::uint64_t length) {
        if (length > _maxBytes - _body.size())
            throw tooLarge(_maxBytes);
        while (length > 0) {
            const std::string_view block = _input.available();
            if (block.empty())
                throw cut();
            const std::size_t count = std::min<std::uint64_t>(length, block.size());
            _body += block.substr(0, count);
            _input.consume(count);
            length -= count;
        }
    }

    /// Ends with the last chunk; what a server sends behind it is not waited for.
    void readChunks() {
        const std::uint64_t before = _input.arrived();
        while (const std::uint64_t size = readChunkSize()) {
            readExactly(size);
            if (!_input.line(MAX_CHUNK_LINE).empty())
                throw badChunk();
            if (_input.arrived() - before > 2 * _maxBytes + CHUNK_ALLOWANCE)
                throw tooLarge(_maxBytes);
        }
    }

    std::uint64_t readChunkSize() {
        const std::string line = _input.line(MAX_CHUNK_LINE);
        std::uint64_t size = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
        const auto digits = static_cast<std::size_t>(end - line.data());
        const std::size_t next = line.find_first_not_of(" \t", digits); // extensions, which mean nothing to us
        if (digits == 0 || digits > MAX_CHUNK_DIGITS || error != std::errc() ||
            (next != std::string::npos && line[next] != ';'))
            throw badChunk();
        return size;
    }

    void readToEnd() {
        for (std::string_view block = _input.available(); !block.empty(); block = _input.available()) {
            if (block.size() > _maxBytes - _body.size())
                throw tooLarge(_maxBytes);
            _body += block;
            _input.consume(block.size());
        }
    }

    StreamInput& _input;
    const std::uint64_t _maxBytes;
    std::string _body;
};

} // namespace

std::string readBody(StreamInput& input, const ResponseHead& head, std::uint64_t maxBytes) {
    return BodyReader(input, maxBytes).read(head);
}

} // namespace supplierd::media
