#include "host/http/Sender.h"

#include "host/http/ErrorTable.h"

#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Timespan.h>

#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr int FIRST_ERROR = 400;
constexpr std::size_t LINGER_BYTES = std::size_t{4} << 20;
constexpr auto LINGER_TIME = std::chrono::seconds(2);

bool isBodyless(int status) {
    return status == 304 || status == 204;
}

void setHeaders(Exchange& exchange) {
    auto& response = exchange.response;
    response.set("X-Request-Id", exchange.requestId);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Cache-Control", "private, no-cache");
    if (exchange.rateLimit) {
        response.set("X-RateLimit-Limit", std::to_string(exchange.rateLimit->limit));
        response.set("X-RateLimit-Remaining", std::to_string(exchange.rateLimit->remaining));
        response.set("X-RateLimit-Reset", std::to_string(exchange.rateLimit->resetAt));
    }
    for (const auto& [name, value] : exchange.outcome.headers)
        response.set(name, value);
    if (exchange.replayed)
        response.set("Idempotent-Replayed", "true");
}

/// Head and body in one system call; Poco's stream would send every 4 KiB apart. False when there is no socket to be
/// had.
bool sendAtOnce(Exchange& exchange, std::string_view body) {
    auto* request = dynamic_cast<Poco::Net::HTTPServerRequestImpl*>(&exchange.request);
    if (!request)
        return false;
    std::ostringstream head;
    exchange.response.write(head);
    std::string bytes = std::move(head).str();
    bytes += body;
    try {
        for (std::string_view rest = bytes; !rest.empty();)
            rest.remove_prefix(
                static_cast<std::size_t>(request->socket().sendBytes(rest.data(), static_cast<int>(rest.size()))));
    } catch (const Poco::Exception&) {
        exchange.response.setKeepAlive(false); // the client is gone; what it asked for is accounted for all the same
    }
    return true;
}

} // namespace

std::size_t sendAnswer(Exchange& exchange, bool closes) {
    auto& response = exchange.response;
    const int status = exchange.outcome.status;
    response.setStatusAndReason(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(status));
    // Poco answers in the version of the request, whatever the client made up.
    if (response.getVersion() != Poco::Net::HTTPMessage::HTTP_1_0)
        response.setVersion(Poco::Net::HTTPMessage::HTTP_1_1);
    setHeaders(exchange);
    if (closes)
        response.setKeepAlive(false);
    if (isBodyless(status)) {
        response.setContentLength64(Poco::Net::HTTPMessage::UNKNOWN_CONTENT_LENGTH);
        response.send().flush();
        return 0;
    }
    thread_local std::string body;
    body.clear();
    if (status < FIRST_ERROR)
        appendSuccess(body, exchange.outcome.payload);
    else
        appendFailure(body, exchange.outcome.payload, exchange.requestId);
    response.setContentType("application/json");
    const bool isHead = exchange.request.getMethod() == Poco::Net::HTTPRequest::HTTP_HEAD;
    response.setContentLength64(static_cast<Poco::Int64>(body.size()));
    if (!sendAtOnce(exchange, isHead ? std::string_view() : body)) {
        auto& stream = response.send();
        if (!isHead)
            stream.write(body.data(), static_cast<std::streamsize>(body.size()));
        stream.flush();
    }
    const auto sent = isHead ? 0 : body.size();
    constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;
    if (body.capacity() > KEEP_AT_MOST)
        std::string().swap(body);
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
