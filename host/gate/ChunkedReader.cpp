#include "host/gate/ChunkedReader.h"

#include <algorithm>
#include <array>

namespace supplierd::host {

namespace {

constexpr unsigned MAX_DIGITS = 15; ///< a size of 60 bits
constexpr std::size_t MAX_EXTENSIONS = 4'096;
constexpr std::size_t MAX_TRAILERS = 4'096;
constexpr std::uint64_t BITS_OF_DIGIT = 4;

constexpr Rejection BAD_SIZE{400, "chunk_size", "The size of a chunk is not a hexadecimal number on a line of its own"};
constexpr Rejection LONG_SIZE{400, "chunk_size", "The size of a chunk is too long"};
constexpr Rejection BAD_EXTENSION{400, "chunk_extension", "The extension of a chunk is not valid"};
constexpr Rejection LONG_EXTENSION{400, "chunk_extension", "The extensions of the chunks are too long"};
constexpr Rejection BAD_END{400, "chunk_end", "A chunk does not end where its size says"};
constexpr Rejection LARGE_CHUNKS{413, "body_size", "The body is larger than what is accepted"};
constexpr Rejection BAD_TRAILER{400, "trailer", "A line behind the last chunk is not valid"};
constexpr Rejection FORBIDDEN_TRAILER{400, "trailer",
                                      "A header field that must stand before the body stands behind it"};
constexpr Rejection LONG_TRAILERS{431, "trailer_size", "The lines behind the last chunk are too long"};

/// Fields that steer how a request is read, routed or authenticated (RFC 9110, 6.5.1).
constexpr auto STEERING = std::to_array<std::string_view>(
    {"authorization", "connection", "content-encoding", "content-length", "content-range", "cookie", "expect",
     "forwarded", "host", "idempotency-key", "if-match", "if-none-match", "range", "te", "trailer", "transfer-encoding",
     "upgrade", "x-forwarded-for", "x-forwarded-proto"});

/// 16: none.
unsigned hexValue(char c) {
    if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return static_cast<unsigned>(c - 'A') + 10;
    return 16;
}

bool isTokenCharacter(char c) {
    return isToken(std::string_view(&c, 1));
}

} // namespace

std::size_t ChunkedReader::read(std::string_view bytes, std::string& body) {
    std::size_t taken = 0;
    while (_state == State::Reading && taken < bytes.size()) {
        if (_place == Place::Data) {
            taken += takeData(bytes.substr(taken), body);
            continue;
        }
        _rejection = take(bytes[taken]);
        if (_rejection)
            _state = State::Rejected;
        else
            ++taken;
    }
    return taken;
}

std::size_t ChunkedReader::takeData(std::string_view bytes, std::string& body) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(_left, bytes.size()));
    body.append(bytes.substr(0, count));
    _decoded += count;
    _left -= count;
    if (_left == 0)
        _place = Place::DataEnd;
    return count;
}

const Rejection* ChunkedReader::take(char c) {
    switch (_place) {
    case Place::SizeBegin:
    case Place::Size:
    case Place::SizeEnd:
        return takeSize(c);
    case Place::DataEnd:
        _place = Place::DataEndLine;
        return c == '\r' ? nullptr : &BAD_END;
    case Place::DataEndLine:
        _place = Place::SizeBegin;
        return c == '\n' ? nullptr : &BAD_END;
    case Place::Trailer:
    case Place::TrailerEnd:
        return takeTrailer(c);
    default:
        return takeExtension(c);
    }
}

const Rejection* ChunkedReader::takeSize(char c) {
    if (_place == Place::SizeEnd)
        return c == '\n' ? endSize() : &BAD_SIZE;
    if (const unsigned digit = hexValue(c); digit < 16) {
        if (_place == Place::SizeBegin) {
            _left = 0;
            _digits = 0;
            _place = Place::Size;
        }
        _left = (_left << BITS_OF_DIGIT) | digit;
        return ++_digits > MAX_DIGITS ? &LONG_SIZE : nullptr;
    }
    if (_place == Place::SizeBegin)
        return &BAD_SIZE;
    if (c == '\r')
        _place = Place::SizeEnd;
    else if (c == ';')
        _place = Place::ExtensionBegin;
    else if (isBlank(c))
        _place = Place::BlankBeforeExtension;
    else
        return &BAD_SIZE;
    return nullptr;
}

const Rejection* ChunkedReader::endSize() {
    if (_left > _limit - std::min(_limit, _decoded))
        return &LARGE_CHUNKS;
    _place = _left == 0 ? Place::Trailer : Place::Data;
    return nullptr;
}

/// chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
const Rejection* ChunkedReader::takeExtension(char c) {
    if (++_extensionBytes > MAX_EXTENSIONS)
        return &LONG_EXTENSION;
    const bool mayEnd = _place == Place::ExtensionName || _place == Place::Token || _place == Place::BlankAfterValue;
    if (c == '\r') {
        _place = Place::SizeEnd;
        return mayEnd ? nullptr : &BAD_EXTENSION;
    }
    if (isForbiddenByte(c))
        return &BAD_EXTENSION;
    switch (_place) {
    case Place::BlankBeforeExtension:
        if (c == ';')
            _place = Place::ExtensionBegin;
        else if (!isBlank(c))
            return &BAD_SIZE;
        return nullptr;
    case Place::ExtensionBegin:
        if (isTokenCharacter(c))
            _place = Place::ExtensionName;
        else if (!isBlank(c))
            return &BAD_EXTENSION;
        return nullptr;
    case Place::ExtensionName:
    case Place::BlankAfterName:
        if (c == '=')
            _place = Place::ValueBegin;
        else if (c == ';')
            _place = Place::ExtensionBegin;
        else if (isBlank(c))
            _place = Place::BlankAfterName;
        else if (_place == Place::BlankAfterName || !isTokenCharacter(c))
            return &BAD_EXTENSION;
        return nullptr;
    case Place::ValueBegin:
        if (c == '"')
            _place = Place::Quoted;
        else if (isTokenCharacter(c))
            _place = Place::Token;
        else if (!isBlank(c))
            return &BAD_EXTENSION;
        return nullptr;
    case Place::Quoted:
        if (c == '"')
            _place = Place::BlankAfterValue;
        else if (c == '\\')
            _place = Place::QuotedPair;
        return nullptr;
    case Place::QuotedPair:
        _place = Place::Quoted;
        return nullptr;
    default: // Token, BlankAfterValue
        if (c == ';')
            _place = Place::ExtensionBegin;
        else if (isBlank(c))
            _place = Place::BlankAfterValue;
        else if (_place == Place::BlankAfterValue || !isTokenCharacter(c))
            return &BAD_EXTENSION;
        return nullptr;
    }
}

const Rejection* ChunkedReader::takeTrailer(char c) {
    if (_place == Place::TrailerEnd)
        return c == '\n' ? endTrailer() : &BAD_TRAILER;
    if (c == '\r') {
        _place = Place::TrailerEnd;
        return nullptr;
    }
    if (isForbiddenByte(c))
        return &BAD_TRAILER;
    if (++_trailerBytes > MAX_TRAILERS)
        return &LONG_TRAILERS;
    _line += c;
    return nullptr;
}

const Rejection* ChunkedReader::endTrailer() {
    if (_line.empty()) {
        _state = State::Complete;
        return nullptr;
    }
    HeaderField field;
    if (const auto* problem = HeaderField::parse(_line, field))
        return problem;
    const auto steers = [&](std::string_view name) { return equalsIgnoringCase(field.name, name); };
    if (std::any_of(STEERING.begin(), STEERING.end(), steers))
        return &FORBIDDEN_TRAILER;
    _line.clear();
    _place = Place::Trailer;
    return nullptr;
}

} // namespace supplierd::host
