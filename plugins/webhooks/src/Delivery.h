#pragma once

#include "Message.h"

#include <chrono>
#include <cstdint>

namespace supplierd::webhooks {

using Clock = std::chrono::steady_clock;

/// A message to one endpoint.
struct Delivery {
    std::int64_t id = 0;
    Message message;
    /// The database has the body: whoever sends it reads it there. All of them would be hundreds of megabytes.
    bool hasStoredBody = false;
    std::int64_t attempts = 0;
    Clock::time_point due;
    Clock::time_point expires;
};

} // namespace supplierd::webhooks
