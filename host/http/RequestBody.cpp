#include "host/http/RequestBody.h"

#include <supplierd/Errors.h>

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

ApiError tooLarge(std::uint64_t limit) {
    return ApiError(ErrorKind::PayloadTooLarge,
                    "The body is larger than the " + std::to_string(limit) + " bytes that are accepted");
}

} // namespace

void checkBody(const Poco::Net::HTTPServerRequest& request, RequestChannel& channel, const Route& route,
               std::uint64_t limit) {
    const auto& head = channel.head();
    if (route.body != Body::None) {
        if (head.framing == BodyFraming::None)
            throw ApiError(ErrorKind::LengthRequired, lengthMessage(route.body));
        requireType(request, route);
    }
    if (head.contentLength > limit || channel.body().size() > limit)
        throw tooLarge(limit);
}

void requireWholeBody(RequestChannel& channel, std::uint64_t limit) {
    switch (channel.bodyState()) {
    case Connection::BodyState::Complete:
        return;
    case Connection::BodyState::TooLarge:
        throw tooLarge(limit);
    case Connection::BodyState::Rejected: {
        constexpr int TOO_LARGE = 413;
        const auto& rejection = channel.bodyRejection();
        throw ApiError(rejection.status == TOO_LARGE ? ErrorKind::PayloadTooLarge : ErrorKind::BadRequest,
                       std::string(rejection.message));
    }
    case Connection::BodyState::Lost:
        throw ApiError(ErrorKind::Unavailable, "The body could not be stored");
    default:
        throw ApiError(ErrorKind::BadRequest, "The body ended before its Content-Length, or came too slowly");
    }
}

} // namespace supplierd::host
