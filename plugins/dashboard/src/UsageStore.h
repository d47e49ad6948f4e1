#pragma once

#include <supplierd/Host.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/RequestObserver.h>
#include <supplierd/services/ServerStatus.h>

#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>

namespace supplierd::dashboard {

/// Counts answered requests for the charts: by key and hour, and all of them by minute. What was counted is added to
/// the database every few seconds, by each server, so that the numbers are those of all servers. Thread: any.
class UsageStore final : public RequestObserver {
public:
    UsageStore(Database& database, Logger& log) : _database(database), _log(log) {}
    ~UsageStore() { end(); }

    /// Begins to write. `status`, which may be null, outlives end().
    void begin(ServerStatus* status);
    /// Writes what is left.
    void end();

    void answered(std::span<const AnsweredRequest> requests) override;

    /// `{ hours: [{ hour, key_id, requests, errors, refused, took_ms }] }` of the last days, oldest first.
    static void writeHours(JsonWriter& json, Database& database, std::int64_t supplierId, std::int64_t days);
    /// `{ minutes: [...] }` of the last hours, oldest first.
    static void writeMinutes(JsonWriter& json, Database& database, std::int64_t hours);

    static std::int64_t purge(Transaction& transaction);

private:
    static constexpr std::size_t BUCKETS = 8;

    struct KeyHour {
        std::int64_t requests = 0;
        std::int64_t errors = 0;
        std::int64_t refused = 0;
        std::int64_t tookMicroseconds = 0;
    };
    struct Minute {
        std::int64_t requests = 0;
        std::int64_t clientErrors = 0;
        std::int64_t serverErrors = 0;
        std::int64_t tookMicroseconds = 0;
        std::array<std::int64_t, BUCKETS> took{};
        std::int64_t inProgress = 0;
        std::int64_t poolInUse = 0;
        std::int64_t poolWaiting = 0;
    };
    using KeyHours = std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, KeyHour>; ///< supplier, hour, key
    using Minutes = std::map<std::int64_t, Minute>;

    void run();
    void sample();
    void write();

    Database& _database;
    Logger& _log;
    ServerStatus* _status = nullptr;
    std::mutex _mutex;
    std::condition_variable _wake;
    bool _ending = false;
    KeyHours _keyHours;
    Minutes _minutes;
    std::thread _thread;
};

} // namespace supplierd::dashboard
