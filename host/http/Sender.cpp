#include "host/http/Sender.h"

#include "host/http/ErrorTable.h"

#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/String.h>
#include <Poco/Timespan.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

using Headers = std::vector<std::pair<std::string, std::string>>;

bool has(const Headers& headers, std::string_view name) {
    return std::any_of(headers.begin(), headers.end(), [&](const auto& header) {
        return header.first.size() == name.size() && Poco::icompare(header.first, 0, name.size(), name.data()) == 0;
    });
}

void appendField(std::string& head, std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
}

void appendField(std::string& head, std::string_view name, std::int64_t value) {
    const fmt::format_int digits(value);
    appendField(head, name, std::string_view(digits.data(), digits.size()));
}

/// Up to the length of the body; written by hand because Poco's way through a stream and a list of fields costs more
/// than the rest of the answer.
void appendHead(std::string& head, const Exchange& exchange) {
    auto& response = exchange.response;
    // Poco answers in the version of the request, whatever the client made up.
    head += response.getVersion() == Poco::Net::HTTPMessage::HTTP_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
    const auto status = static_cast<Poco::Net::HTTPResponse::HTTPStatus>(exchange.outcome.status);
    head += fmt::format_int(exchange.outcome.status).str();
    head.append(" ").append(Poco::Net::HTTPResponse::getReasonForStatus(status)).append("\r\n");
    for (const auto& [name, value] : response) // Poco's own: Date, Connection
        appendField(head, name, value);
    appendField(head, "X-Request-Id", exchange.requestId);
    const auto& headers = exchange.outcome.headers;
    if (!has(headers, "X-Content-Type-Options"))
        appendField(head, "X-Content-Type-Options", "nosniff");
    if (!has(headers, "Cache-Control"))
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
    if (status < FIRST_ERROR)
        appendSuccess(body, exchange.outcome.payload);
    else
        appendFailure(body, exchange.outcome.payload, exchange.requestId);
    appendField(answer, "Content-Type", "application/json");
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
