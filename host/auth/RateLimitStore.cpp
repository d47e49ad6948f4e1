#include "host/auth/RateLimitStore.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

namespace {

// Our window is the row's, or the row's is over and ours the next one, or the row has the next one already and ours is
// over, or two servers began the same window with ids of their own: then the row's is kept. A row's time is set anew
// with each use of its window, so that a step of the database's clock is mended by the next one. Assignments are made
// from left to right; the last one sees the new started_at.
constexpr std::string_view ADD_USES = R"sql(
INSERT INTO rate_limit_windows (key_id, window_id, started_at, used)
SELECT counted.key_id, counted.window_id, NOW(6) - INTERVAL counted.age MICROSECOND, counted.used
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    key_id BIGINT PATH '$[0]', window_id BIGINT PATH '$[1]', age BIGINT PATH '$[2]',
    added BIGINT PATH '$[3]', used BIGINT PATH '$[4]')) AS counted
ON DUPLICATE KEY UPDATE
    used = CASE
        WHEN rate_limit_windows.window_id = counted.window_id THEN rate_limit_windows.used + counted.added
        WHEN VALUES(started_at) >= rate_limit_windows.started_at + INTERVAL 3590 SECOND THEN counted.used
        WHEN rate_limit_windows.started_at >= VALUES(started_at) + INTERVAL 3590 SECOND THEN rate_limit_windows.used
        ELSE rate_limit_windows.used + counted.added
    END,
    started_at = IF(rate_limit_windows.window_id = counted.window_id
                        OR VALUES(started_at) >= rate_limit_windows.started_at + INTERVAL 3590 SECOND,
                    VALUES(started_at), rate_limit_windows.started_at),
    window_id = IF(rate_limit_windows.started_at = VALUES(started_at), counted.window_id, rate_limit_windows.window_id)
)sql";

constexpr std::size_t MOST_AT_ONCE = 1'000;

/// Tells the limiter how a saving ended, also when it throws.
class Saving {
public:
    explicit Saving(RateLimiter& limiter) : _limiter(limiter), _uses(limiter.beginSaving()) {}
    ~Saving() { _limiter.endSaving(_uses, _saved); }
    Saving(const Saving&) = delete;
    Saving& operator=(const Saving&) = delete;

    const std::vector<RateLimitUse>& uses() const { return _uses; }
    std::size_t done() const { return _saved; }
    void saved(std::size_t count) { _saved += count; }

private:
    RateLimiter& _limiter;
    const std::vector<RateLimitUse> _uses;
    std::size_t _saved = 0;
};

std::string rowsOf(const std::vector<RateLimitUse>& uses, std::size_t first, std::size_t end) {
    std::string rows;
    JsonWriter json(rows);
    json.beginArray();
    for (std::size_t i = first; i < end; ++i) {
        const auto& use = uses[i];
        json.beginArray().value(use.keyId).value(use.windowId).value(std::int64_t{use.age.count()});
        json.value(use.added).value(use.used).endArray();
    }
    json.endArray();
    return rows;
}

} // namespace

void RateLimitStore::save() {
    Saving saving(_limiter);
    while (saving.done() < saving.uses().size()) {
        const auto end = std::min(saving.done() + MOST_AT_ONCE, saving.uses().size());
        const auto rows = rowsOf(saving.uses(), saving.done(), end);
        // A transaction takes effect once, even when its answer is lost.
        _database.withTransaction([&](Transaction& transaction) { transaction.execute(ADD_USES, {rows}); });
        saving.saved(end - saving.done());
    }
}

} // namespace supplierd::host
