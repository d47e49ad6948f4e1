#include "host/auth/RateLimiter.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

/// Servers begin and end windows a little apart. What differs by less than a window but this is the same one.
constexpr std::chrono::seconds APART = RateLimiter::WINDOW - std::chrono::seconds(10);
/// The time of a reset is told as before while it has not moved by more than rounding does.
constexpr std::int64_t ROUNDING = 1;

std::int64_t newWindowId() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    return std::uniform_int_distribution<std::int64_t>(1, std::numeric_limits<std::int64_t>::max())(random);
}

std::int64_t secondsUntil(std::chrono::steady_clock::time_point end, std::chrono::steady_clock::time_point now) {
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(end - now).count(), 0);
}

} // namespace

RateLimitMoment RateLimitMoment::now() {
    return {std::chrono::steady_clock::now(), static_cast<std::int64_t>(std::time(nullptr))};
}

RateLimiter::Window RateLimiter::begun(RateLimitMoment now) {
    Window window;
    window.id = newWindowId();
    window.start = now.steady;
    return window;
}

RateLimitState RateLimiter::stateOf(Window& window, RateLimitMoment now) {
    RateLimitState state;
    state.limit = window.limit;
    state.secondsLeft = secondsUntil(window.start + WINDOW, now.steady);
    if (const auto resetAt = now.unixSeconds + state.secondsLeft; std::abs(resetAt - window.resetAt) > ROUNDING)
        window.resetAt = resetAt;
    state.resetAt = window.resetAt;
    state.remaining = std::max<std::int64_t>(window.limit - window.used(), 0) + window.reserved;
    state.allowed = state.remaining > 0;
    return state;
}

RateLimitState RateLimiter::count(std::int64_t keyId, std::int64_t limit, RateLimitMoment now) {
    bool mayBeTold = true;
    if (_shared)
        if (const auto state = askShared(keyId, limit, true, now, mayBeTold))
            return *state;
    return countHere(keyId, limit, now, mayBeTold);
}

RateLimitState RateLimiter::count(std::int64_t keyId, std::int64_t limit, const SupplierLimit& supplier,
                                  RateLimitMoment now) {
    if (supplier.limit == 0)
        return count(keyId, limit, now);
    const auto id = windowOfSupplier(supplier.supplierId);
    if (const auto all = lookHere(id, supplier.limit, now); !all.allowed)
        return all;
    const auto own = count(keyId, limit, now);
    if (!own.allowed)
        return own;
    const auto all = countHere(id, supplier.limit, now, true);
    return !all.allowed || all.remaining < own.remaining ? all : own;
}

RateLimitState RateLimiter::countHere(std::int64_t id, std::int64_t limit, RateLimitMoment now, bool mayBeTold) {
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[id];
    if (!window.runs(now.steady))
        window = begun(now);
    window.limit = limit;
    auto state = stateOf(window, now);
    if (!state.allowed)
        return state;
    if (window.reserved > 0) {
        --window.reserved;
    } else {
        ++window.unsaved;
        ++(mayBeTold ? window.shared : window.untold);
    }
    --state.remaining;
    return state;
}

/// Nothing when they cannot be asked. What is asked for is taken out of the window meanwhile, so that nobody else tells
/// of it too.
std::optional<RateLimitState> RateLimiter::askShared(std::int64_t keyId, std::int64_t limit, bool counts,
                                                     RateLimitMoment now, bool& mayBeTold) {
    using std::chrono::milliseconds;
    SharedCountRequest request{"key:" + std::to_string(keyId), limit, WINDOW, counts, milliseconds(0), 0, 0, 0};
    auto& shard = shardOf(keyId);
    std::int64_t windowId = 0;
    {
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.windows.find(keyId);
        if (found != shard.windows.end() && found->second.runs(now.steady)) {
            auto& window = found->second;
            windowId = window.id;
            request.knownLeft = std::chrono::ceil<milliseconds>(window.start + WINDOW - now.steady);
            request.knownUsed = window.shared + window.untold > 0 ? window.shared + window.untold : window.used();
            request.leastUsed = window.shared;
            request.uncounted = std::exchange(window.untold, 0);
            window.shared += request.uncounted;
        }
    }
    const auto count = _shared->count(request);
    mayBeTold = count.outcome != SharedCount::Outcome::NotAsked;
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[keyId];
    if (count.outcome == SharedCount::Outcome::Answered) {
        window.limit = limit;
        return noteShared(window, count, counts, now);
    }
    // What may be counted there already must not be told of again.
    if (!mayBeTold && window.id == windowId && window.runs(now.steady)) {
        window.shared -= request.uncounted;
        window.untold += request.uncounted;
    }
    return std::nullopt;
}

RateLimitState RateLimiter::noteShared(Window& window, const SharedCount& count, bool counts, RateLimitMoment now) {
    const auto start = now.steady + count.left - WINDOW;
    const auto limit = window.limit;
    if (!counts && count.used == 0) { // none has begun
        auto none = begun(now);
        none.limit = limit;
        return stateOf(none, now);
    }
    if (!window.runs(now.steady) || std::chrono::abs(start - window.start) >= APART)
        window = begun(now);
    window.limit = limit;
    window.start = start;
    window.shared = std::max(window.shared, count.used);
    auto state = stateOf(window, now);
    state.allowed = count.allowed;
    state.remaining = std::max<std::int64_t>(limit - count.used, 0);
    if (counts && count.allowed)
        ++window.unsaved;
    return state;
}

RateLimitState RateLimiter::look(std::int64_t keyId, std::int64_t limit, RateLimitMoment now) {
    bool mayBeTold = false;
    if (_shared)
        if (const auto state = askShared(keyId, limit, false, now, mayBeTold))
            return *state;
    return lookHere(keyId, limit, now);
}

RateLimitState RateLimiter::lookHere(std::int64_t id, std::int64_t limit, RateLimitMoment now) {
    auto& shard = shardOf(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.windows.find(id);
    auto window = found != shard.windows.end() && found->second.runs(now.steady) ? found->second : begun(now);
    window.limit = limit;
    return stateOf(window, now);
}

void RateLimiter::learn(std::int64_t keyId, const StoredRateLimitWindow& stored, const Reading& reading) {
    if (stored.age >= WINDOW)
        return;
    auto& shard = shardOf(keyId);
    const std::lock_guard lock(shard.mutex);
    auto& window = shard.windows[keyId];
    if (!window.runs(reading.begunAt.steady)) {
        window = {};
        adopt(window, stored, reading);
        return;
    }
    // What was read before a saving ended may hold what that saved, or may not.
    if (reading.savings % 2 != 0 || reading.savings != _savings || reading.begunAt.steady < window.readAt)
        return;
    if (window.id == stored.windowId) {
        window.saved = stored.used;
        window.readAt = reading.begunAt.steady;
        return;
    }
    const auto storedStart = reading.begunAt.steady - stored.age;
    if (window.start - storedStart >= APART) // the one before
        return;
    if (storedStart - window.start >= APART) // the next one: another server's clock is ahead of ours
        window = {};
    adopt(window, stored, reading);
}

/// What is not saved yet stays: two servers have begun the same window.
void RateLimiter::adopt(Window& window, const StoredRateLimitWindow& stored, const Reading& reading) {
    window.id = stored.windowId;
    window.start = reading.begunAt.steady - std::max(stored.age, std::chrono::microseconds(0));
    window.readAt = reading.begunAt.steady;
    window.saved = stored.used;
}

template <class Action>
void RateLimiter::forEach(const Action& action) {
    for (auto& shard : _shards) {
        const std::lock_guard lock(shard.mutex);
        for (auto& [keyId, window] : shard.windows)
            action(keyId, window);
    }
}

std::vector<RateLimitUse> RateLimiter::beginSaving(RateLimitMoment now) {
    ++_savings;
    std::vector<RateLimitUse> uses;
    forEach([&](std::int64_t keyId, Window& window) {
        if (window.unsaved == 0 || !window.runs(now.steady))
            return;
        window.saving = window.unsaved;
        window.unsaved = 0;
        const auto age = std::chrono::duration_cast<std::chrono::microseconds>(now.steady - window.start);
        uses.push_back({keyId, window.id, age, window.saving, window.counted()});
    });
    // In one order on all servers, which lock the rows in it.
    std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.keyId < b.keyId; });
    return uses;
}

void RateLimiter::endSaving(const std::vector<RateLimitUse>& uses, std::size_t saved) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
        auto& shard = shardOf(uses[i].keyId);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.windows.find(uses[i].keyId);
        if (found == shard.windows.end() || found->second.id != uses[i].windowId)
            continue; // the next window has begun
        auto& window = found->second;
        (i < saved ? window.saved : window.unsaved) += window.saving;
        window.saving = 0;
    }
    ++_savings;
}

void RateLimiter::reserve(std::int64_t requests) {
    if (_shared && _shared->isAvailable())
        return;
    forEach([&](std::int64_t, Window& window) {
        window.reserved = std::clamp<std::int64_t>(window.limit - window.used(), 0, requests);
        window.unsaved += window.reserved;
    });
}

void RateLimiter::returnReserved() {
    forEach([](std::int64_t, Window& window) {
        window.unsaved -= window.reserved;
        window.reserved = 0;
    });
}

void RateLimiter::forgetEnded(RateLimitMoment now) {
    for (auto& shard : _shards) {
        const std::lock_guard lock(shard.mutex);
        std::erase_if(shard.windows, [now](const auto& entry) { return !entry.second.runs(now.steady); });
    }
}

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
