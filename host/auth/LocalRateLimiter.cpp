#include "host/auth/LocalRateLimiter.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

/// Two windows of a key that begin closer together are the same one: servers began it at once.
constexpr std::chrono::seconds SAME_WINDOW = RateLimiter::WINDOW / 2;
/// `resetAt` stays while it has not moved by more than rounding does.
constexpr std::int64_t ROUNDING = 1;
constexpr std::size_t MOST_ROWS = 1'000;

// A row of another id keeps its time and its id if it is the same window, or a later one that another server has begun.
// It is replaced if ours is later, or if it is of the future: the database's clock was set. A row of our id gets our
// time, which corrects it after a step of that clock. Assignments are made from left to right: the others see the new
// started_at.
constexpr std::string_view ADD_REQUESTS = R"sql(
INSERT INTO rate_limit_windows (key_id, window_id, started_at, used)
SELECT counted.key_id, counted.window_id, NOW(6) - INTERVAL counted.age MICROSECOND, counted.requests
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    key_id BIGINT PATH '$[0]', window_id BIGINT PATH '$[1]', age BIGINT PATH '$[2]', requests BIGINT PATH '$[3]'
)) AS counted
ON DUPLICATE KEY UPDATE
    started_at = IF(rate_limit_windows.window_id <> counted.window_id
                        AND rate_limit_windows.started_at BETWEEN VALUES(started_at) - INTERVAL 1800 SECOND
                                                              AND NOW(6) + INTERVAL 1800 SECOND,
                    rate_limit_windows.started_at, VALUES(started_at)),
    used = CASE
        WHEN rate_limit_windows.window_id = counted.window_id THEN rate_limit_windows.used + counted.requests
        WHEN rate_limit_windows.started_at = VALUES(started_at) THEN counted.requests
        WHEN rate_limit_windows.started_at > VALUES(started_at) + INTERVAL 1800 SECOND THEN rate_limit_windows.used
        ELSE rate_limit_windows.used + counted.requests
    END,
    window_id = IF(rate_limit_windows.started_at = VALUES(started_at), counted.window_id, rate_limit_windows.window_id)
)sql";

std::int64_t newWindowId() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    return std::uniform_int_distribution<std::int64_t>(1, std::numeric_limits<std::int64_t>::max())(random);
}

} // namespace

RateLimitMoment RateLimitMoment::now() {
    return {std::chrono::steady_clock::now(), static_cast<std::int64_t>(std::time(nullptr))};
}

LocalRateLimiter::Window LocalRateLimiter::begun(RateLimitMoment now) {
    return {.id = newWindowId(), .start = now.steady};
}

RateLimitState LocalRateLimiter::stateOf(Window& window, std::int64_t limit, RateLimitMoment now) {
    RateLimitState state;
    state.limit = limit;
    const auto left = std::chrono::ceil<std::chrono::seconds>(window.start + WINDOW - now.steady);
    state.secondsLeft = std::max<std::int64_t>(left.count(), 0);
    if (const auto resetAt = now.unixSeconds + state.secondsLeft; std::abs(resetAt - window.resetAt) > ROUNDING)
        window.resetAt = resetAt;
    state.resetAt = window.resetAt;
    state.remaining = std::max<std::int64_t>(limit - window.used, 0);
    state.allowed = state.remaining > 0;
    return state;
}

RateLimitState LocalRateLimiter::ask(std::int64_t id, std::int64_t limit, bool counts, bool isUnreported) {
    const auto now = _clock();
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[id];
    if (!window.runs(now.steady))
        window = begun(now);
    auto state = stateOf(window, limit, now);
    if (!counts || !state.allowed)
        return state;
    ++window.used;
    ++window.unsaved;
    window.unreported += isUnreported ? 1 : 0;
    --state.remaining;
    return state;
}

bool LocalRateLimiter::runs(std::int64_t id) {
    const auto now = _clock().steady;
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.windows.find(id);
    return found != shard.windows.end() && found->second.runs(now);
}

KnownCount LocalRateLimiter::known(std::int64_t id, bool reports) {
    const auto now = _clock().steady;
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.windows.find(id);
    if (found == shard.windows.end() || !found->second.runs(now))
        return {};
    auto& window = found->second;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(window.start + WINDOW - now);
    const auto used = window.used - window.unreported;
    return {used, reports ? std::exchange(window.unreported, 0) : 0, left};
}

RateLimitState LocalRateLimiter::record(std::int64_t id, std::int64_t limit, const SharedCount& answer, bool counts) {
    const auto now = _clock();
    const auto start = now.steady + answer.left - WINDOW;
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[id];
    if (!window.runs(now.steady) || std::chrono::abs(start - window.start) >= SAME_WINDOW)
        window = begun(now);
    window.start = start;
    window.used = std::max(window.used, answer.used);
    window.unsaved += counts && answer.allowed ? 1 : 0;
    auto state = stateOf(window, limit, now);
    state.allowed = answer.allowed;
    state.remaining = std::max<std::int64_t>(limit - answer.used, 0);
    return state;
}

void LocalRateLimiter::merge(std::int64_t id, const StoredRateLimitWindow& stored, bool onlyRaises) {
    const auto start = stored.readAt - std::max(stored.age, std::chrono::microseconds(0));
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[id];
    if (!window.runs(stored.readAt))
        window = {.start = start};
    else if (stored.readAt < _savedAt.load())
        return;
    if (window.id != stored.windowId) {
        const auto later = start - window.start;
        if (stored.age >= WINDOW || stored.age <= -SAME_WINDOW || later <= -SAME_WINDOW)
            return; // it is over, or of a clock that was set, or the window before ours
        if (later >= SAME_WINDOW)
            window = {}; // another server has begun the next one
        window.id = stored.windowId;
        window.start = start;
    }
    const auto used = stored.used + window.unsaved;
    window.used = onlyRaises ? std::max(used, window.used) : used;
}

/// Nothing of it is unreported then: the other servers read it in the database, and would report it too.
std::vector<LocalRateLimiter::Addition> LocalRateLimiter::takeUnsaved() {
    const auto now = _clock().steady;
    std::vector<Addition> additions;
    for (auto& shard : _shards) {
        const std::lock_guard lock(shard.mutex);
        std::erase_if(shard.windows, [now](const auto& entry) { return !entry.second.runs(now); });
        for (auto& [id, window] : shard.windows) {
            const auto requests = window.unsaved + _reserved;
            window.unsaved -= requests;
            window.unreported = 0;
            if (requests != 0)
                additions.push_back(
                    {id, window.id, std::chrono::ceil<std::chrono::microseconds>(now - window.start), requests});
        }
    }
    // In one order on all servers, which lock the rows in it.
    std::sort(additions.begin(), additions.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return additions;
}

void LocalRateLimiter::putBack(std::span<const Addition> additions) {
    for (const auto& addition : additions) {
        auto& shard = shardOf(addition.id);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.windows.find(addition.id);
        if (found != shard.windows.end() && found->second.id == addition.windowId)
            found->second.unsaved += addition.requests;
    }
}

std::string LocalRateLimiter::rowsOf(std::span<const Addition> additions) {
    std::string rows;
    JsonWriter json(rows);
    json.beginArray();
    for (const auto& addition : additions) {
        json.beginArray().value(addition.id).value(addition.windowId).value(std::int64_t{addition.age.count()});
        json.value(addition.requests).endArray();
    }
    json.endArray();
    return rows;
}

void LocalRateLimiter::save(Database& database) {
    _savedAt = Steady::time_point::max();
    const auto additions = takeUnsaved();
    std::span<const Addition> left = additions;
    try {
        while (!left.empty()) {
            const auto count = std::min(left.size(), MOST_ROWS);
            const auto rows = rowsOf(left.first(count));
            // A transaction takes effect once, even when its answer is lost.
            database.withTransaction([&](Transaction& transaction) { transaction.execute(ADD_REQUESTS, {rows}); });
            left = left.subspan(count);
        }
    } catch (...) {
        putBack(left);
        _savedAt = _clock().steady;
        throw;
    }
    _savedAt = _clock().steady;
}

} // namespace supplierd::host
