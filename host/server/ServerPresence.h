#pragma once

#include "host/config/Settings.h"
#include "host/server/DatabaseOrder.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// A server that runs on this database, as the others see it.
struct PresentServer {
    std::string id;
    std::string name; ///< "node:process"
    std::string version;
    std::string redis; ///< where it counts rate limits; empty: by itself
    std::string startedAt;
    DatabaseOrder databases; ///< empty: it does not say

    /// The machine that it runs on.
    std::string_view node() const;
};

/// Of two that say what they have.
OrderMatch compareDatabases(const PresentServer& one, const PresentServer& other);

/// This server's row among the servers of the database. What is this server's alone, such as claims of idempotency
/// keys, belongs to the others when the row was not renewed for some seconds. The log says when there are others, and
/// this one and they do not count rate limits together, or do not go to the servers of the database in one order.
/// Thread: any; all times are by the database's clock.
class ServerPresence {
public:
    /// A difference in order is told when so many renewals in a row have seen it: others find out by and by, and not at
    /// the same time, when a name comes to mean another server.
    static constexpr int LASTING = 3;

    /// All must outlive it. `nodes` may be null.
    ServerPresence(Database& database, const RedisSettings& redis, const SessionSettings& session, DatabaseNodes* nodes,
                   Logger& log);

    /// Of this server's row.
    const std::string& id() const { return _id; }

    /// To be called every ten seconds or so. Throws DatabaseError, ApiError; as the following.
    void renew();
    /// A sign of life, and nothing else; also of one that leaves.
    void show();
    /// To be called twice a second: finds out which nodes of the database others write to where DatabaseNodes has to
    /// know, and shows them at once when this server writes to another one than before.
    void followWriters();
    /// The same: where there are others, asks the servers of the database who they are, which takes seconds where one
    /// hangs.
    void identifyDatabases();
    /// A successor takes over: the others do not count this one any more, but its requests are still its own.
    void leave();
    /// The row goes, and does not come back.
    void withdraw();

    /// Those that were seen within the last half minute, by name; without those of this machine whose process is gone.
    static std::vector<PresentServer> list(SqlSession& session);
    /// Those that were seen last before that, but within ten minutes, and did not end in order: "name, 48 s ago". Of
    /// this machine none whose process is gone: that is seen better here.
    static std::vector<std::string> missing(SqlSession& session);

private:
    using Servers = std::vector<PresentServer>;

    enum class State { Present, Leaving, Gone };

    void write(const DatabaseOrder& own);
    void readOtherWriters();
    void findFormerSelves();
    void forgetFormerSelves();
    void probeRedis(const Servers& others);
    void lookAtOrder(const Servers& others, const PresentServer& self);

    Database& _database;
    DatabaseNodes* const _nodes; ///< null: the database has one
    const SessionSettings _session;
    const std::string _redis;
    Logger& _log;
    const std::string _id;
    const std::string _name;
    DatabaseOrderProbe _databases;
    std::mutex _mutex; ///< of the following, and of what is done with the row
    State _state = State::Present;
    bool _isKnown = false;         ///< it was among them once
    std::set<std::string> _former; ///< ids of servers that count for nothing
    bool _isAlone = true;
    bool _isRedisTold = false;
    std::string _otherOrder; ///< of those that differ, at the last look; empty: nobody
    int _seen = 0;           ///< looks in a row that found it
    std::string _toldOrder;  ///< what the log has of it; empty: nothing, or that it is over
};

} // namespace supplierd::host
