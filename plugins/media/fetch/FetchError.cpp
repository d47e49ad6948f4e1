#include "FetchError.h"

namespace supplierd::media {

std::string_view codeName(FetchErrorCode code) {
    switch (code) {
    case FetchErrorCode::Dns:
        return "dns";
    case FetchErrorCode::Address:
        return "address";
    case FetchErrorCode::Connect:
        return "connect";
    case FetchErrorCode::Tls:
        return "tls";
    case FetchErrorCode::HttpStatus:
        return "http_status";
    case FetchErrorCode::TooLarge:
        return "too_large";
    case FetchErrorCode::Type:
        return "type";
    case FetchErrorCode::Damaged:
        return "damaged";
    case FetchErrorCode::Timeout:
    case FetchErrorCode::Stopped:
        break;
    }
    return "timeout";
}

FetchError FetchError::timeout() {
    return {FetchErrorCode::Timeout, "fetching the image took too long"};
}

FetchError FetchError::tooLarge(std::uint64_t maxBytes) {
    return {FetchErrorCode::TooLarge, "the image is larger than " + std::to_string(maxBytes) + " bytes"};
}

FetchError FetchError::stopped() {
    return {FetchErrorCode::Stopped, "the server is being stopped"};
}

} // namespace supplierd::media
