#include "FindCodes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace supplierd::catalog {

namespace {

constexpr std::ptrdiff_t LANES = 16;
/// Vectors of the compiler's, for any processor.
using Lanes = unsigned char __attribute__((vector_size(LANES)));
using Halves = std::uint64_t __attribute__((vector_size(LANES)));

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
    const std::ptrdiff_t lastPlace = end - begin - (length - 1 + LANES);
    if (lastPlace < 0)
        return static_cast<const char*>(
            memmem(begin, static_cast<std::size_t>(end - begin), codes.data(), codes.size()));
    const Lanes first = allOf(codes.front());
    const Lanes last = allOf(codes.back());
    // The last sixteen places overlap those before them.
    for (std::ptrdiff_t at = 0;; at = std::min(at + LANES, lastPlace)) {
        const auto isBoth = (lanesAt(begin + at) == first) & (lanesAt(begin + at + length - 1) == last);
        const auto halves = std::bit_cast<Halves>(isBoth);
        if ((halves[0] | halves[1]) != 0)
            for (std::ptrdiff_t half = 0; half < 2; ++half)
                for (std::uint64_t hits = halves[half]; hits != 0;) {
                    static_assert(std::endian::native == std::endian::little);
                    const int lane = std::countr_zero(hits) / 8;
                    const char* const place = begin + at + half * 8 + lane;
                    if (std::memcmp(place, codes.data(), codes.size()) == 0)
                        return place;
                    hits &= ~(std::uint64_t{0xff} << lane * 8);
                }
        if (at == lastPlace)
            return nullptr;
    }
}

} // namespace supplierd::catalog
