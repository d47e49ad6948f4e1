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

void sendContent(Exchange& exchange, bool closes, const OutputLimits& limits) {
    auto& content = *exchange.content;
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
