#pragma once

#include "RequestRecord.h"

#include <supplierd/Database.h>
#include <supplierd/services/Jobs.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace supplierd::history {

/// How much is kept of each supplier. Half of requests and bytes is for errors, so that good requests never drive them
/// out.
struct RequestLimits {
    std::chrono::microseconds keep{};
    std::int64_t requests = 0;
    std::int64_t bytes = 0;
};

/// The table of requests. Thread: any.
class RequestStore {
public:
    /// Adds them, in statements of many rows each. Records whose id another server has taken meanwhile get another one.
    /// Throws DatabaseError, and ApiError when whether the last statement took effect is unknown; `records` loses what
    /// was added for sure.
    static void add(Database& database, std::vector<RequestRecord>& records);

    /// Removes what is beyond the limits of one supplier. `remove` runs each statement, which does a small piece, until
    /// one did nothing. What was removed.
    using Remove = std::function<std::int64_t(std::string_view sql, SqlParams params)>;
    static std::int64_t trim(Database& database, std::int64_t supplierId, const RequestLimits& limits,
                             const Remove& remove);
    /// Of all suppliers, one after the other.
    static std::int64_t trimAll(Database& database, JobRun& run, const RequestLimits& limits);
};

/// Of now.
std::int64_t microsecondsSince1970(std::chrono::system_clock::time_point time);

} // namespace supplierd::history
