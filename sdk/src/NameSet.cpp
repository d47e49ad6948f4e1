#include "NameSet.h"

#include <bit>
#include <cstring>
#include <random>

namespace supplierd {

namespace {

constexpr std::size_t FIRST_SLOTS = 64;

struct Seed {
    std::uint64_t first;
    std::uint64_t second;
};

/// Of this process alone, so that nobody can choose names that fall together.
const Seed& seed() {
    static const Seed SEED = [] {
        std::random_device random;
        const auto number = [&random] { return std::uint64_t{random()} << 32U | random(); };
        return Seed{number(), number()};
    }();
    return SEED;
}

/// SipHash with one round a word and three at the end.
class SipHash {
public:
    explicit SipHash(const Seed& key)
        : _a(key.first ^ 0x736f6d6570736575U),
          _b(key.second ^ 0x646f72616e646f6dU),
          _c(key.first ^ 0x6c7967656e657261U),
          _d(key.second ^ 0x7465646279746573U) {}

    std::uint64_t of(std::string_view bytes) {
        std::uint64_t last = std::uint64_t{bytes.size()} << 56U;
        while (bytes.size() >= sizeof last) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), sizeof word);
            take(word);
            bytes.remove_prefix(sizeof word);
        }
        for (std::size_t i = 0; i < bytes.size(); ++i)
            last |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        take(last);
        _c ^= 0xffU;
        for (int i = 0; i < 3; ++i)
            round();
        return _a ^ _b ^ _c ^ _d;
    }

private:
    void take(std::uint64_t word) {
        _d ^= word;
        round();
        _a ^= word;
    }
    void round() {
        _a += _b;
        _b = std::rotl(_b, 13) ^ _a;
        _a = std::rotl(_a, 32);
        _c += _d;
        _d = std::rotl(_d, 16) ^ _c;
        _a += _d;
        _d = std::rotl(_d, 21) ^ _a;
        _c += _b;
        _b = std::rotl(_b, 17) ^ _c;
        _c = std::rotl(_c, 32);
    }

    std::uint64_t _a;
    std::uint64_t _b;
    std::uint64_t _c;
    std::uint64_t _d;
};

} // namespace

bool NameSet::insert(std::string_view name, std::uint32_t node, const Source& source) {
    if (_count + 1 > _slots.size() - _slots.size() / 8)
        grow(source);
    std::uint32_t& slot = _slots[find(name, source)];
    if (slot != 0)
        return false;
    slot = node + 1;
    ++_count;
    return true;
}

void NameSet::grow(const Source& source) {
    std::vector<std::uint32_t> before(_slots.empty() ? FIRST_SLOTS : _slots.size() * 2);
    before.swap(_slots);
    for (const std::uint32_t entry : before)
        if (entry != 0)
            _slots[find(source[entry - 1], source)] = entry;
}

std::size_t NameSet::find(std::string_view name, const Source& source) const {
    const std::size_t mask = _slots.size() - 1;
    std::size_t at = SipHash(seed()).of(name) & mask;
    while (_slots[at] != 0 && source[_slots[at] - 1] != name)
        at = (at + 1) & mask;
    return at;
}

} // namespace supplierd
