#include "host/http/response/ContentSender.h"

#include "host/http/response/AnswerHead.h"

#include <Poco/Net/HTTPServerRequestImpl.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

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
    ContentPieces(const ChosenContent& content, BodyOutput& output)
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
    BodyOutput& _output;
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
    BodyOutput output(request.socket(), limits, head.size() + STREAM_PIECE);
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

void sendContent(Exchange& exchange, bool closes, const OutputLimits& limits) {
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
    BodyOutput output(request.socket(), limits, head.size() + content.choice.length);
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
