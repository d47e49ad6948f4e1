#include "DeliveryClock.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace supplierd::webhooks {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::string_view LOCK_CLOCK = R"sql(
SELECT TIMESTAMPDIFF(MICROSECOND, seen_at, NOW(6)) FROM webhooks_clock WHERE id = 1 FOR UPDATE
)sql";

constexpr std::string_view SET_ON_CLOCK = R"sql(
UPDATE webhooks_clock SET seen_at = NOW(6), ran_at = ran_at + INTERVAL ? MICROSECOND WHERE id = 1
)sql";

// Too early does no harm, so what was written since the clock was put back need not be told apart.
constexpr std::string_view PUT_QUEUES_BACK = R"sql(
UPDATE webhooks_queues
SET wake_at = wake_at + INTERVAL ? MICROSECOND, paused_until = paused_until + INTERVAL ? MICROSECOND,
    lease_until = LEAST(lease_until, NOW(6) + INTERVAL ? * 1000 MICROSECOND)
)sql";

} // namespace

milliseconds DeliveryClock::look(Transaction& transaction, milliseconds lease) {
    Rows& row = transaction.query(LOCK_CLOCK);
    if (!row.next())
        return {};
    const microseconds passed(row.integer(0));
    const auto step = std::clamp<microseconds>(passed, microseconds(0), LONGEST_STEP);
    transaction.execute(SET_ON_CLOCK, {std::int64_t{step.count()}});
    if (passed >= -TOLERANCE)
        return {};
    const std::int64_t back = passed.count();
    transaction.execute(PUT_QUEUES_BACK, {back, back, std::int64_t{lease.count()}});
    return std::chrono::duration_cast<milliseconds>(-passed);
}

} // namespace supplierd::webhooks
