#pragma once

#include "host/db/SessionSettings.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct st_mysql;

namespace supplierd::tests {

class PrivateMariaDb;

/// One row of TestDatabase::query(): the columns as text, NULL as nullopt.
using TestRow = std::vector<std::optional<std::string>>;

/// A database of its own, with a random name, dropped at the end. It lies on the server that SUPPLIERD_TEST_DB_SOCKET
/// names (tests/run starts one for all), else on one that this process starts with its first use.
/// Thread: any; statements run one after the other on one connection.
class TestDatabase {
public:
    TestDatabase();
    /// On a server of the test's own, which must outlive this object and takes the database along when it goes.
    explicit TestDatabase(PrivateMariaDb& server);
    /// One that is there already, and stays.
    TestDatabase(PrivateMariaDb& server, std::string name);
    ~TestDatabase();
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;

    const std::string& name() const { return _name; }
    const std::string& socket() const { return _socket; }
    host::SessionSettings sessionSettings() const;

    /// Runs one statement, or several separated by ';'. Throws std::runtime_error with the server's message.
    void exec(const std::string& sql);
    std::vector<TestRow> query(const std::string& sql);
    /// The first column of the first row. Throws when there is no row or it is NULL.
    std::string text(const std::string& sql);
    std::int64_t integer(const std::string& sql);
    std::int64_t lastInsertId();
    /// Inserts a row of SQL literals by column. Its id.
    std::int64_t insert(const std::string& table, const std::map<std::string, std::string>& columns);
    /// `value` as a quoted SQL literal.
    std::string quote(std::string_view value);

private:
    void create();
    void closeConnection();
    void run(const std::string& sql);
    st_mysql* connection();

    std::string _socket;
    std::string _name;
    bool _dropsItself = true;
    std::recursive_mutex _mutex;
    st_mysql* _connection = nullptr;
};

} // namespace supplierd::tests
