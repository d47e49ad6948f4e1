#include "WeightAlphabet.h"

#include <array>
#include <stdexcept>

namespace supplierd::catalog {

namespace {

constexpr unsigned WEIGHT_BITS = 16;
/// From here on two weights stand for one character.
constexpr std::uint32_t FIRST_IMPLICIT = 0xfb40;

constexpr unsigned BITS_PER_TRAIL = 5;
constexpr unsigned char FIRST_TRAIL = 0xe0;

/// Codes that begin with one of `leads` bytes and have so many further ones.
struct CodeRange {
    unsigned char firstLead;
    std::uint32_t leads;
    unsigned trails;

    constexpr std::uint32_t codes() const { return leads << (BITS_PER_TRAIL * trails); }
};

// Room for more units than there are characters in Unicode.
constexpr std::array<CodeRange, 5> RANGES{{{0x02, 190, 0}, {0xc0, 16, 1}, {0xd0, 8, 2}, {0xd8, 7, 3}, {0xdf, 1, 4}}};

unsigned char byteAt(const char* text) {
    return static_cast<unsigned char>(*text);
}

bool isMark(const char* text) {
    return byteAt(text) <= WeightAlphabet::LAST_MARK;
}

void appendCode(std::uint32_t number, std::string& out) {
    for (const CodeRange& range : RANGES) {
        if (number >= range.codes()) {
            number -= range.codes();
            continue;
        }
        unsigned bits = BITS_PER_TRAIL * range.trails;
        out += static_cast<char>(range.firstLead + (number >> bits));
        while (bits > 0) {
            bits -= BITS_PER_TRAIL;
            out += static_cast<char>(FIRST_TRAIL | ((number >> bits) & (0xffU - FIRST_TRAIL)));
        }
        return;
    }
    throw std::length_error("more units of collation weights than Unicode has characters");
}

std::uint32_t numberAt(const char*& text) {
    const unsigned char lead = byteAt(text++);
    std::uint32_t before = 0;
    for (const CodeRange& range : RANGES) {
        if (lead >= range.firstLead + range.leads) {
            before += range.codes();
            continue;
        }
        auto number = static_cast<std::uint32_t>(lead - range.firstLead);
        for (unsigned i = 0; i < range.trails; ++i)
            number = number << BITS_PER_TRAIL | (byteAt(text++) - FIRST_TRAIL);
        return before + number;
    }
    throw std::logic_error("no code begins with a further byte");
}

/// Calls use(unit) for each until it says false. Returns whether it never did.
template <class Use>
bool forEachUnit(std::string_view weights, Use use) {
    if (weights.size() % 2 != 0)
        throw std::invalid_argument("a WEIGHT_STRING of utf8mb4_unicode_520_ci has two bytes a weight");
    const auto weightAt = [weights](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(weights[i])) << 8 |
               static_cast<unsigned char>(weights[i + 1]);
    };
    for (std::size_t i = 0; i < weights.size(); i += 2) {
        WeightAlphabet::Unit unit = weightAt(i) << WEIGHT_BITS;
        if (weightAt(i) >= FIRST_IMPLICIT && i + 2 < weights.size()) {
            i += 2;
            unit |= weightAt(i);
        }
        if (!use(unit))
            return false;
    }
    return true;
}

int order(WeightAlphabet::Unit a, WeightAlphabet::Unit b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

} // namespace

void WeightAlphabet::encode(std::string_view weights, std::string& out) {
    forEachUnit(weights, [&](Unit unit) {
        appendCode(numberFor(unit), out);
        return true;
    });
}

bool WeightAlphabet::encodeKnown(std::string_view weights, std::string& out) const {
    return forEachUnit(weights, [&](Unit unit) {
        const std::uint32_t number = _slots.empty() ? 0 : _slots[slotOf(unit)];
        if (number > 0)
            appendCode(number - 1, out);
        return number > 0;
    });
}

WeightAlphabet::Units WeightAlphabet::unitsOf(std::string_view weights) {
    Units units;
    forEachUnit(weights, [&](Unit unit) {
        units.push_back(unit);
        return true;
    });
    return units;
}

std::string WeightAlphabet::decode(const char* text) const {
    std::string weights;
    const auto append = [&weights](std::uint32_t weight) {
        weights += static_cast<char>(weight >> 8);
        weights += static_cast<char>(weight & 0xff);
    };
    while (!isMark(text)) {
        const Unit unit = next(text);
        append(unit >> WEIGHT_BITS);
        if (unit >> WEIGHT_BITS >= FIRST_IMPLICIT)
            append(unit & 0xffff);
    }
    return weights;
}

std::uint32_t WeightAlphabet::nextNumber(const char*& text) {
    const unsigned char first = byteAt(text);
    if (first <= LAST_MARK)
        return NO_NUMBER;
    if (first >= RANGES[1].firstLead)
        return numberAt(text);
    ++text;
    return static_cast<std::uint32_t>(first - RANGES[0].firstLead);
}

WeightAlphabet::Unit WeightAlphabet::next(const char*& text) const {
    const std::uint32_t number = nextNumber(text);
    return number == NO_NUMBER ? SPACE : _units[number];
}

int WeightAlphabet::compare(const char* a, const char* b) const {
    while (byteAt(a) == byteAt(b) && !isMark(a)) {
        ++a;
        ++b;
    }
    while (byteAt(a) >= FIRST_TRAIL) {
        --a;
        --b;
    }
    while (!isMark(a) || !isMark(b))
        if (const int result = order(next(a), next(b)); result != 0)
            return result;
    return 0;
}

int WeightAlphabet::compare(const char* a, const Units& b) const {
    for (std::size_t i = 0; i < b.size() || !isMark(a); ++i)
        if (const int result = order(next(a), i < b.size() ? b[i] : SPACE); result != 0)
            return result;
    return 0;
}

std::size_t WeightAlphabet::bytes() const {
    return _units.capacity() * sizeof(Unit) + _slots.capacity() * sizeof(std::uint32_t);
}

/// Where the unit is, or would be.
std::size_t WeightAlphabet::slotOf(Unit unit) const {
    const std::size_t mask = _slots.size() - 1;
    std::size_t slot = (unit * 0x9e3779b97f4a7c15ULL >> 32) & mask;
    while (_slots[slot] != 0 && _units[_slots[slot] - 1] != unit)
        slot = (slot + 1) & mask;
    return slot;
}

std::uint32_t WeightAlphabet::numberFor(Unit unit) {
    if (_units.size() * 2 >= _slots.size())
        grow();
    const std::size_t slot = slotOf(unit);
    if (_slots[slot] == 0) {
        _units.push_back(unit);
        _slots[slot] = static_cast<std::uint32_t>(_units.size());
    }
    return _slots[slot] - 1;
}

void WeightAlphabet::grow() {
    constexpr std::size_t FIRST_SIZE = 128;
    _slots.assign(_slots.empty() ? FIRST_SIZE : _slots.size() * 2, 0);
    for (std::size_t i = 0; i < _units.size(); ++i)
        _slots[slotOf(_units[i])] = static_cast<std::uint32_t>(i + 1);
}

} // namespace supplierd::catalog
