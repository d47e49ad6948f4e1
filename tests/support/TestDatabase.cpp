#include "tests/support/TestDatabase.h"

#include "host/db/Connector.h"
#include "tests/support/PrivateMariaDb.h"

#include <mysql/mysql.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <stdexcept>

namespace supplierd::tests {
namespace {

std::string sharedSocket() {
    if (const char* given = std::getenv("SUPPLIERD_TEST_DB_SOCKET"); given != nullptr && *given != '\0')
        return given;
    static PrivateMariaDb own;
    return own.socket();
}

constexpr unsigned PATIENCE_SECONDS = 120;

std::string randomName() {
    std::random_device random;
    return "test_" + std::to_string(::getpid()) + "_" + std::to_string(random());
}

} // namespace

TestDatabase::TestDatabase() : _socket(sharedSocket()), _name(randomName()) {
    create();
}

TestDatabase::TestDatabase(PrivateMariaDb& server)
    : _socket(server.socket()), _name(randomName()), _dropsItself(false) {
    create();
}

TestDatabase::TestDatabase(PrivateMariaDb& server, std::string name)
    : _socket(server.socket()), _name(std::move(name)), _dropsItself(false) {}

TestDatabase::~TestDatabase() {
    try {
        if (_dropsItself)
            exec("DROP DATABASE IF EXISTS " + _name);
    } catch (const std::exception&) {
        // The server may be gone, and its directory goes with it.
    }
    if (_connection != nullptr)
        closeConnection();
}

void TestDatabase::closeConnection() {
    if (!_dropsItself)
        ::shutdown(static_cast<int>(mysql_get_socket(_connection)), SHUT_RDWR); // a paused server reads no farewell
    mysql_close(_connection);
    _connection = nullptr;
}

void TestDatabase::create() {
    exec("CREATE DATABASE " + _name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci");
    exec("USE " + _name);
}

host::SessionSettings TestDatabase::sessionSettings() const {
    host::SessionSettings settings;
    settings.socket = _socket;
    settings.user = "root";
    settings.database = _name;
    return settings;
}

st_mysql* TestDatabase::connection() {
    if (_connection != nullptr && mysql_ping(_connection) == 0)
        return _connection;
    if (_connection != nullptr)
        closeConnection();
    _connection = mysql_init(nullptr);
    // A server that a test has paused must not keep the test's own end waiting for ever.
    mysql_options(_connection, MYSQL_OPT_CONNECT_TIMEOUT, &PATIENCE_SECONDS);
    mysql_options(_connection, MYSQL_OPT_READ_TIMEOUT, &PATIENCE_SECONDS);
    mysql_options(_connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(_connection, MYSQL_INIT_COMMAND, "SET time_zone = '+00:00'");
    if (mysql_real_connect(_connection, nullptr, "root", nullptr, nullptr, 0, _socket.c_str(),
                           CLIENT_MULTI_STATEMENTS | CLIENT_FOUND_ROWS) == nullptr) {
        const std::string message = mysql_error(_connection);
        mysql_close(_connection);
        _connection = nullptr;
        throw std::runtime_error("cannot reach the test database: " + message);
    }
    mysql_select_db(_connection, _name.c_str()); // absent before create() made it
    return _connection;
}

void TestDatabase::run(const std::string& sql) {
    std::string portable(sql);
    // MySQL's information_schema cannot show statements with bytes that are no text.
    constexpr std::string_view OF_MARIADB = "information_schema.processlist";
    if (const auto at = sql.find(OF_MARIADB); at != std::string::npos && !host::isMariaDb(connection()))
        portable.replace(at, OF_MARIADB.size(), "performance_schema.processlist");
    if (mysql_real_query(connection(), portable.data(), portable.size()) != 0)
        throw std::runtime_error(std::string(mysql_error(_connection)) + " in: " + sql);
}

void TestDatabase::exec(const std::string& sql) {
    const std::lock_guard lock(_mutex);
    run(sql);
    int more = 0;
    do {
        if (MYSQL_RES* result = mysql_store_result(_connection); result != nullptr)
            mysql_free_result(result);
        more = mysql_next_result(_connection);
        if (more > 0)
            throw std::runtime_error(std::string(mysql_error(_connection)) + " in: " + sql);
    } while (more == 0);
}

std::vector<TestRow> TestDatabase::query(const std::string& sql) {
    const std::lock_guard lock(_mutex);
    run(sql);
    MYSQL_RES* result = mysql_store_result(_connection);
    if (result == nullptr)
        throw std::runtime_error("no rows come from: " + sql + " " + mysql_error(_connection));
    std::vector<TestRow> rows;
    const auto columns = mysql_num_fields(result);
    while (MYSQL_ROW values = mysql_fetch_row(result)) {
        const auto* lengths = mysql_fetch_lengths(result);
        auto& row = rows.emplace_back();
        for (unsigned i = 0; i < columns; ++i)
            row.push_back(values[i] != nullptr ? std::optional(std::string(values[i], lengths[i])) : std::nullopt);
    }
    mysql_free_result(result);
    return rows;
}

std::string TestDatabase::text(const std::string& sql) {
    const auto rows = query(sql);
    if (rows.empty() || !rows[0].at(0))
        throw std::runtime_error("no value comes from: " + sql);
    return *rows[0][0];
}

std::int64_t TestDatabase::integer(const std::string& sql) {
    return std::stoll(text(sql));
}

std::int64_t TestDatabase::lastInsertId() {
    return integer("SELECT LAST_INSERT_ID()");
}

std::int64_t TestDatabase::insert(const std::string& table, const std::map<std::string, std::string>& columns) {
    std::string names;
    std::string values;
    for (const auto& [name, value] : columns) {
        names += (names.empty() ? "" : ", ") + name;
        values += (values.empty() ? "" : ", ") + value;
    }
    const std::lock_guard lock(_mutex);
    exec("INSERT INTO " + table + " (" + names + ") VALUES (" + values + ")");
    return lastInsertId();
}

std::string TestDatabase::quote(std::string_view value) {
    const std::lock_guard lock(_mutex);
    std::string escaped(value.size() * 2 + 1, '\0');
    escaped.resize(mysql_real_escape_string(connection(), escaped.data(), value.data(), value.size()));
    return "'" + escaped + "'";
}

} // namespace supplierd::tests
