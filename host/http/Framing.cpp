#include "host/http/Framing.h"

#include <supplierd/Errors.h>

#include <Poco/String.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_LENGTH_DIGITS = 18;

[[noreturn]] void refuse(const char* message) {
    throw ApiError(ErrorKind::BadRequest, message);
}

bool isTokenCharacter(char c) {
    constexpr std::string_view OTHERS = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           OTHERS.find(c) != std::string_view::npos;
}

bool isControl(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

std::int64_t parseLength(std::string_view text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits || text.size() > MAX_LENGTH_DIGITS)
        refuse("Content-Length must be a number");
    std::int64_t length = 0;
    std::from_chars(text.data(), text.data() + text.size(), length);
    return length;
}

} // namespace

Framing judgeFraming(const Poco::Net::HTTPRequest& request) {
    if (request.getVersion() != "HTTP/1.1" && request.getVersion() != "HTTP/1.0")
        refuse("Only HTTP/1.1 and HTTP/1.0 are spoken here");
    Framing framing;
    bool isChunked = false;
    int hosts = 0;
    int credentials = 0;
    int idempotencyKeys = 0;
    for (const auto& [name, value] : request) {
        if (name.empty() || !std::all_of(name.begin(), name.end(), isTokenCharacter))
            refuse("A header name has characters that are not allowed");
        if (std::any_of(value.begin(), value.end(), isControl))
            refuse("A header value has control characters");
        if (Poco::icompare(name, "content-length") == 0) {
            if (framing.hasLength)
                refuse("Content-Length is given more than once");
            framing.hasLength = true;
            framing.length = parseLength(value);
        } else if (Poco::icompare(name, "transfer-encoding") == 0)
            isChunked = true;
        else if (Poco::icompare(name, "host") == 0)
            ++hosts;
        else if (Poco::icompare(name, "authorization") == 0)
            ++credentials;
        else if (Poco::icompare(name, "idempotency-key") == 0)
            ++idempotencyKeys;
    }
    if (isChunked && framing.hasLength)
        refuse("Content-Length and Transfer-Encoding must not come together");
    if (hosts > 1 || (hosts == 0 && request.getVersion() == "HTTP/1.1"))
        refuse("Exactly one Host header is required");
    if (credentials > 1 || idempotencyKeys > 1)
        refuse("Authorization and Idempotency-Key can be given only once");
    if (isChunked)
        throw ApiError(ErrorKind::LengthRequired, "Send the body with Content-Length; chunked bodies are not accepted");
    return framing;
}

} // namespace supplierd::host
