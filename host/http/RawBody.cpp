#include "host/http/RawBody.h"

#include <supplierd/Errors.h>

#include <Poco/Exception.h>
#include <Poco/Net/HTTPServerResponse.h>

#include <algorithm>

namespace supplierd::host {

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
