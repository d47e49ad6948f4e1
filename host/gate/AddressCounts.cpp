#include "host/gate/AddressCounts.h"

#include "host/config/AddressRange.h"

#include <algorithm>
#include <cstring>

namespace supplierd::host {

AddressCounts::Key AddressCounts::keyOf(const Poco::Net::IPAddress& address) {
    const auto plain = withoutMapping(address);
    Key key{};
    key.front() = plain.family() == Poco::Net::IPAddress::IPv6 ? 6 : 4;
    std::memcpy(key.data() + 1, plain.addr(), std::min<std::size_t>(plain.length(), key.size() - 1));
    return key;
}

bool AddressCounts::take(const Key& key) {
    if (_limit == 0)
        return true;
    const std::lock_guard lock(_mutex);
    auto& count = _counts[key];
    if (count >= _limit)
        return false;
    ++count;
    return true;
}

void AddressCounts::release(const Key& key) {
    if (_limit == 0)
        return;
    const std::lock_guard lock(_mutex);
    const auto found = _counts.find(key);
    if (found != _counts.end() && --found->second <= 0)
        _counts.erase(found);
}

} // namespace supplierd::host
