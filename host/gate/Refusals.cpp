#include "host/gate/Refusals.h"

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Timestamp.h>

namespace supplierd::host {

std::string refusalBytes(const Refusal& refusal, const Refusals::Response& response, bool closes) {
    constexpr int NO_CONTENT = 204;
    constexpr int UNAVAILABLE = 503;
    const auto status = static_cast<Poco::Net::HTTPResponse::HTTPStatus>(refusal.status);
    std::string bytes = refusal.head && !refusal.head->isHttp11 ? "HTTP/1.0 " : "HTTP/1.1 ";
    bytes += std::to_string(refusal.status) + " " + Poco::Net::HTTPResponse::getReasonForStatus(status) + "\r\n";
    bytes += "Date: " + Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::HTTP_FORMAT) + "\r\n";
    bytes += closes ? "Connection: Close\r\n" : "Connection: Keep-Alive\r\n";
    bytes += "X-Request-Id: " + response.requestId + "\r\n";
    bytes += "X-Content-Type-Options: nosniff\r\nCache-Control: private, no-cache\r\n";
    if (refusal.status == UNAVAILABLE)
        bytes += "Retry-After: 1\r\n";
    bytes += response.fields;
    if (refusal.status == NO_CONTENT)
        return bytes + "\r\n";
    bytes += "Content-Type: application/json\r\n";
    bytes += "Content-Length: " + std::to_string(response.body.size()) + "\r\n\r\n";
    if (!refusal.head || refusal.head->method != "HEAD")
        bytes += response.body;
    return bytes;
}

} // namespace supplierd::host
