#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace supplierd::host {

/// A key was used from this client address: when first and when last, since these notes were begun.
struct UsedKey {
    using Clock = std::chrono::steady_clock;

    std::int64_t keyId = 0;
    std::string address;
    Clock::time_point firstAt = Clock::now();
    Clock::time_point lastAt = firstAt;
};

/// Notes of uses of keys that are not written down yet: every address of a key once, in the order of first uses. Of one
/// key at most MAX_ADDRESSES are kept; a key that is used from more within a minute has told enough. Thread: one.
class KeyUses {
public:
    static constexpr std::size_t MAX_ADDRESSES = 32;

    void note(std::int64_t keyId, std::string_view address, UsedKey::Clock::time_point at);
    void note(const UsedKey& use);
    /// All notes, those of one key together.
    std::vector<UsedKey> take();

    /// Asks about every key and forgets it when the answer is true; `isSettled` may also drop single notes from the
    /// vector that it is given. When it throws, what was not settled stays.
    template <class IsSettled>
    void settle(const IsSettled& isSettled) {
        for (auto uses = _byKey.begin(); uses != _byKey.end();)
            uses = isSettled(uses->first, uses->second) ? _byKey.erase(uses) : std::next(uses);
    }

private:
    std::unordered_map<std::int64_t, std::vector<UsedKey>> _byKey;
};

} // namespace supplierd::host
