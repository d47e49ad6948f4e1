#pragma once

#include "host/config/Settings.h"
#include "host/db/PooledDatabase.h"
#include "host/db/schema/Migrator.h"
#include "host/http/AdminListener.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::host {

/// Asks the database whether it answers and has the schema that this program needs, on a thread and a session of its
/// own: whoever wants to know waits ANSWER_LIMIT at most, however the database hangs. Thread: any.
class ReadinessProbe {
public:
    static constexpr std::chrono::milliseconds ANSWER_LIMIT{2'000};

    /// `nodes` may be null.
    ReadinessProbe(const DatabaseSettings& database, std::vector<MigrationSet> migrations,
                   std::shared_ptr<DatabaseNodes> nodes = {});

    /// "database", and "schema" when the database answers: each "" or what is wrong.
    Readiness ask();
    /// This plugin is not served, so its tables keep nothing from being ready.
    void leaveOut(const std::string& plugin);

private:
    void run(const std::stop_token& stop);
    Readiness probe();
    std::string schemaProblem();

    const std::shared_ptr<DatabaseNodes> _nodes; ///< null: the database has one
    SessionPool _pool;
    PooledDatabase _database;
    Migrator _migrator;
    SchemaStatus _schema;
    std::chrono::steady_clock::time_point _schemaCheckedAt{};

    std::mutex _mutex;
    std::condition_variable_any _wake;
    bool _isAsked = false;
    bool _isProbing = false;
    std::set<std::string> _leftOut;
    std::uint64_t _finished = 0;
    Readiness _latest;
    std::jthread _thread; ///< last: it uses all of the above; a probe that is on its way is waited for
};

} // namespace supplierd::host
