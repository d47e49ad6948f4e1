#include "host/http/response/Sender.h"

#include "host/http/response/AnswerHead.h"
#include "host/http/response/ErrorTable.h"

#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Timespan.h>

#include <array>
#include <string_view>

namespace supplierd::host {

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

std::size_t sendAnswer(Exchange& exchange, bool closes) {
    const int status = exchange.outcome.status;
    if (closes)
        exchange.response.setKeepAlive(false);
    thread_local std::string answer;
    answer.clear();
    appendHead(answer, exchange);
    if (isBodyless(status)) {
        answer += "\r\n";
        sendAll(exchange, answer);
        return 0;
    }
    thread_local std::string body;
    body.clear();
    const bool isEnveloped = exchange.outcome.contentType.empty();
    if (!isEnveloped)
        body = exchange.outcome.payload;
    else if (status < FIRST_ERROR_STATUS)
        appendSuccess(body, exchange.outcome.payload);
    else
        appendFailure(body, exchange.outcome.payload, exchange.requestId);
    appendField(answer, "Content-Type",
                isEnveloped ? "application/json" : std::string_view(exchange.outcome.contentType));
    appendField(answer, "Content-Length", static_cast<std::int64_t>(body.size()));
    answer += "\r\n";
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    if (!isHead)
        answer += body;
    sendAll(exchange, answer);
    const auto sent = isHead ? 0 : body.size();
    constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;
    for (std::string* buffer : {&answer, &body})
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

} // namespace supplierd::host
