#include "host/http/RequestParsing.h"

#include "host/base/Random.h"
#include "host/gate/HeaderSyntax.h"

#include <supplierd/Errors.h>
#include <supplierd/PercentDecoding.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <array>
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

QueryParameters parseForm(std::string_view body, Details& problems) {
    constexpr std::ptrdiff_t MAX_PARAMETERS = 1'000;
    if (std::count(body.begin(), body.end(), '&') < MAX_PARAMETERS)
        return parseQuery(body, problems);
    problems.add("", "too_many", "A form may have " + std::to_string(MAX_PARAMETERS) + " parameters");
    return {};
}

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

} // namespace supplierd::host
