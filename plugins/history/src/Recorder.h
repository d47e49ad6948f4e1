#pragma once

#include "RequestRecord.h"
#include "RequestStore.h"

#include <supplierd/Host.h>
#include <supplierd/RequestObserver.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

namespace supplierd::history {

/// What is recorded of a key in each minute, by each server: the first so many, 0 for none.
struct RecordingRates {
    std::int64_t errors = 0; ///< answered with 400 or more
    std::int64_t writes = 0; ///< all but GET and HEAD that went well
    std::int64_t reads = 0;
};

/// Keeps the requests of suppliers' keys: takes them from the host behind their answers, chooses which are recorded,
/// removes secrets, and writes them with a thread of its own, many at a time. While the database is slow or away they
/// wait within a bound, and what comes then is dropped. Thread: any.
class Recorder final : public RequestObserver {
public:
    struct Settings {
        RecordingRates rates;
        RequestLimits limits;
        std::size_t body = 0; ///< bytes that are kept of a request's, and of an error's
    };

    Recorder(Host& host, const Settings& settings);
    ~Recorder() { end(); }

    /// What it wants to be told.
    static ObserverOptions options(std::size_t body);

    /// Begins to write.
    void begin();
    /// Writes what is left, unless the database is away.
    void end();

    void answered(std::span<const AnsweredRequest> requests) override;
    /// The first of each kind of a key's in each minute: so many requests that go well cost next to nothing, and what
    /// somebody tries by hand is there.
    bool wants(const RequestSummary& facts) override;

    /// How many bytes of records may wait, and how many records.
    static constexpr std::size_t WAITING_BYTES = std::size_t{16} << 20;
    static constexpr std::size_t WAITING = 8'192;

private:
    /// What was recorded of a key in the minute.
    struct KeyMinute {
        std::int64_t minute = 0;
        std::array<std::int64_t, 3> recorded{};
    };
    /// Several, so that requests of many keys do not wait for each other.
    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::int64_t, KeyMinute> minutes; ///< by key
    };

    /// What was added of a supplier since his requests were trimmed.
    struct Added {
        std::int64_t requests = 0;
        std::int64_t bytes = 0;
    };

    RequestRecord recordOf(const AnsweredRequest& request) const;
    void run();
    void write(std::vector<RequestRecord>& batch);
    void noteAdded(std::span<const RequestRecord> batch);
    void trimFull();

    Database& _database;
    Logger& _log;
    const Settings _settings;
    Counter& _recorded;
    Counter& _skipped;
    Counter& _dropped;
    Counter& _removed;

    std::array<Shard, 16> _shards;
    std::unordered_map<std::int64_t, Added> _added; ///< by supplier; the writer's thread alone
    std::mutex _mutex;
    std::condition_variable _wake;
    std::vector<RequestRecord> _waiting;
    std::size_t _waitingBytes = 0;
    bool _isEnding = false;
    std::thread _thread;
};

} // namespace supplierd::history
