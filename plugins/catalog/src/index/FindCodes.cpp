#include "FindCodes.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace supplierd::catalog {

namespace {

constexpr std::ptrdiff_t LANES = 16;
/// A vector of the compiler's, for any processor.
using Lanes = unsigned char __attribute__((vector_size(LANES)));

Lanes lanesAt(const char* text) {
    Lanes lanes;
    std::memcpy(&lanes, text, sizeof lanes);
    return lanes;
}

Lanes allOf(char value) {
    return Lanes{} + static_cast<unsigned char>(value);
}

} // namespace

const char* findCodes(const char* begin, const char* end, std::string_view codes) {
    const auto length = static_cast<std::ptrdiff_t>(codes.size());
    const Lanes first = allOf(codes.front());
    const Lanes last = allOf(codes.back());
    const char* at = begin;
    for (; end - at >= length - 1 + LANES; at += LANES) {
        const auto isBoth = (lanesAt(at) == first) & (lanesAt(at + length - 1) == last);
        const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(isBoth);
        if ((halves[0] | halves[1]) == 0)
            continue;
        for (std::ptrdiff_t half = 0; half < 2; ++half)
            for (std::uint64_t hits = halves[static_cast<std::size_t>(half)]; hits != 0;) {
                static_assert(std::endian::native == std::endian::little);
                const int lane = std::countr_zero(hits) / 8;
                const char* const place = at + half * 8 + lane;
                if (std::memcmp(place, codes.data(), codes.size()) == 0)
                    return place;
                hits &= ~(std::uint64_t{0xff} << lane * 8);
            }
    }
    return static_cast<const char*>(memmem(at, static_cast<std::size_t>(end - at), codes.data(), codes.size()));
}

} // namespace supplierd::catalog
