#pragma once

#include "host/config/Settings.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>

#include <mutex>
#include <string>
#include <vector>

namespace supplierd::host {

/// A server that runs on this database, as the others see it.
struct PresentServer {
    std::string id;
    std::string name; ///< "node:process"
    std::string version;
    std::string redis; ///< where it counts rate limits; empty: by itself
    std::string startedAt;
};

/// This server's row among the servers of the database. The log says when there are others, and this one and they do
/// not count rate limits together. Thread: any; all times are by the database's clock.
class ServerPresence {
public:
    /// All must outlive it.
    ServerPresence(Database& database, const RedisSettings& redis, Logger& log);

    /// To be called every ten seconds or so. Throws DatabaseError, ApiError; as withdraw().
    void renew();
    /// The row goes, and does not come back.
    void withdraw();

    /// Those that were seen within the last half minute, by name.
    static std::vector<PresentServer> list(SqlSession& session);

private:
    void look();

    Database& _database;
    const std::string _redis;
    Logger& _log;
    const std::string _id;
    const std::string _name;
    std::mutex _mutex; ///< of the following, and of what is done with the row
    bool _isWithdrawn = false;
    bool _isTold = false;
};

} // namespace supplierd::host
