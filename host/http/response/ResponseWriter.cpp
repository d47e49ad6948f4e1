#include "host/http/response/ResponseWriter.h"

#include "host/gate/ContentPieces.h"
#include "host/gate/HeaderSyntax.h"
#include "host/http/response/ErrorTable.h"

#include <supplierd/Gzip.h>

#include <Poco/String.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

const std::string* findHeader(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view name) {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
        return header.first.size() == name.size() && Poco::icompare(header.first, 0, name.size(), name.data()) == 0;
    });
    return found == headers.end() ? nullptr : &found->second;
}

namespace {

const std::string& reasonOf(int status) {
    using Poco::Net::HTTPResponse;
    const auto known = static_cast<HTTPResponse::HTTPStatus>(status);
    // Poco 1.11 has the reason of a 308, but does not find it by the status.
    return known == HTTPResponse::HTTP_PERMANENT_REDIRECT ? HTTPResponse::HTTP_REASON_PERMANENT_REDIRECT
                                                          : HTTPResponse::getReasonForStatus(known);
}

} // namespace

void appendHead(std::string& head, const Exchange& exchange) {
    auto& response = exchange.response;
    // Poco answers in the version of the request, whatever the client made up.
    head += response.getVersion() == Poco::Net::HTTPMessage::HTTP_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
    head += fmt::format_int(exchange.result.status).str();
    head.append(" ").append(reasonOf(exchange.result.status)).append("\r\n");
    for (const auto& [name, value] : response) // Poco's own: Date, Connection
        appendField(head, name, value);
    appendField(head, "X-Request-Id", exchange.requestId);
    const auto& headers = exchange.result.headers;
    if (!findHeader(headers, "X-Content-Type-Options"))
        appendField(head, "X-Content-Type-Options", "nosniff");
    if (!findHeader(headers, "Cache-Control"))
        appendField(head, "Cache-Control", "private, no-cache");
    if (!exchange.hsts.empty())
        appendField(head, "Strict-Transport-Security", exchange.hsts);
    if (exchange.key && exchange.key->isSandbox)
        appendField(head, "X-Sandbox", "true");
    if (exchange.rateLimit) {
        appendField(head, "X-RateLimit-Limit", exchange.rateLimit->limit);
        appendField(head, "X-RateLimit-Remaining", exchange.rateLimit->remaining);
        appendField(head, "X-RateLimit-Reset", exchange.rateLimit->resetAt);
    }
    for (const auto& [name, value] : headers)
        appendField(head, name, value);
    if (exchange.replayed)
        appendField(head, "Idempotent-Replayed", "true");
    head += exchange.corsFields;
}

namespace {

constexpr int FIRST_ERROR_STATUS = 400;
/// What is smaller gains nothing.
constexpr std::size_t COMPRESSED_FROM = 1'024;
/// Of zlib. Of a page of 100 products: a twelfth more bytes than its default, in two thirds of the time.
constexpr int COMPRESSION_LEVEL = 4;
/// Memory of earlier responses that a worker keeps.
constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;

bool isBodyless(int status) {
    return status == 304 || status == 204;
}

/// A strong tag stands for the very bytes, and If-Match takes no other: such a response is sent as it is.
bool hasStrongTag(const Exchange& exchange) {
    const auto* tag = findHeader(exchange.result.headers, "ETag");
    return tag && !tag->starts_with("W/");
}

bool takesGzip(const HeaderFields& fields) {
    std::string accepted; // several lines are one list
    for (const auto& field : fields)
        if (equalsIgnoringCase(field.name, "accept-encoding"))
            accepted.append(field.value).append(",");
    return acceptsGzip(accepted);
}

/// Of a response that may be compressed: says so, and does it for a client that asks for it.
void compress(std::string& head, std::string& body, const Exchange& exchange) {
    appendField(head, "Vary", "Accept-Encoding");
    if (body.size() <= COMPRESSED_FROM || !takesGzip(exchange.channel.head().fields))
        return;
    body = gzipped(body, COMPRESSION_LEVEL);
    appendField(head, "Content-Encoding", "gzip");
}

/// The memory of this thread's responses.
std::string& emptyBuffer() {
    thread_local std::string buffer;
    if (buffer.capacity() > KEEP_AT_MOST)
        std::string().swap(buffer);
    buffer.clear();
    return buffer;
}

} // namespace

WrittenResponse writeResponse(Exchange& exchange, bool closes) {
    const int status = exchange.result.status;
    if (closes)
        exchange.response.setKeepAlive(false);
    WrittenResponse written;
    written.outgoing.closes = !exchange.response.getKeepAlive();
    auto& response = emptyBuffer();
    appendHead(response, exchange);
    const bool isEnveloped = exchange.result.contentType.empty();
    const bool isJson = isEnveloped || exchange.result.contentType.starts_with("application/json");
    const bool mayBeCompressed = exchange.compresses && isJson && !exchange.result.secret && !hasStrongTag(exchange) &&
                                 !findHeader(exchange.result.headers, "Content-Encoding");
    if (isBodyless(status)) {
        if (mayBeCompressed)
            appendField(response, "Vary", "Accept-Encoding"); // as the answer that it stands for
        response += "\r\n";
        written.outgoing.bytes = response;
        written.headSize = response.size();
        return written;
    }
    thread_local std::string body;
    body.clear();
    if (!isEnveloped)
        body = exchange.result.payload;
    else if (status < FIRST_ERROR_STATUS)
        appendSuccess(body, exchange.result.payload);
    else
        appendFailure(body, exchange.result.payload, exchange.requestId);
    if (exchange.observed && status >= FIRST_ERROR_STATUS)
        exchange.observedParts.errorBody = body.substr(0, exchange.observed->errorBody);
    appendField(response, "Content-Type",
                isEnveloped ? "application/json" : std::string_view(exchange.result.contentType));
    if (mayBeCompressed)
        compress(response, body, exchange);
    appendField(response, "Content-Length", static_cast<std::int64_t>(body.size()));
    response += "\r\n";
    written.headSize = response.size();
    if (exchange.request.getMethod() != Poco::Net::HTTPRequest::HTTP_HEAD)
        response += body;
    written.outgoing.bytes = response;
    if (body.capacity() > KEEP_AT_MOST)
        std::string().swap(body);
    return written;
}

namespace {

constexpr std::string_view UNKNOWN_TYPE = "application/octet-stream";

void appendContentHead(std::string& head, const Exchange& exchange, const ChosenContent& content) {
    appendHead(head, exchange);
    appendField(head, "Content-Type", content.type.empty() ? UNKNOWN_TYPE : std::string_view(content.type));
    appendField(head, "Content-Length", static_cast<std::int64_t>(content.choice.length));
    appendField(head, "Accept-Ranges", "bytes");
    if (content.choice.status == Poco::Net::HTTPResponse::HTTP_PARTIAL_CONTENT)
        appendField(head, "Content-Range",
                    fmt::format("bytes {}-{}/{}", content.choice.offset,
                                content.choice.offset + content.choice.length - 1, content.size));
    head += "\r\n";
}

/// A stream, whose first piece was read.
class StreamPieces final : public ResponseSource {
public:
    StreamPieces(std::shared_ptr<ContentStream> stream, std::string begun, bool isAll, bool isChunked,
                 std::shared_ptr<std::uint64_t> given)
        : _stream(std::move(stream)),
          _piece(std::move(begun)),
          _isAll(isAll),
          _isChunked(isChunked),
          _given(std::move(given)) {}

    bool produce(std::string& to) override {
        if (_isBegun)
            _isAll = readPiece(*_stream, _piece);
        _isBegun = true;
        *_given += _piece.size();
        if (!_isChunked)
            to += _piece;
        else if (!_piece.empty())
            fmt::format_to(std::back_inserter(to), "{:x}\r\n{}\r\n", _piece.size(), _piece);
        if (_isChunked && _isAll)
            to += "0\r\n\r\n";
        return !_isAll;
    }

private:
    const std::shared_ptr<ContentStream> _stream;
    std::string _piece;
    bool _isBegun = false;
    bool _isAll;
    const bool _isChunked;
    const std::shared_ptr<std::uint64_t> _given;
};

} // namespace

bool readPiece(ContentStream& stream, std::string& piece) {
    piece.resize(STREAM_PIECE);
    std::size_t size = 0;
    while (size < piece.size()) {
        const auto got = stream.read({piece.data() + size, piece.size() - size});
        if (got > piece.size() - size)
            throw std::runtime_error("the stream gave more bytes than it was asked for");
        if (got == 0) {
            piece.resize(size);
            return true;
        }
        size += got;
    }
    return false;
}

namespace {

WrittenResponse writeStream(Exchange& exchange, bool closes) {
    auto& content = *exchange.content;
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    const bool isChunked = !content.isAllBegun && exchange.response.getVersion() != Poco::Net::HTTPMessage::HTTP_1_0;
    if (closes || (!content.isAllBegun && !isChunked))
        exchange.response.setKeepAlive(false);
    auto& head = emptyBuffer();
    appendHead(head, exchange);
    appendField(head, "Content-Type", content.type.empty() ? UNKNOWN_TYPE : std::string_view(content.type));
    if (isChunked)
        appendField(head, "Transfer-Encoding", "chunked");
    else if (content.isAllBegun && !isHead)
        appendField(head, "Content-Length", static_cast<std::int64_t>(content.begun.size()));
    head += "\r\n";
    WrittenResponse written;
    written.headSize = head.size();
    written.outgoing.bytes = head;
    written.outgoing.closes = !exchange.response.getKeepAlive();
    const auto given = std::make_shared<std::uint64_t>(0);
    written.streamed = given;
    if (!isHead)
        written.outgoing.source = std::make_unique<StreamPieces>(std::move(content.stream), std::move(content.begun),
                                                                 content.isAllBegun, isChunked, given);
    return written;
}

} // namespace

WrittenResponse writeContent(Exchange& exchange, bool closes) {
    auto& content = *exchange.content;
    if (content.stream)
        return writeStream(exchange, closes);
    if (closes)
        exchange.response.setKeepAlive(false);
    auto& head = emptyBuffer();
    appendContentHead(head, exchange, content);
    WrittenResponse written;
    written.headSize = head.size();
    written.outgoing.bytes = head;
    written.outgoing.closes = !exchange.response.getKeepAlive();
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    if (isHead || content.choice.length == 0)
        return written;
    const auto& [status, offset, length] = content.choice;
    if (content.bytes->descriptor() >= 0)
        written.outgoing.file = partOf(content.bytes, offset, length);
    else
        written.outgoing.source = std::make_unique<ContentPieces>(content.bytes, offset, length);
    return written;
}

} // namespace supplierd::host
