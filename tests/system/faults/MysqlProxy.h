#pragma once

#include <Poco/Net/ServerSocket.h>

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace supplierd::tests {

/// What happens to a connection at a statement.
enum class Fault {
    BeforeCommand, ///< the command never reaches the database
    AfterReply,    ///< the database has carried it out; its reply is thrown away
    AtOnce,        ///< the command is passed on, and the client is cut off without waiting for the reply
    Late,          ///< the client is cut off first, and the command reaches the database a moment later
    Silence        ///< the database has carried it out; its reply is kept until the client gives up
};

/// A TCP proxy in front of a database on 127.0.0.1 that cuts connections at chosen statements. Thread: any.
class MysqlProxy {
public:
    explicit MysqlProxy(unsigned databasePort);
    ~MysqlProxy();
    MysqlProxy(const MysqlProxy&) = delete;
    MysqlProxy& operator=(const MysqlProxy&) = delete;

    unsigned port() const { return _port; }

    /// The next `times` statements whose text contains `sql`, on whatever connection, get the fault; a single word
    /// ("COMMIT") must be the whole text. Several rules may stand at once; the first that fits is used up first.
    void arm(std::string sql, Fault fault, int times = 1);
    void disarm();
    /// Faults that have happened.
    int strikes() const { return _strikes; }

    /// New connections are closed as soon as they come.
    void refuseConnections(bool refuse) { _refusing = refuse; }
    void refuseConnectionsFromNextFault() { _refusingNext = true; }

private:
    class Connection;

    struct Rule {
        std::string sql;
        Fault fault;
        int times;
    };

    void accept();
    std::optional<Fault> faultFor(const std::string& sql);

    const unsigned _databasePort;
    Poco::Net::ServerSocket _listener;
    unsigned _port;
    std::mutex _mutex;
    std::list<Rule> _rules;
    std::atomic<int> _strikes{0};
    std::atomic<bool> _refusing{false};
    std::atomic<bool> _refusingNext{false};
    std::atomic<bool> _stopping{false};
    std::list<std::unique_ptr<Connection>> _connections; ///< only the accepting thread's, while that runs
    std::thread _acceptor;
};

} // namespace supplierd::tests
