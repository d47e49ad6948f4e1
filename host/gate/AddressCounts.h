#pragma once

#include "host/config/ClientNetwork.h"

#include <map>
#include <mutex>

namespace supplierd::host {

/// How many of something each client has. Thread: any.
class AddressCounts {
public:
    /// `limit`: 0 for none.
    explicit AddressCounts(int limit) : _limit(limit) {}

    /// One more; false when it has as many as it may.
    bool take(const ClientNetwork& client);
    void release(const ClientNetwork& client);

private:
    const int _limit;
    std::mutex _mutex;
    std::map<ClientNetwork, int> _counts;
};

} // namespace supplierd::host
