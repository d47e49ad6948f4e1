#include "host/http/response/ResponseWriter.h"

#include "host/http/response/ErrorTable.h"

#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/String.h>
#include <Poco/Timespan.h>

#include <algorithm>
#include <array>
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

void appendHead(std::string& head, const Exchange& exchange) {
    auto& response = exchange.response;
    // Poco answers in the version of the request, whatever the client made up.
    head += response.getVersion() == Poco::Net::HTTPMessage::HTTP_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
    const auto status = static_cast<Poco::Net::HTTPResponse::HTTPStatus>(exchange.result.status);
    head += fmt::format_int(exchange.result.status).str();
    head.append(" ").append(Poco::Net::HTTPResponse::getReasonForStatus(status)).append("\r\n");
    for (const auto& [name, value] : response) // Poco's own: Date, Connection
        appendField(head, name, value);
    appendField(head, "X-Request-Id", exchange.requestId);
    const auto& headers = exchange.result.headers;
    if (!findHeader(headers, "X-Content-Type-Options"))
        appendField(head, "X-Content-Type-Options", "nosniff");
    if (!findHeader(headers, "Cache-Control"))
        appendField(head, "Cache-Control", "private, no-cache");
    if (exchange.rateLimit) {
        appendField(head, "X-RateLimit-Limit", exchange.rateLimit->limit);
        appendField(head, "X-RateLimit-Remaining", exchange.rateLimit->remaining);
        appendField(head, "X-RateLimit-Reset", exchange.rateLimit->resetAt);
    }
    for (const auto& [name, value] : headers)
        appendField(head, name, value);
    if (exchange.replayed)
        appendField(head, "Idempotent-Replayed", "true");
}

namespace {

constexpr int FIRST_ERROR_STATUS = 400;
constexpr std::size_t LINGER_BYTES = std::size_t{4} << 20;
constexpr auto LINGER_TIME = std::chrono::seconds(2);

bool isBodyless(int status) {
    return status == 304 || status == 204;
}

/// In one system call as a rule; Poco's stream would send every 4 KiB apart.
void sendAll(Exchange& exchange, std::string_view bytes) {
    auto& request = dynamic_cast<Poco::Net::HTTPServerRequestImpl&>(exchange.request);
    try {
        while (!bytes.empty())
            bytes.remove_prefix(
                static_cast<std::size_t>(request.socket().sendBytes(bytes.data(), static_cast<int>(bytes.size()))));
    } catch (const Poco::Exception&) {
        exchange.response.setKeepAlive(false); // the client is gone; what it asked for is accounted for all the same
    }
}

} // namespace

std::size_t writeResponse(Exchange& exchange, bool closes) {
    const int status = exchange.result.status;
    if (closes)
        exchange.response.setKeepAlive(false);
    thread_local std::string response;
    response.clear();
    appendHead(response, exchange);
    if (isBodyless(status)) {
        response += "\r\n";
        sendAll(exchange, response);
        return 0;
    }
    thread_local std::string body;
    body.clear();
    const bool isEnveloped = exchange.result.contentType.empty();
    if (!isEnveloped)
        body = exchange.result.payload;
    else if (status < FIRST_ERROR_STATUS)
        appendSuccess(body, exchange.result.payload);
    else
        appendFailure(body, exchange.result.payload, exchange.requestId);
    appendField(response, "Content-Type",
                isEnveloped ? "application/json" : std::string_view(exchange.result.contentType));
    appendField(response, "Content-Length", static_cast<std::int64_t>(body.size()));
    response += "\r\n";
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    if (!isHead)
        response += body;
    sendAll(exchange, response);
    const auto sent = isHead ? 0 : body.size();
    constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;
    for (std::string* buffer : {&response, &body})
        if (buffer->capacity() > KEEP_AT_MOST)
            std::string().swap(*buffer);
    return sent;
}

void lingerBeforeClose(Poco::Net::HTTPServerRequest& request) {
    auto* implementation = dynamic_cast<Poco::Net::HTTPServerRequestImpl*>(&request);
    if (!implementation)
        return;
    auto& socket = implementation->socket();
    std::array<char, 16384> discarded{};
    const auto deadline = std::chrono::steady_clock::now() + LINGER_TIME;
    std::size_t taken = 0;
    try {
        socket.shutdownSend();
        socket.setReceiveTimeout(Poco::Timespan(1, 0));
        while (taken < LINGER_BYTES && std::chrono::steady_clock::now() < deadline) {
            const int got = socket.receiveBytes(discarded.data(), static_cast<int>(discarded.size()));
            if (got <= 0)
                return;
            taken += static_cast<std::size_t>(got);
        }
    } catch (const Poco::Exception&) {
        return; // silence, or a reset: the client is done with this connection too
    }
}

namespace {

constexpr std::string_view UNKNOWN_TYPE = "application/octet-stream";
constexpr std::uint64_t PIECE = std::uint64_t{128} << 10;
/// Between two of them the time is looked at.
constexpr std::uint64_t FILE_PIECE = std::uint64_t{1} << 20;

std::string headOf(const Exchange& exchange, const ChosenContent& content) {
    std::string head;
    appendHead(head, exchange);
    appendField(head, "Content-Type", content.type.empty() ? UNKNOWN_TYPE : std::string_view(content.type));
    appendField(head, "Content-Length", static_cast<std::int64_t>(content.choice.length));
    appendField(head, "Accept-Ranges", "bytes");
    if (content.choice.status == Poco::Net::HTTPResponse::HTTP_PARTIAL_CONTENT)
        appendField(head, "Content-Range",
                    fmt::format("bytes {}-{}/{}", content.choice.offset,
                                content.choice.offset + content.choice.length - 1, content.size));
    head += "\r\n";
    return head;
}

/// One piece of the content at a time, whichever way it can be had.
class ContentPieces {
public:
    ContentPieces(const ChosenContent& content, BodyWriter& output)
        : _content(*content.bytes),
          _output(output),
          _file(_content.descriptor()),
          _next(content.choice.offset),
          _end(content.choice.offset + content.choice.length) {}

    void sendAll() {
        while (_next < _end) {
            if (_file < 0 || !sendFromFile())
                sendRead();
        }
    }

private:
    /// False: this file has to be read.
    bool sendFromFile() {
        const auto sent = _output.sendFile(_file, _next, std::min(_end - _next, FILE_PIECE));
        if (!sent) {
            _file = -1;
            return false;
        }
        if (*sent == 0)
            throw std::runtime_error("the content's file ends before its size");
        _next += *sent;
        return true;
    }

    void sendRead() {
        const auto wanted = std::min(_end - _next, PIECE);
        const auto piece = _content.read(_next, wanted);
        if (piece.size() != wanted)
            throw std::runtime_error(
                fmt::format("the content gave {} bytes at {} instead of {}", piece.size(), _next, wanted));
        _next += wanted;
        _output.send(piece, _next < _end);
    }

    const Content& _content;
    BodyWriter& _output;
    int _file;
    std::uint64_t _next;
    const std::uint64_t _end;
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

void sendStream(Exchange& exchange, bool closes, const OutputLimits& limits) {
    auto& content = *exchange.content;
    content.isWhole = false;
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    const bool isChunked = !content.isAllBegun && exchange.response.getVersion() != Poco::Net::HTTPMessage::HTTP_1_0;
    if (closes || (!content.isAllBegun && !isChunked))
        exchange.response.setKeepAlive(false);
    std::string head;
    appendHead(head, exchange);
    appendField(head, "Content-Type", content.type.empty() ? UNKNOWN_TYPE : std::string_view(content.type));
    if (isChunked)
        appendField(head, "Transfer-Encoding", "chunked");
    else if (content.isAllBegun && !isHead)
        appendField(head, "Content-Length", static_cast<std::int64_t>(content.begun.size()));
    head += "\r\n";
    auto& request = dynamic_cast<Poco::Net::HTTPServerRequestImpl&>(exchange.request);
    BodyWriter output(request.socket(), limits, head.size() + STREAM_PIECE);
    std::string framed;
    const auto send = [&](const std::string& piece, bool more) {
        output.expect(piece.size());
        framed.clear();
        if (isChunked && !piece.empty())
            framed = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
        if (isChunked && !more)
            framed += "0\r\n\r\n";
        output.send(isChunked ? std::string_view(framed) : std::string_view(piece), false);
        exchange.bytesSent += piece.size();
    };
    try {
        output.send(head, !isHead);
        std::string piece = std::move(content.begun);
        for (bool isAll = content.isAllBegun; !isHead;) {
            send(piece, !isAll);
            if (isAll)
                break;
            isAll = readPiece(*content.stream, piece);
        }
        content.isWhole = true;
    } catch (const ClientGone&) {
        exchange.response.setKeepAlive(false);
    }
}

} // namespace

void writeContent(Exchange& exchange, bool closes, const OutputLimits& limits) {
    auto& content = *exchange.content;
    if (content.stream) {
        sendStream(exchange, closes, limits);
        return;
    }
    content.isWhole = false;
    if (closes)
        exchange.response.setKeepAlive(false);
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    const bool hasBody = !isHead && content.choice.length > 0;
    const auto head = headOf(exchange, content);
    auto& request = dynamic_cast<Poco::Net::HTTPServerRequestImpl&>(exchange.request);
    BodyWriter output(request.socket(), limits, head.size() + content.choice.length);
    const auto note = [&] { exchange.bytesSent = output.sent() > head.size() ? output.sent() - head.size() : 0; };
    try {
        output.send(head, hasBody);
        if (hasBody)
            ContentPieces(content, output).sendAll();
        content.isWhole = true;
    } catch (const ClientGone&) {
        exchange.response.setKeepAlive(false);
    } catch (...) {
        note();
        throw;
    }
    note();
}

} // namespace supplierd::host
