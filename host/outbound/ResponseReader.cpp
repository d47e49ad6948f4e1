#include "host/outbound/ResponseReader.h"

#include "host/outbound/HttpUrl.h"

#include <supplierd/services/HttpClient.h>

#include <algorithm>
#include <charconv>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_LINE = 16 * 1024;
constexpr std::size_t MAX_HEADS = 64 * 1024;
constexpr unsigned MAX_FIELDS = 200;
constexpr unsigned MAX_INTERIM = 4;
constexpr std::size_t MAX_LENGTH_DIGITS = 15;
constexpr std::size_t MAX_CHUNK_LINE = 256;
constexpr std::size_t MAX_CHUNK_DIGITS = 8;
// Beyond the body itself: what its chunks may cost, generously. One byte in a chunk costs six.
constexpr std::uint64_t CHUNK_ALLOWANCE = 256 * 1024;

bool isDecimal(char c) {
    return c >= '0' && c <= '9';
}

bool isTokenCharacter(char c) {
    return isDecimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool isControl(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// CR LF, or LF alone.
std::string_view withoutLineEnd(std::string_view line) {
    if (line.ends_with('\n'))
        line.remove_suffix(1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

} // namespace

bool isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

HttpError ResponseReader::notHttp() const {
    return {HttpErrorCode::Protocol, "the answer of " + _wishes.peerName + " is not valid HTTP"};
}

HttpError ResponseReader::cut() const {
    return {HttpErrorCode::Damaged, "the answer of " + _wishes.peerName + " ended early"};
}

HttpError ResponseReader::badChunk() const {
    return {HttpErrorCode::Damaged, "the answer of " + _wishes.peerName + " has a bad chunk"};
}

HttpError ResponseReader::tooLarge() const {
    return {HttpErrorCode::TooLarge, "the answer of " + _wishes.peerName + " is larger than " +
                                         std::to_string(_wishes.maxResponseBytes) + " bytes"};
}

/// "HTTP/1.1 200 OK" → 200.
int ResponseReader::statusOf(std::string_view line) const {
    const bool isValid = line.size() >= 12 && (line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ")) &&
                         std::ranges::all_of(line.substr(9, 3), isDecimal) && (line.size() == 12 || line[12] == ' ') &&
                         std::ranges::none_of(line, isControl);
    if (!isValid)
        throw notHttp();
    int status = 0;
    std::from_chars(line.data() + 9, line.data() + 12, status);
    if (status < 100 || status > 599 || status == 101)
        throw notHttp();
    return status;
}

std::uint64_t ResponseReader::lengthOf(std::string_view value) const {
    if (value.empty() || value.size() > MAX_LENGTH_DIGITS || !std::ranges::all_of(value, isDecimal))
        throw notHttp();
    std::uint64_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    return length;
}

std::uint64_t ResponseReader::chunkSizeOf(std::string_view line) const {
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    const auto digits = static_cast<std::size_t>(end - line.data());
    const std::size_t next = line.find_first_not_of(" \t", digits); // extensions, which mean nothing to us
    if (digits == 0 || digits > MAX_CHUNK_DIGITS || error != std::errc() ||
        (next != std::string_view::npos && line[next] != ';'))
        throw badChunk();
    return size;
}

void ResponseReader::takeLine(std::string_view line) {
    line = withoutLineEnd(line);
    _headBytes += line.size();
    if (line.size() > MAX_LINE || _headBytes > MAX_HEADS)
        throw notHttp();
    if (_response.status == 0) {
        _response.status = statusOf(line);
        _isPersistent = line.starts_with("HTTP/1.1 ");
    } else if (line.empty()) {
        finishHead();
    } else {
        takeField(line);
    }
}

void ResponseReader::takeField(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (++_fields > MAX_FIELDS || colon == 0 || colon == std::string_view::npos ||
        !std::ranges::all_of(line.substr(0, colon), isTokenCharacter))
        throw notHttp();
    _response.headers.push_back({std::string(line.substr(0, colon)), {}});
    const std::string name = lowerCase(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (std::ranges::any_of(value, isControl))
        throw notHttp();
    _response.headers.back().value = value;
    if (name == "content-length") {
        if (_contentLength)
            throw notHttp();
        _contentLength = lengthOf(value);
    } else if (name == "transfer-encoding") {
        if (_isChunked)
            throw notHttp();
        _isChunked = lowerCase(value) == "chunked";
        _isEncoded = _isEncoded || !_isChunked;
    } else if (name == "content-encoding") {
        _isEncoded = _isEncoded || (!value.empty() && lowerCase(value) != "identity");
    } else if (name == "connection") { // in a list of options, too; one too many is merely not kept
        _isPersistent = _isPersistent && lowerCase(value).find("close") == std::string::npos;
    }
}

void ResponseReader::finishHead() {
    if (_isChunked && _contentLength)
        throw notHttp();
    if (_response.status < 200) {
        if (++_interim > MAX_INTERIM)
            throw notHttp();
        _response = {};
        _contentLength.reset();
        _isChunked = _isEncoded = false;
        _fields = 0;
        return;
    }
    _hasHead = true;
    const int status = _response.status;
    _isComplete = (_wishes.followsRedirects && isRedirect(status)) ||
                  (_wishes.onlyBodyOfStatus != 0 && _wishes.onlyBodyOfStatus != status);
    if (_isComplete)
        return;
    _wantsBody = status != 204 && status != 304;
    if (_isEncoded)
        throw HttpError(HttpErrorCode::Encoded, _wishes.peerName + " compressed its answer, which is not accepted");
    if (_contentLength && *_contentLength > _wishes.maxResponseBytes && !_wishes.truncatesBody)
        throw tooLarge();
}

void ResponseReader::takeBody(std::string_view bytes) {
    if (!_hasHead)
        takeWithoutHead(bytes);
    else if (_isChunked)
        takeChunks(bytes);
    else
        append(bytes);
}

/// A server that says anything but HTTP may take its time; its first line tells.
void ResponseReader::takeWithoutHead(std::string_view bytes) {
    _line += bytes.substr(0, MAX_LINE);
    if (_line.size() >= MAX_LINE || _line.find('\n') != std::string::npos)
        throw notHttp();
}

/// Ends with the last chunk; what a server sends behind it is not waited for.
void ResponseReader::takeChunks(std::string_view bytes) {
    _arrived += bytes.size();
    while (!bytes.empty() && !_isComplete) {
        std::size_t count = std::min<std::uint64_t>(_chunkLeft, bytes.size());
        if (count > 0) {
            append(bytes.substr(0, count));
            _chunkLeft -= count;
            _expectsChunkEnd = _chunkLeft == 0;
        } else {
            count = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
            _line += bytes.substr(0, count);
            if (_line.size() > MAX_CHUNK_LINE)
                throw notHttp();
            if (_line.ends_with('\n')) {
                takeChunkLine(withoutLineEnd(_line));
                _line.clear();
            }
        }
        bytes.remove_prefix(count);
    }
    _endsExactly = _isComplete && !_isCut && bytes == "\r\n";
}

void ResponseReader::takeChunkLine(std::string_view line) {
    if (_expectsChunkEnd) {
        if (!line.empty())
            throw badChunk();
        _expectsChunkEnd = false;
        if (_arrived > 2 * _wishes.maxResponseBytes + CHUNK_ALLOWANCE)
            throw tooLarge();
        return;
    }
    _chunkLeft = chunkSizeOf(line);
    _isComplete = _chunkLeft == 0;
    if (_chunkLeft > _wishes.maxResponseBytes - _response.body.size() && !_wishes.truncatesBody)
        throw tooLarge();
}

void ResponseReader::append(std::string_view bytes) {
    const std::uint64_t room = _wishes.maxResponseBytes - _response.body.size();
    if (bytes.size() > room && !_wishes.truncatesBody)
        throw tooLarge();
    if (bytes.size() > room)
        _isCut = _isComplete = true;
    _response.body += bytes.substr(0, room);
}

bool ResponseReader::leavesConnectionOpen() const {
    if (!_hasHead || !_isPersistent || _isCut)
        return false;
    if (_isChunked)
        return _endsExactly;
    if (_isComplete) // by what the wishes leave unread
        return false;
    return _wantsBody ? _contentLength == _response.body.size() : _contentLength.value_or(0) == 0;
}

HttpResponse ResponseReader::finish() {
    const bool isWhole = _contentLength ? _response.body.size() == *_contentLength : !_isChunked || _isComplete;
    if (!_hasHead || (_wantsBody && !isWhole && !_isCut))
        throw cut();
    return std::move(_response);
}

} // namespace supplierd::host
