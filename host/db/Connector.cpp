#include "host/db/Connector.h"

#include "host/db/nodes/WriterSession.h"

#include <Poco/Data/MySQL/SessionImpl.h>

#include <mysql/errmsg.h>
#include <mysql/mysql.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// The constructor of Poco's SessionImpl connects at once, with options of its own only, and keeps the password within
/// its connection string. The client library lets a "connection handler" take over for hosts named `handler://...`:
/// ours gets the bare handle, sets what Poco cannot, and connects. What to connect to waits here meanwhile.
struct Opening {
    const SessionSettings& settings;
    unsigned code = 0;
    std::string message;
};

thread_local Opening* currentOpening = nullptr;

/// MARIADB_CONNECTION_PLUGIN of <mysql/client_plugin.h>, which Debian ships without a header that it includes.
/// The library checks type and interface version.
struct ConnectionHandler {
    int type = 103;
    unsigned interfaceVersion = 0x0100;
    const char* name = "supplierd";
    const char* author = "supplierd";
    const char* description = "opens sessions with the options of their settings";
    unsigned version[3] = {1, 0, 0};
    const char* license = "Apache-2.0";
    void* api = nullptr;
    int (*init)(char*, std::size_t, int, va_list) = nullptr;
    int (*deinit)() = nullptr;
    int (*options)(const char*, const void*) = nullptr;
    MYSQL* (*connect)(MYSQL*, const char*, const char*, const char*, const char*, unsigned, const char*,
                      unsigned long) = nullptr;
    void (*close)(MYSQL*) = nullptr;
    int (*setOption)(MYSQL*, unsigned, ...) = nullptr;
    int (*setConnection)(MYSQL*, enum_server_command, const char*, std::size_t, my_bool, void*) = nullptr;
    my_bool (*reconnect)(MYSQL*) = nullptr;
    int (*reset)(MYSQL*) = nullptr;
};

constexpr const char* CONNECTION_STRING = "host=supplierd://session;port=3306;user=-;character-set=utf8mb4";

unsigned wholeSeconds(milliseconds time) {
    return static_cast<unsigned>((std::max<std::int64_t>(time.count(), 0) + 999) / 1000);
}

void setFlag(MYSQL* handle, mysql_option option, bool on) {
    const my_bool value = on ? 1 : 0;
    mysql_options(handle, option, &value);
}

void setTls(MYSQL* handle, const SessionSettings& settings) {
    // A Unix socket needs none.
    if (settings.tls == TlsMode::Off || !settings.socket.empty())
        return;
    setFlag(handle, MYSQL_OPT_SSL_ENFORCE, true);
    if (settings.tls != TlsMode::Verify)
        return;
    setFlag(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, true);
    if (!settings.tlsCa.empty())
        mysql_options(handle, MYSQL_OPT_SSL_CA, settings.tlsCa.c_str());
}

void setOptions(MYSQL* handle, const SessionSettings& settings) {
    const unsigned connectTimeout = wholeSeconds(settings.connectTimeout);
    const unsigned readTimeout = wholeSeconds(settings.readTimeout);
    const unsigned writeTimeout = wholeSeconds(settings.writeTimeout);
    mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &connectTimeout);
    mysql_options(handle, MYSQL_OPT_READ_TIMEOUT, &readTimeout);
    mysql_options(handle, MYSQL_OPT_WRITE_TIMEOUT, &writeTimeout);
    mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    setFlag(handle, MYSQL_OPT_RECONNECT, false);
    setFlag(handle, MARIADB_OPT_FOUND_ROWS, true);
    // Truncation is seen by length; reported, it would keep the library from fetching the rest of the column.
    setFlag(handle, MYSQL_REPORT_DATA_TRUNCATION, false);
    // The server must not be able to ask for files of this host.
    const unsigned noLocalFiles = 0;
    mysql_options(handle, MYSQL_OPT_LOCAL_INFILE, &noLocalFiles);
    setTls(handle, settings);
}

MYSQL* connectToDatabase(MYSQL* handle, const char*, const char*, const char*, const char*, unsigned, const char*,
                         unsigned long) {
    Opening* const opening = currentOpening;
    if (!opening)
        return nullptr;
    const SessionSettings& settings = opening->settings;
    setOptions(handle, settings);
    const bool local = !settings.socket.empty();
    // To the library "localhost" is the socket of its own choice, whatever the port.
    const unsigned tcp = MYSQL_PROTOCOL_TCP;
    if (!local && settings.port != SessionSettings().port)
        mysql_options(handle, MYSQL_OPT_PROTOCOL, &tcp);
    MYSQL* const connected =
        mysql_real_connect(handle, local ? "localhost" : settings.host.c_str(), settings.user.c_str(),
                           settings.password.c_str(), settings.database.empty() ? nullptr : settings.database.c_str(),
                           settings.port, local ? settings.socket.c_str() : nullptr, 0);
    if (!connected) {
        opening->code = mysql_errno(handle);
        opening->message = mysql_error(handle);
    }
    return connected;
}

/// Called before every command, so that a handler may switch to another connection. -1 refuses the command; any other
/// result is also the command's when it cannot be sent, so 0 would make a lost connection look like success.
int keepConnection(MYSQL*, enum_server_command, const char*, std::size_t, my_bool, void*) {
    return 1;
}

void registerHandler() {
    static std::once_flag once;
    static ConnectionHandler handler;
    std::call_once(once, [] {
        handler.connect = connectToDatabase;
        handler.setConnection = keepConnection;
        mysql_library_init(0, nullptr, nullptr);
        if (!mysql_client_register_plugin(nullptr, reinterpret_cast<st_mysql_client_plugin*>(&handler)))
            throw ConnectError(CR_UNKNOWN_ERROR, "cannot register the connection handler with the client library");
    });
}

Poco::AutoPtr<Poco::Data::MySQL::SessionImpl> connect(const SessionSettings& settings) {
    registerHandler();
    Opening opening{settings, 0, {}};
    currentOpening = &opening;
    try {
        Poco::AutoPtr<Poco::Data::MySQL::SessionImpl> session(
            new Poco::Data::MySQL::SessionImpl(CONNECTION_STRING, wholeSeconds(settings.connectTimeout)));
        currentOpening = nullptr;
        return session;
    } catch (const Poco::Exception& error) {
        currentOpening = nullptr;
        const unsigned code = opening.code ? opening.code : static_cast<unsigned>(CR_UNKNOWN_ERROR);
        throw ConnectError(code, "cannot connect to the database: error " + std::to_string(code) + ": " +
                                     (opening.message.empty() ? error.displayText() : opening.message));
    }
}

std::string seconds(milliseconds time) {
    return std::to_string(time.count() / 1000) + "." + std::to_string(1000 + time.count() % 1000).substr(1);
}

/// One statement, so that opening a session costs one round trip beyond the login.
std::string setUpStatement(const SessionSettings& settings, bool isMariaDb) {
    std::string sql = "SET autocommit = 1, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,"
                      "NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', "
                      "group_concat_max_len = 1048576, innodb_lock_wait_timeout = " +
                      std::to_string(std::max(1U, wholeSeconds(settings.lockWaitTimeout)));
    if (isMariaDb)
        // The idle time-outs end the transaction of a host that has vanished or stands still (a paused machine), and
        // with it its locks: everybody else's writes to that supplier wait for it. What of that host waits in the same
        // queue gets the lock next, and keeps it as long again: so a second, not more. Who was only slow repeats.
        sql += ", tx_isolation = 'READ-COMMITTED', idle_transaction_timeout = 60, idle_write_transaction_timeout = 1"
               ", max_statement_time = " +
               seconds(settings.statementTimeLimit);
    else
        sql += ", transaction_isolation = 'READ-COMMITTED', max_execution_time = " +
               std::to_string(settings.statementTimeLimit.count());
    if (settings.readsInStep)
        sql += ", wsrep_sync_wait = 1";
    return sql;
}

bool awaitReply(MYSQL* handle, milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    pollfd socket{static_cast<int>(mysql_get_socket(handle)), POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
        const int wait = limit.count() == 0 ? -1 : static_cast<int>(std::max(left, milliseconds(0)).count());
        const int ready = ::poll(&socket, 1, wait);
        if (ready >= 0 || errno != EINTR)
            return ready != 0;
    }
}

void setUp(MYSQL* handle, const SessionSettings& settings) {
    if (settings.tls >= TlsMode::Required && settings.socket.empty() && !mysql_get_ssl_cipher(handle))
        throw ConnectError(CR_SSL_CONNECTION_ERROR, "cannot connect to the database: it offers no TLS");
    const std::string sql = setUpStatement(settings, isMariaDb(handle));
    // The read time-out is that of statements, and a server may accept connections that says nothing any more.
    const bool isSent = mysql_send_query(handle, sql.data(), sql.size()) == 0;
    if (isSent && !awaitReply(handle, settings.connectTimeout))
        throw ConnectError(CR_SERVER_LOST, "cannot set up the database session: no answer within the time-out");
    if (!isSent || mysql_read_query_result(handle) != 0)
        throw ConnectError(mysql_errno(handle),
                           std::string("cannot set up the database session: ") + mysql_error(handle));
}

} // namespace

st_mysql* handleOf(Poco::Data::Session& session) {
    auto* const mysql = dynamic_cast<Poco::Data::MySQL::SessionImpl*>(session.impl());
    if (!mysql)
        throw std::logic_error("a session of the pool must come from openSession()");
    return mysql->handle();
}

bool isMariaDb(st_mysql* handle) {
    return std::strstr(mysql_get_server_info(handle), "MariaDB") != nullptr;
}

Poco::Data::Session openSession(const SessionSettings& settings) {
    if (settings.hasSeveralNodes())
        return openWriterSession(settings);
    if (!settings.nodes.empty())
        return openSession(settings.at(settings.nodes.front()));
    auto session = connect(settings);
    setUp(session->handle(), settings);
    return Poco::Data::Session(Poco::AutoPtr<Poco::Data::SessionImpl>(session));
}

} // namespace supplierd::host
