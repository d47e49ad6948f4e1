#include "host/gate/AddressCounts.h"

namespace supplierd::host {

bool AddressCounts::take(const ClientNetwork& client) {
    if (_limit == 0)
        return true;
    const std::lock_guard lock(_mutex);
    auto& count = _counts[client];
    if (count >= _limit)
        return false;
    ++count;
    return true;
}

void AddressCounts::release(const ClientNetwork& client) {
    if (_limit == 0)
        return;
    const std::lock_guard lock(_mutex);
    const auto found = _counts.find(client);
    if (found != _counts.end() && --found->second <= 0)
        _counts.erase(found);
}

} // namespace supplierd::host
