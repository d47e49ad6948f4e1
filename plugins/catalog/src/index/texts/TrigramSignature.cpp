#include "TrigramSignature.h"

#include "WeightAlphabet.h"

namespace supplierd::catalog {

namespace {

/// Calls use(hash) for each trigram.
template <class Use>
void forEachTrigram(std::string_view codes, Use use) {
    constexpr unsigned BYTES = 3;
    constexpr std::uint32_t MASK = 0xffffff;
    constexpr std::uint64_t FACTOR = 0x9e3779b97f4a7c15;
    std::uint32_t last = 0;
    unsigned length = 0;
    for (const char code : codes) {
        const auto byte = static_cast<unsigned char>(code);
        last = (last << 8 | byte) & MASK;
        length = byte <= WeightAlphabet::LAST_MARK ? 0 : length + 1;
        if (length >= BYTES)
            use(last * FACTOR);
    }
}

} // namespace

void TrigramSignature::add(RowNumber row, std::string_view texts) {
    const std::size_t word = row / GROUP / 64;
    const std::uint64_t bit = std::uint64_t{1} << row / GROUP % 64;
    forEachTrigram(texts, [&](std::uint64_t hash) {
        _slices[firstSlice(hash)][word] |= bit;
        _slices[secondSlice(hash)][word] |= bit;
    });
    ++_added;
}

TrigramSignature::Slice TrigramSignature::find(std::string_view codes) const {
    Slice groups{};
    groups.fill(~std::uint64_t{0});
    forEachTrigram(codes, [&](std::uint64_t hash) {
        const Slice& first = _slices[firstSlice(hash)];
        const Slice& second = _slices[secondSlice(hash)];
        for (std::size_t i = 0; i < groups.size(); ++i)
            groups[i] &= first[i] & second[i];
    });
    return groups;
}

} // namespace supplierd::catalog
