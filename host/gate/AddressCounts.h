#pragma once

#include <Poco/Net/IPAddress.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>

namespace supplierd::host {

/// How many of something each client address has. An IPv6 address counts as its /64, which is what a client gets.
/// Thread: any.
class AddressCounts {
public:
    using Key = std::array<unsigned char, 9>; ///< a family and an address, or a network

    /// `limit`: 0 for none.
    explicit AddressCounts(int limit) : _limit(limit) {}

    static Key keyOf(const Poco::Net::IPAddress& address);
    /// One more; false when it has as many as it may.
    bool take(const Key& key);
    void release(const Key& key);

private:
    const int _limit;
    std::mutex _mutex;
    std::map<Key, int> _counts;
};

} // namespace supplierd::host
