#pragma once

#include "host/config/Settings.h"

#include <chrono>
#include <string>

namespace supplierd::host {

/// What an operator wants to know of a Redis before it is relied on.
struct RedisProbe {
    std::string failure; ///< why it cannot be used; empty: it can
    std::string version; ///< as far as it says it
    std::chrono::microseconds answeredIn{0};
};

/// Signs in and tries all that a server needs: a script and a key. Leaves nothing behind.
RedisProbe probeRedis(const RedisSettings& settings, std::chrono::milliseconds limit);

} // namespace supplierd::host
