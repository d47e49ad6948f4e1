#include "host/http/RequestParsing.h"

#include "host/auth/ApiKey.h"
#include "host/gate/HeaderSyntax.h"

#include <supplierd/Errors.h>
#include <supplierd/PercentDecoding.h>

#include <Poco/String.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_LENGTH = 64;

std::uint64_t randomSeed() {
    std::array<unsigned char, 8> bytes{};
    fillRandom(bytes.data(), bytes.size());
    std::uint64_t seed = 0;
    for (auto byte : bytes)
        seed = seed << 8 | byte;
    return seed;
}

} // namespace

bool isValidRequestId(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-';
    };
    return !text.empty() && text.size() <= MAX_LENGTH && std::all_of(text.begin(), text.end(), allowed);
}

std::string newRequestId() {
    thread_local std::mt19937_64 generator(randomSeed());
    constexpr std::string_view DIGITS = "0123456789abcdefghijklmnopqrstuv";
    std::string id(20, '0');
    for (std::size_t half = 0; half < 2; ++half) {
        auto bits = generator();
        for (std::size_t i = 0; i < 10; ++i, bits >>= 5)
            id[half * 10 + i] = DIGITS[bits & 31U];
    }
    return id;
}

namespace {

[[noreturn]] void refuseTarget(const char* message) {
    throw ApiError(ErrorKind::BadRequest, message);
}

std::string decodeSegment(std::string_view raw) {
    auto text = percentDecoded(raw);
    if (!text)
        refuseTarget("The path has a broken percent escape, or is no UTF-8 text");
    return std::move(*text);
}

std::string_view withoutAuthority(std::string_view raw) {
    for (std::string_view scheme : {"http://", "https://"})
        if (equalsIgnoringCase(raw.substr(0, scheme.size()), scheme)) {
            const auto end = raw.find_first_of("/?#", scheme.size());
            return end == std::string_view::npos || raw[end] != '/' ? std::string_view("/") : raw.substr(end);
        }
    return raw;
}

} // namespace

RequestTarget RequestTarget::parse(std::string_view raw) {
    raw = withoutAuthority(raw);
    if (raw.empty() || raw.front() != '/')
        refuseTarget("The request target must be a path that begins with '/'");
    RequestTarget target;
    const auto mark = raw.find('?');
    target.path = raw.substr(0, mark);
    if (mark != std::string_view::npos)
        target.query = raw.substr(mark + 1);
    target.query = target.query.substr(0, target.query.find('#'));
    auto rest = target.path.substr(1);
    for (;;) {
        const auto slash = rest.find('/');
        target.segments.push_back(decodeSegment(rest.substr(0, slash)));
        if (slash == std::string_view::npos)
            break;
        rest.remove_prefix(slash + 1);
    }
    return target;
}

namespace {

constexpr std::size_t MAX_LENGTH_DIGITS = 18;

[[noreturn]] void refuse(const char* message) {
    throw ApiError(ErrorKind::BadRequest, message);
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

Framing checkFraming(const Poco::Net::HTTPRequest& request) {
    if (request.getVersion() != "HTTP/1.1" && request.getVersion() != "HTTP/1.0")
        refuse("Only HTTP/1.1 and HTTP/1.0 are spoken here");
    Framing framing;
    bool isChunked = false;
    int hosts = 0;
    int credentials = 0;
    int idempotencyKeys = 0;
    for (const auto& [name, value] : request) {
        if (!isToken(name))
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
