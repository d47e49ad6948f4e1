#include "host/http/response/AnswerHead.h"

#include <Poco/String.h>

#include <algorithm>
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
    const auto status = static_cast<Poco::Net::HTTPResponse::HTTPStatus>(exchange.outcome.status);
    head += fmt::format_int(exchange.outcome.status).str();
    head.append(" ").append(Poco::Net::HTTPResponse::getReasonForStatus(status)).append("\r\n");
    for (const auto& [name, value] : response) // Poco's own: Date, Connection
        appendField(head, name, value);
    appendField(head, "X-Request-Id", exchange.requestId);
    const auto& headers = exchange.outcome.headers;
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

} // namespace supplierd::host
