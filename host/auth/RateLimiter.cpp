#include "host/auth/RateLimiter.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

constexpr std::size_t MOST_READ = 1'000;

constexpr std::string_view READ_WINDOWS = R"sql(
SELECT STRAIGHT_JOIN w.key_id, w.window_id, TIMESTAMPDIFF(MICROSECOND, w.started_at, NOW(6)), w.used
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) AS wanted
JOIN rate_limit_windows w FORCE INDEX (PRIMARY) ON w.key_id = wanted.id
)sql";

} // namespace

RateLimitState RateLimiter::count(std::int64_t keyId, std::int64_t limit, const SupplierLimit& supplier) {
    if (supplier.limit == 0)
        return ask(keyId, limit, true);
    const auto id = windowOfSupplier(supplier.supplierId);
    if (const auto all = ask(id, supplier.limit, false); !all.allowed)
        return all;
    const auto own = ask(keyId, limit, true);
    if (!own.allowed)
        return own;
    const auto all = ask(id, supplier.limit, true);
    return !all.allowed || all.remaining < own.remaining ? all : own;
}

void RateLimiter::learn(Database& database, std::int64_t keyId, const SupplierLimit& supplier) {
    std::vector<std::int64_t> unknown;
    const auto note = [&](std::int64_t id) {
        if (_asked.contains(id))
            return;
        if (runs(id))
            _asked.insert(id);
        else
            unknown.push_back(id);
    };
    {
        const std::lock_guard lock(_mutex);
        note(keyId);
        if (supplier.limit != 0)
            note(windowOfSupplier(supplier.supplierId));
    }
    if (unknown.empty())
        return;
    read(database, unknown);
    const std::lock_guard lock(_mutex);
    _asked.insert(unknown.begin(), unknown.end());
}

void RateLimiter::refresh(Database& database) {
    std::unordered_set<std::int64_t> asked;
    {
        const std::lock_guard lock(_mutex);
        std::swap(asked, _asked);
    }
    read(database, std::vector(asked.begin(), asked.end()));
}

void RateLimiter::read(Database& database, std::span<const std::int64_t> ids) {
    for (; !ids.empty(); ids = ids.subspan(std::min(ids.size(), MOST_READ)))
        database.withSession([&](SqlSession& session) {
            const auto readAt = std::chrono::steady_clock::now();
            auto& rows = session.query(READ_WINDOWS, {jsonArray(ids.first(std::min(ids.size(), MOST_READ)))});
            while (rows.next())
                merge(rows.integer(0),
                      {rows.integer(1), std::chrono::microseconds(rows.integer(2)), rows.integer(3), readAt});
        });
}

} // namespace supplierd::host
