#include "host/auth/KeyUses.h"

#include <algorithm>
#include <utility>

namespace supplierd::host {

void KeyUses::note(std::int64_t keyId, std::string_view address, UsedKey::Clock::time_point at) {
    auto& uses = _byKey[keyId];
    const auto known = std::find_if(uses.begin(), uses.end(), [&](const auto& use) { return use.address == address; });
    if (known != uses.end())
        known->lastAt = std::max(known->lastAt, at);
    else if (uses.size() < MAX_ADDRESSES)
        uses.push_back({keyId, std::string(address), at, at});
}

void KeyUses::note(const UsedKey& use) {
    note(use.keyId, use.address, use.firstAt);
    note(use.keyId, use.address, use.lastAt);
}

std::vector<UsedKey> KeyUses::take() {
    std::vector<UsedKey> all;
    for (auto& [keyId, uses] : std::exchange(_byKey, {}))
        std::move(uses.begin(), uses.end(), std::back_inserter(all));
    return all;
}

} // namespace supplierd::host
