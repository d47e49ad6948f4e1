#include "StreamInput.h"

#include "FetchError.h"

#include <algorithm>

namespace supplierd::media {

namespace {

constexpr std::size_t BUFFER = 64 * 1024;

} // namespace

StreamInput::StreamInput(ByteStream& stream, const TimeLimit& limit)
    : _stream(stream), _limit(limit), _buffer(BUFFER) {}

std::string_view StreamInput::available() {
    if (_begin == _end) {
        _begin = 0;
        _end = _stream.read(_buffer, _limit);
        _arrived += _end;
    }
    return {_buffer.data() + _begin, _end - _begin};
}

std::string StreamInput::line(std::size_t maxLength) {
    std::string result;
    for (;;) {
        const std::string_view block = available();
        if (block.empty())
            throw FetchError(FetchErrorCode::Damaged, "the answer of the image's server ended early");
        const std::size_t end = block.find('\n');
        const std::size_t length = std::min(end, block.size());
        if (result.size() + length > maxLength)
            throw FetchError(FetchErrorCode::HttpStatus, "the answer of the image's server is not valid HTTP");
        result += block.substr(0, length);
        consume(end == std::string_view::npos ? length : length + 1);
        if (end != std::string_view::npos)
            break;
    }
    if (result.ends_with('\r'))
        result.pop_back();
    return result;
}

} // namespace supplierd::media
