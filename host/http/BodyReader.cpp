#include "host/http/BodyReader.h"

#include <supplierd/Errors.h>

#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/String.h>

namespace supplierd::host {

namespace {

void requireJson(const Poco::Net::HTTPServerRequest& request) {
    const auto type = request.getContentType();
    const auto media = Poco::trim(type.substr(0, type.find(';')));
    if (Poco::icompare(media, "application/json") != 0)
        throw ApiError(ErrorKind::UnsupportedMediaType, "Send the body as JSON with 'Content-Type: application/json'");
    if (Poco::icompare(Poco::trim(request.get("Content-Encoding", "identity")), "identity") != 0)
        throw ApiError(ErrorKind::UnsupportedMediaType, "Compressed bodies are not accepted");
}

} // namespace

std::string readBody(Poco::Net::HTTPServerRequest& request, const Framing& framing, Body kind, std::int64_t limit) {
    if (kind == Body::Json) {
        if (!framing.hasLength)
            throw ApiError(ErrorKind::LengthRequired, "Send a JSON body with Content-Length");
        requireJson(request);
    }
    if (framing.length > limit)
        throw ApiError(ErrorKind::PayloadTooLarge,
                       "The body is larger than the " + std::to_string(limit) + " bytes that are accepted");
    std::string body;
    if (framing.length == 0)
        return body;
    if (request.getExpectContinue())
        request.response().sendContinue();
    body.resize(static_cast<std::size_t>(framing.length));
    request.stream().read(body.data(), framing.length);
    if (request.stream().gcount() != framing.length)
        throw ApiError(ErrorKind::BadRequest, "The body ended before its Content-Length, or came too slowly");
    return body;
}

} // namespace supplierd::host
