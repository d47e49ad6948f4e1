#include "host/http/RequestId.h"

#include "host/auth/ApiKey.h"

#include <algorithm>
#include <random>

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

} // namespace supplierd::host
