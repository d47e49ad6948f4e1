#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::media {

/// Why an image could not be fetched. Stopped is not the supplier's matter: the server is going down.
enum class FetchErrorCode { Dns, Address, Connect, Tls, Timeout, HttpStatus, TooLarge, Type, Damaged, Stopped };

/// The code as a supplier reads it: `dns`, `address`, `connect`, `tls`, `timeout`, `http_status`, `too_large`, `type`,
/// `damaged`; Stopped reads `timeout`.
std::string_view codeName(FetchErrorCode code);

/// An image that could not be fetched. what() is the text for the supplier: it names no address and no path of ours.
class FetchError : public std::runtime_error {
public:
    FetchError(FetchErrorCode code, const std::string& text) : std::runtime_error(text), _code(code) {}

    FetchErrorCode code() const { return _code; }

    static FetchError timeout();
    static FetchError tooLarge(std::uint64_t maxBytes);
    static FetchError stopped();

private:
    FetchErrorCode _code;
};

} // namespace supplierd::media
