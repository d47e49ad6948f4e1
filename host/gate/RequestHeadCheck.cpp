#include "host/gate/RequestHeadCheck.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_METHOD = 32;         ///< what Poco's reader takes
constexpr std::size_t MAX_LENGTH_DIGITS = 19;  ///< fits into 64 bits
constexpr std::size_t VERSION_SIZE = 8;        ///< "HTTP/1.1"
constexpr std::size_t REQUEST_LINE_EXTRA = 42; ///< a method, two blanks and a version

constexpr Rejection BAD_BYTE{400, "control_character", "The request has control characters or a byte 0xFF in its head"};
constexpr Rejection BARE_CR{400, "bare_cr", "A line of the request's head has a CR without its LF"};
constexpr Rejection BARE_LF{400, "bare_lf", "A line of the request's head ends in LF without a CR"};
constexpr Rejection BAD_REQUEST_LINE{
    400, "request_line", "The request line must be a method, a target and a version with one blank between them"};
constexpr Rejection LONG_METHOD{400, "method", "The method is too long"};
constexpr Rejection BAD_TARGET{400, "target", "The request target must be a path that begins with '/'"};
constexpr Rejection LONG_TARGET{414, "target_size", "The request target is too long"};
constexpr Rejection BAD_VERSION{400, "version", "Only HTTP/1.1 and HTTP/1.0 are spoken here"};
constexpr Rejection CONNECT{405, "connect", "There are no tunnels here"};
constexpr Rejection LONG_FIELD{431, "field_size", "A header field is too long"};
constexpr Rejection MANY_FIELDS{431, "field_count", "There are too many header fields"};
constexpr Rejection LONG_HEAD{431, "head_size", "The request's head is too large"};
constexpr Rejection BAD_HOST{400, "host", "The Host header is not valid"};
constexpr Rejection NOT_ONE_HOST{400, "host", "Exactly one Host header is required"};
constexpr Rejection REPEATED{400, "repeated_field", "A header field that may come only once was sent more than once"};
constexpr Rejection BAD_LENGTH{400, "content_length", "Content-Length must be one number"};
constexpr Rejection LARGE_BODY{413, "body_size", "The body is larger than what is accepted anywhere"};
constexpr Rejection TWO_FRAMINGS{400, "two_framings", "Content-Length and Transfer-Encoding must not come together"};
constexpr Rejection BAD_ENCODING{400, "transfer_encoding", "Transfer-Encoding must be 'chunked' alone"};
constexpr Rejection UNKNOWN_ENCODING{501, "transfer_encoding", "No other Transfer-Encoding than 'chunked' is known"};
constexpr Rejection OLD_CHUNKED{400, "transfer_encoding", "Transfer-Encoding needs HTTP/1.1"};
constexpr Rejection BAD_CONNECTION{400, "connection", "The Connection header is not a list of names"};

/// Fields that mean nothing, or two things, when they come twice.
enum Single : unsigned {
    Host = 1U << 0U,
    ContentLength = 1U << 1U,
    TransferEncoding = 1U << 2U,
    Authorization = 1U << 3U,
    ContentType = 1U << 4U,
    IdempotencyKey = 1U << 5U,
    Origin = 1U << 6U,
    Range = 1U << 7U,
    IfRange = 1U << 8U,
};

struct SingleField {
    std::string_view name;
    Single bit;
};

constexpr auto SINGLE_FIELDS = std::to_array<SingleField>({
    {"host", Host},
    {"content-length", ContentLength},
    {"transfer-encoding", TransferEncoding},
    {"authorization", Authorization},
    {"content-type", ContentType},
    {"idempotency-key", IdempotencyKey},
    {"origin", Origin},
    {"range", Range},
    {"if-range", IfRange},
});

unsigned singleBit(std::string_view name) {
    for (const auto& field : SINGLE_FIELDS)
        if (equalsIgnoringCase(name, field.name))
            return field.bit;
    return 0;
}

const Rejection* repetition(unsigned bit) {
    if (bit == Host)
        return &NOT_ONE_HOST;
    return bit == ContentLength ? &BAD_LENGTH : &REPEATED;
}

/// Calls `take` for every element of a list; false when one is no token. Empty ones do not count.
template <typename Take>
bool readTokens(std::string_view list, Take take) {
    for (;;) {
        const auto comma = list.find(',');
        const auto element = trimmed(list.substr(0, comma));
        if (!element.empty()) {
            if (!isToken(element))
                return false;
            take(element);
        }
        if (comma == std::string_view::npos)
            return true;
        list.remove_prefix(comma + 1);
    }
}

bool isAbsoluteForm(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (target.size() > scheme.size() && equalsIgnoringCase(target.substr(0, scheme.size()), scheme)) {
            const auto rest = target.substr(scheme.size());
            return isValidHost(rest.substr(0, rest.find_first_of("/?#")));
        }
    return false;
}

} // namespace

RequestHeadCheck::State RequestHeadCheck::check(std::string_view bytes) {
    if (_state != State::Incomplete)
        return _state;
    _rejection = scan(bytes);
    if (_rejection)
        _state = State::Rejected;
    return _state;
}

const Rejection* RequestHeadCheck::scan(std::string_view bytes) {
    for (; _state == State::Incomplete && _scanned < bytes.size(); ++_scanned)
        if (const auto* problem = takeByte(bytes))
            return problem;
    return nullptr;
}

const Rejection* RequestHeadCheck::takeByte(std::string_view bytes) {
    if (_scanned - _skipped >= _limits.head)
        return &LONG_HEAD;
    const char c = bytes[_scanned];
    const bool isBehindCr = _scanned > _lineBegin && bytes[_scanned - 1] == '\r';
    if (c == '\n')
        return isBehindCr ? takeLine(bytes) : &BARE_LF;
    if (isBehindCr)
        return &BARE_CR;
    if (c != '\r' && isForbiddenByte(c))
        return &BAD_BYTE;
    const std::size_t size = _scanned - _lineBegin;
    if (_fieldsBegin == 0 && size > _limits.line + REQUEST_LINE_EXTRA)
        return &LONG_TARGET;
    return _fieldsBegin != 0 && size > _limits.line ? &LONG_FIELD : nullptr;
}

const Rejection* RequestHeadCheck::takeLine(std::string_view bytes) {
    const auto line = bytes.substr(_lineBegin, _scanned - 1 - _lineBegin);
    const auto next = _scanned + 1;
    const Rejection* problem = nullptr;
    if (_fieldsBegin == 0 && line.empty()) {
        if (_skipped != 0)
            return &BAD_REQUEST_LINE;
        _skipped = next; // some clients end a body with a CRLF of its own
    } else if (_fieldsBegin == 0) {
        problem = takeRequestLine(bytes, line);
        _fieldsBegin = next;
    } else if (line.empty()) {
        problem = checkWhole();
        if (!problem)
            fill(bytes.substr(0, next));
    } else
        problem = takeField(bytes, line);
    _lineBegin = next;
    return problem;
}

const Rejection* RequestHeadCheck::takeRequestLine(std::string_view bytes, std::string_view line) {
    const auto methodEnd = line.find(' ');
    const auto targetEnd = line.rfind(' ');
    if (methodEnd == std::string_view::npos || methodEnd == targetEnd)
        return &BAD_REQUEST_LINE;
    const auto method = line.substr(0, methodEnd);
    const auto target = line.substr(methodEnd + 1, targetEnd - methodEnd - 1);
    const auto version = line.substr(targetEnd + 1);
    if (!isToken(method) || target.empty() || target.find_first_of(" \t") != std::string_view::npos)
        return &BAD_REQUEST_LINE;
    if (method.size() > MAX_METHOD)
        return &LONG_METHOD;
    if (target.size() > _limits.line)
        return &LONG_TARGET;
    if (version.size() != VERSION_SIZE || (version != "HTTP/1.1" && version != "HTTP/1.0"))
        return &BAD_VERSION;
    _isHttp11 = version == "HTTP/1.1";
    if (method == "CONNECT")
        return &CONNECT;
    if (target.front() != '/' && !isAbsoluteForm(target) && !(target == "*" && method == "OPTIONS"))
        return &BAD_TARGET;
    const auto place = [&](std::string_view part) {
        return Place{static_cast<std::size_t>(part.data() - bytes.data()), part.size()};
    };
    _method = place(method);
    _target = place(target);
    return nullptr;
}

const Rejection* RequestHeadCheck::takeField(std::string_view bytes, std::string_view line) {
    if (++_fieldCount > _limits.fields)
        return &MANY_FIELDS;
    HeaderField field;
    if (const auto* problem = HeaderField::parse(line, field))
        return problem;
    const unsigned bit = singleBit(field.name);
    if ((_seen & bit) != 0)
        return repetition(bit);
    _seen |= bit;
    const Place place{static_cast<std::size_t>(field.value.data() - bytes.data()), field.value.size()};
    switch (bit) {
    case Host:
        _host = place;
        return isValidHost(field.value) ? nullptr : &BAD_HOST;
    case ContentLength:
        return takeContentLength(field.value);
    case TransferEncoding:
        return takeTransferEncoding(field.value);
    case Authorization:
        _authorization = place;
        return nullptr;
    case Origin:
        _origin = place;
        return nullptr;
    default:
        break;
    }
    if (equalsIgnoringCase(field.name, "connection"))
        return takeConnection(field.value);
    if (equalsIgnoringCase(field.name, "expect"))
        _expectsContinue = equalsIgnoringCase(field.value, "100-continue");
    return nullptr;
}

const Rejection* RequestHeadCheck::takeConnection(std::string_view value) {
    const bool isList = readTokens(value, [&](std::string_view option) {
        _closes = _closes || equalsIgnoringCase(option, "close");
        _keepsAlive = _keepsAlive || equalsIgnoringCase(option, "keep-alive");
    });
    return isList ? nullptr : &BAD_CONNECTION;
}

const Rejection* RequestHeadCheck::takeContentLength(std::string_view value) {
    if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos)
        return &BAD_LENGTH;
    value.remove_prefix(std::min(value.find_first_not_of('0'), value.size()));
    if (value.size() > MAX_LENGTH_DIGITS)
        return &LARGE_BODY;
    std::from_chars(value.data(), value.data() + value.size(), _contentLength);
    return _contentLength > _limits.contentLength ? &LARGE_BODY : nullptr;
}

const Rejection* RequestHeadCheck::takeTransferEncoding(std::string_view value) {
    _isChunked = equalsIgnoringCase(value, "chunked");
    if (_isChunked)
        return nullptr;
    const bool isList = readTokens(value, [](std::string_view) {});
    return isList && !value.empty() ? &UNKNOWN_ENCODING : &BAD_ENCODING;
}

const Rejection* RequestHeadCheck::checkWhole() const {
    if (_isHttp11 && (_seen & Host) == 0)
        return &NOT_ONE_HOST;
    if (_isChunked && (_seen & ContentLength) != 0)
        return &TWO_FRAMINGS;
    return _isChunked && !_isHttp11 ? &OLD_CHUNKED : nullptr;
}

/// Of a head whose last line has come: `bytes` ends with it.
void RequestHeadCheck::fill(std::string_view bytes) {
    const auto view = [&](const Place& place) {
        return place.at == 0 ? std::string_view() : bytes.substr(place.at, place.size);
    };
    _head.length = bytes.size();
    _head.skipped = _skipped;
    _head.bytes = bytes.substr(_skipped);
    _head.method = bytes.substr(_method.at, _method.size);
    _head.target = view(_target);
    _head.isHttp11 = _isHttp11;
    _head.contentLength = _contentLength;
    _head.framing = BodyFraming::None;
    if (_isChunked)
        _head.framing = BodyFraming::Chunked;
    else if ((_seen & ContentLength) != 0)
        _head.framing = BodyFraming::Length;
    _head.keepsAlive = !_closes && (_isHttp11 || _keepsAlive);
    _head.expectsContinue = _expectsContinue && _isHttp11;
    _head.host = view(_host);
    _head.authorization = view(_authorization);
    _head.origin = view(_origin);
    _head.fields = HeaderFields(bytes.substr(_fieldsBegin, _lineBegin - _fieldsBegin));
    _state = State::Complete;
}

} // namespace supplierd::host
