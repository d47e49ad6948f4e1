#pragma once

#include "Message.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::webhooks {

using Clock = std::chrono::steady_clock;

/// A message to one endpoint.
struct Delivery {
    std::int64_t id = 0;
    Message message;
    /// Of a full one that was sent before, as long as the database has it not.
    std::optional<std::string> body;
    /// The database has it: whoever sends it reads it there. All of them would be hundreds of megabytes.
    bool hasStoredBody = false;
    std::int64_t attempts = 0;
    Clock::time_point due;
    Clock::time_point expires;
};

} // namespace supplierd::webhooks
