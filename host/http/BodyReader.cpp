#include "host/http/BodyReader.h"

#include <supplierd/Errors.h>

#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/String.h>

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr const char* FORM_TYPE = "application/x-www-form-urlencoded";

std::string mediaTypeOf(const Poco::Net::HTTPServerRequest& request) {
    const auto type = request.getContentType();
    return Poco::trim(type.substr(0, type.find(';')));
}

void requireType(const Poco::Net::HTTPServerRequest& request, const Route& route) {
    const auto media = mediaTypeOf(request);
    if (route.body == Body::Json && Poco::icompare(media, "application/json") != 0)
        throw ApiError(ErrorKind::UnsupportedMediaType, "Send the body as JSON with 'Content-Type: application/json'");
    if (route.body == Body::Form && Poco::icompare(media, FORM_TYPE) != 0)
        throw ApiError(ErrorKind::UnsupportedMediaType,
                       "Send the form with 'Content-Type: " + std::string(FORM_TYPE) + "'");
    const bool isListed = std::any_of(route.accepts.begin(), route.accepts.end(),
                                      [&](const std::string& type) { return Poco::icompare(media, type) == 0; });
    if (route.body == Body::Raw && !route.accepts.empty() && !isListed) {
        std::string all;
        for (const auto& type : route.accepts)
            all += (all.empty() ? "" : ", ") + type;
        throw ApiError(ErrorKind::UnsupportedMediaType, "Send the body with a Content-Type of " + all);
    }
    if (Poco::icompare(Poco::trim(request.get("Content-Encoding", "identity")), "identity") != 0)
        throw ApiError(ErrorKind::UnsupportedMediaType, "Compressed bodies are not accepted");
}

const char* lengthMessage(Body body) {
    return body == Body::Json ? "Send a JSON body with Content-Length" : "Send the body with Content-Length";
}

} // namespace

void checkBody(const Poco::Net::HTTPServerRequest& request, const Framing& framing, const Route& route,
               std::int64_t limit) {
    if (route.body != Body::None) {
        if (!framing.hasLength)
            throw ApiError(ErrorKind::LengthRequired, lengthMessage(route.body));
        requireType(request, route);
    }
    const auto most = route.maxBody > 0 ? route.maxBody : limit;
    if (framing.length > most)
        throw ApiError(ErrorKind::PayloadTooLarge,
                       "The body is larger than the " + std::to_string(most) + " bytes that are accepted");
}

std::string readBody(Poco::Net::HTTPServerRequest& request, const Framing& framing) {
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
