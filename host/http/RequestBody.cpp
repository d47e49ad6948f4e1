#include "host/http/RequestBody.h"

#include <supplierd/Errors.h>

#include <Poco/Exception.h>
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

namespace {

/// Beyond the patience, all of it comes at no less than this.
constexpr std::uint64_t BYTES_PER_SECOND = 16'384;

} // namespace

RawBody::RawBody(Poco::Net::HTTPServerRequest& request, const Framing& framing, std::chrono::milliseconds patience)
    : _request(request), _size(static_cast<std::uint64_t>(framing.length)), _left(_size), _patience(patience) {}

std::size_t RawBody::read(std::span<char> to) {
    if (_left == 0 || to.empty())
        return 0;
    const auto now = std::chrono::steady_clock::now();
    if (!_isBegun) {
        _isBegun = true;
        _deadline = now + _patience + std::chrono::seconds(_size / BYTES_PER_SECOND);
        if (_request.getExpectContinue())
            _request.response().sendContinue();
    }
    if (now > _deadline)
        throw ApiError(ErrorKind::BadRequest, "The body came too slowly");
    // One receive at most, so that neither a small piece nor a slow client is waited for longer than that.
    auto& buffer = *_request.stream().rdbuf();
    std::streamsize got = 0;
    try {
        using Traits = std::char_traits<char>;
        if (!Traits::eq_int_type(buffer.sgetc(), Traits::eof()))
            got = buffer.sgetn(to.data(), std::min({buffer.in_avail(), static_cast<std::streamsize>(to.size()),
                                                    static_cast<std::streamsize>(_left)}));
    } catch (const Poco::Exception&) { // silence, or a reset
        got = 0;
    }
    if (got <= 0)
        throw ApiError(ErrorKind::BadRequest, "The body ended before its Content-Length, or came too slowly");
    _left -= static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
}

} // namespace supplierd::host
