#include "UsageStore.h"

#include <algorithm>

namespace supplierd::dashboard {

namespace {

constexpr auto PAUSE = std::chrono::seconds(2);
constexpr std::size_t MAX_WAITING = 10'000; ///< hours of keys, while the database is away
constexpr int TOO_MANY_REQUESTS = 429;
constexpr std::array<std::int64_t, 7> LIMITS = {1'000, 3'000, 10'000, 30'000, 100'000, 300'000, 1'000'000};

constexpr std::string_view ADD_KEY_HOUR = R"sql(
INSERT INTO dashboard_key_hours (supplier_id, hour, key_id, requests, errors, refused, took_us)
VALUES (?, FROM_UNIXTIME(?), ?, ?, ?, ?, ?)
ON DUPLICATE KEY UPDATE requests = requests + VALUES(requests), errors = errors + VALUES(errors),
    refused = refused + VALUES(refused), took_us = took_us + VALUES(took_us)
)sql";

constexpr std::string_view ADD_MINUTE = R"sql(
INSERT INTO dashboard_minutes (minute, requests, client_errors, server_errors, took_us, under_1, under_3, under_10,
    under_30, under_100, under_300, under_1000, slower, in_progress, pool_in_use, pool_waiting)
VALUES (FROM_UNIXTIME(?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON DUPLICATE KEY UPDATE requests = requests + VALUES(requests), client_errors = client_errors + VALUES(client_errors),
    server_errors = server_errors + VALUES(server_errors), took_us = took_us + VALUES(took_us),
    under_1 = under_1 + VALUES(under_1), under_3 = under_3 + VALUES(under_3), under_10 = under_10 + VALUES(under_10),
    under_30 = under_30 + VALUES(under_30), under_100 = under_100 + VALUES(under_100),
    under_300 = under_300 + VALUES(under_300), under_1000 = under_1000 + VALUES(under_1000),
    slower = slower + VALUES(slower), in_progress = GREATEST(in_progress, VALUES(in_progress)),
    pool_in_use = GREATEST(pool_in_use, VALUES(pool_in_use)),
    pool_waiting = GREATEST(pool_waiting, VALUES(pool_waiting))
)sql";

constexpr std::string_view SELECT_HOURS = R"sql(
SELECT hour, key_id, requests, errors, refused, took_us FROM dashboard_key_hours
WHERE supplier_id = ? AND hour >= NOW() - INTERVAL ? DAY ORDER BY hour, key_id
)sql";

constexpr std::string_view SELECT_MINUTES = R"sql(
SELECT minute, requests, client_errors, server_errors, took_us, under_1, under_3, under_10, under_30, under_100,
    under_300, under_1000, slower, in_progress, pool_in_use, pool_waiting
FROM dashboard_minutes WHERE minute >= NOW() - INTERVAL ? HOUR ORDER BY minute
)sql";

constexpr std::string_view PURGE_HOURS = R"sql(
DELETE FROM dashboard_key_hours WHERE hour < NOW() - INTERVAL 60 DAY LIMIT 1000
)sql";

constexpr std::string_view PURGE_MINUTES = R"sql(
DELETE FROM dashboard_minutes WHERE minute < NOW() - INTERVAL 3 DAY LIMIT 1000
)sql";

std::int64_t beginOf(std::chrono::system_clock::time_point time, std::int64_t length) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
    return seconds - seconds % length;
}

constexpr std::int64_t MINUTE = 60;
constexpr std::int64_t HOUR = 3'600;

bool isError(int status) {
    return status >= 400;
}

} // namespace

void UsageStore::begin(ServerStatus* status) {
    _status = status;
    _thread = std::thread([this] { run(); });
}

void UsageStore::end() {
    {
        const std::lock_guard lock(_mutex);
        _ending = true;
    }
    _wake.notify_all();
    if (_thread.joinable())
        _thread.join();
}

void UsageStore::answered(std::span<const AnsweredRequest> requests) {
    const std::lock_guard lock(_mutex);
    for (const AnsweredRequest& request : requests) {
        const std::int64_t took = request.took.count();
        Minute& minute = _minutes[beginOf(request.answeredAt, MINUTE)];
        ++minute.requests;
        minute.clientErrors += isError(request.status) && request.status < 500 ? 1 : 0;
        minute.serverErrors += request.status >= 500 ? 1 : 0;
        minute.tookMicroseconds += took;
        const auto bucket = std::upper_bound(LIMITS.begin(), LIMITS.end(), took) - LIMITS.begin();
        ++minute.took.at(static_cast<std::size_t>(bucket));
        if (request.supplierId == 0 || request.keyId == 0 || _keyHours.size() > MAX_WAITING)
            continue;
        KeyHour& hour = _keyHours[{request.supplierId, beginOf(request.answeredAt, HOUR), request.keyId}];
        ++hour.requests;
        hour.errors += isError(request.status) && request.status != TOO_MANY_REQUESTS ? 1 : 0;
        hour.refused += request.status == TOO_MANY_REQUESTS ? 1 : 0;
        hour.tookMicroseconds += took;
    }
}

/// Quiet minutes have gauges too.
void UsageStore::sample() {
    if (!_status)
        return;
    const ServerLoad load = _status->load();
    const std::lock_guard lock(_mutex);
    Minute& minute = _minutes[beginOf(std::chrono::system_clock::now(), MINUTE)];
    minute.inProgress = std::max(minute.inProgress, load.requestsInProgress);
    minute.poolInUse = std::max(minute.poolInUse, load.poolInUse);
    minute.poolWaiting = std::max(minute.poolWaiting, load.poolWaiting);
}

void UsageStore::run() {
    for (bool ending = false; !ending;) {
        {
            std::unique_lock lock(_mutex);
            ending = _wake.wait_for(lock, PAUSE, [this] { return _ending; });
        }
        try {
            sample();
            write();
        } catch (const std::exception& failure) { // what suppliers are shown is kept, and tried again with the next
            _log.warning("usage was not written", {{"reason", std::string(failure.what())}});
        }
    }
}

void UsageStore::write() {
    KeyHours keyHours;
    Minutes minutes;
    {
        const std::lock_guard lock(_mutex);
        keyHours.swap(_keyHours);
        minutes.swap(_minutes);
    }
    if (keyHours.empty() && minutes.empty())
        return;
    try {
        _database.withTransaction([&](Transaction& transaction) {
            for (const auto& [place, hour] : keyHours)
                transaction.execute(ADD_KEY_HOUR, {std::get<0>(place), std::get<1>(place), std::get<2>(place),
                                                   hour.requests, hour.errors, hour.refused, hour.tookMicroseconds});
            for (const auto& [begin, minute] : minutes)
                transaction.execute(ADD_MINUTE,
                                    {begin, minute.requests, minute.clientErrors, minute.serverErrors,
                                     minute.tookMicroseconds, minute.took[0], minute.took[1], minute.took[2],
                                     minute.took[3], minute.took[4], minute.took[5], minute.took[6], minute.took[7],
                                     minute.inProgress, minute.poolInUse, minute.poolWaiting});
        });
    } catch (const std::exception&) {
        const std::lock_guard lock(_mutex);
        for (const auto& [place, hour] : keyHours) {
            KeyHour& kept = _keyHours[place];
            kept.requests += hour.requests;
            kept.errors += hour.errors;
            kept.refused += hour.refused;
            kept.tookMicroseconds += hour.tookMicroseconds;
        }
        throw;
    }
}

void UsageStore::writeHours(JsonWriter& json, Database& database, std::int64_t supplierId, std::int64_t days) {
    const std::size_t begin = json.buffer().size();
    database.withSession([&](SqlSession& session) {
        std::string array;
        JsonWriter hours(array);
        hours.beginArray();
        Rows& row = session.query(SELECT_HOURS, {supplierId, days});
        while (row.next())
            hours.beginObject()
                .field("hour", row.time(0))
                .field("key_id", row.integer(1))
                .field("requests", row.integer(2))
                .field("errors", row.integer(3))
                .field("refused", row.integer(4))
                .field("took_ms", row.integer(5) / 1'000)
                .endObject();
        hours.endArray();
        json.buffer().resize(begin); // a repeated read begins anew
        json.buffer() += "{\"hours\":" + array + "}";
    });
}

void UsageStore::writeMinutes(JsonWriter& json, Database& database, std::int64_t hours) {
    const std::size_t begin = json.buffer().size();
    database.withSession([&](SqlSession& session) {
        std::string array;
        JsonWriter minutes(array);
        minutes.beginArray();
        Rows& row = session.query(SELECT_MINUTES, {hours});
        while (row.next()) {
            minutes.beginObject().field("minute", row.time(0)).field("requests", row.integer(1));
            minutes.field("client_errors", row.integer(2)).field("server_errors", row.integer(3));
            minutes.field("took_ms", row.integer(4) / 1'000).key("took").beginArray();
            for (std::size_t column = 5; column < 5 + BUCKETS; ++column)
                minutes.value(row.integer(column));
            minutes.endArray().field("in_progress", row.integer(13)).field("pool_in_use", row.integer(14));
            minutes.field("pool_waiting", row.integer(15)).endObject();
        }
        minutes.endArray();
        json.buffer().resize(begin);
        json.buffer() += "{\"minutes\":" + array + "}";
    });
}

std::int64_t UsageStore::purge(Transaction& transaction) {
    return transaction.execute(PURGE_HOURS) + transaction.execute(PURGE_MINUTES);
}

} // namespace supplierd::dashboard
