#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// Collation weights with a byte a character. What WEIGHT_STRING gives is a row of 16-bit weights; a unit is one of
/// them, or the two that stand for one character where the collation has none for it (Han, Hangul, emoji). Units get
/// codes in the order in which they are met: the first 190, more than most suppliers ever use, have one byte, later
/// ones up to five, whatever the script. So nothing is ever encoded again when an alphabet grows.
///
/// The bytes of codes are of three kinds: whole codes, first bytes, further bytes. One text is found in another by
/// comparing bytes, and a hit never begins or ends within a code.
///
/// Thread: const functions at the same time from any; the others alone.
class WeightAlphabet {
public:
    using Unit = std::uint32_t;
    using Units = std::vector<Unit>;
    /// The weight of a space. Comparing, the shorter of two texts is filled up with it.
    static constexpr Unit SPACE = 0x020a0000;
    /// No codes: bytes up to LAST_MARK end a text.
    static constexpr unsigned char END = 0;
    static constexpr unsigned char SEPARATOR = 1;
    static constexpr unsigned char LAST_MARK = 1;

    /// Appends the codes of a WEIGHT_STRING. Throws std::invalid_argument for an odd number of bytes.
    void encode(std::string_view weights, std::string& out);
    /// As encode(); false where a unit has no code, which means that no text has it.
    bool encodeKnown(std::string_view weights, std::string& out) const;
    static Units unitsOf(std::string_view weights);
    /// Back to the WEIGHT_STRING; `text` ends with a mark.
    std::string decode(const char* text) const;

    static constexpr std::uint32_t NO_NUMBER = ~0U;
    /// The number of the code at `text`, which is moved behind it; at a mark NO_NUMBER, and stays there.
    static std::uint32_t nextNumber(const char*& text);
    /// As the collation compares. Both end with a mark.
    int compare(const char* a, const char* b) const;
    int compare(const char* a, const Units& b) const;
    /// All units, each at the number of its code.
    const Units& units() const { return _units; }

    std::size_t bytes() const;

private:
    /// As nextNumber(); SPACE at a mark.
    Unit next(const char*& text) const;
    std::size_t slotOf(Unit unit) const;
    std::uint32_t numberFor(Unit unit);
    void grow();

    Units _units;
    /// Open addressing by unit: a code's number plus one, 0 where free.
    std::vector<std::uint32_t> _slots;
};

} // namespace supplierd::catalog
