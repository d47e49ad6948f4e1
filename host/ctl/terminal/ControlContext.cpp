#include "host/ctl/terminal/ControlContext.h"

#include "host/config/SettingsLoader.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/http/ControlListener.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

namespace supplierd::host {

namespace {

/// Who runs supplierctl, for the audit log, as the server names who is at its control socket.
std::string controlActor() {
    const char* const behindSudo = std::getenv("SUDO_USER");
    return localActor(::getuid(), behindSudo ? behindSudo : "");
}

constexpr std::chrono::milliseconds SHORT_WAIT(5'000);

} // namespace

ControlContext::ControlContext(std::ostream& out, std::ostream& err)
    : _out(out), _err(err), _actor{.name = controlActor(), .kind = Actor::Kind::Administrator} {}

ControlContext::~ControlContext() = default;

void ControlContext::requireReadableConfiguration() const {
    if (::access(configFile.c_str(), R_OK) == 0 || errno != EACCES)
        return; // a missing or wrong file is another failure, with another exit code
    throw CommandFailure(configFile + ": this user may not read the configuration; run supplierctl as root or as the "
                                      "user of the server, or name another file with --config",
                         ExitCode::NotAllowed);
}

const Settings& ControlContext::settings() {
    if (_settings)
        return *_settings;
    requireReadableConfiguration();
    Diagnostics problems;
    auto loaded = loadSettings(configFile, problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
    _settings = std::move(loaded);
    return *_settings;
}

void ControlContext::limitWaiting() {
    settings();
    auto& session = _settings->database.session;
    for (auto* limit : {&session.connectTimeout, &session.readTimeout, &session.writeTimeout})
        *limit = limit->count() == 0 ? SHORT_WAIT : std::min(*limit, SHORT_WAIT);
    session.statementTimeLimit = std::min(session.statementTimeLimit, SHORT_WAIT - std::chrono::seconds(1));
    session.lockWaitTimeout = std::min(session.lockWaitTimeout, SHORT_WAIT - std::chrono::seconds(1));
}

ServerConnection& ControlContext::connection() {
    if (!_connection)
        _connection = std::make_unique<ServerConnection>(server.resolve(configFile));
    return *_connection;
}

Database& ControlContext::database() {
    if (!_database) {
        PoolSettings one;
        one.size = 1;
        one.waitDeadline = settings().database.poolWait;
        _pool = std::make_unique<SessionPool>(settings().database.session, one);
        _pool->acquire(); // here the operator still gets the reason; PooledDatabase only says "unavailable"
        _database = std::make_unique<PooledDatabase>(*_pool, nullptr, _actor.name);
    }
    return *_database;
}

void ControlContext::record(SqlSession& session, AuditEntry entry) {
    entry.actor = _actor.name;
    _audit.record(session, entry);
}

bool ControlContext::isInteractive() const {
    const char* const terminal = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

void ControlContext::printJson(const std::function<void(JsonWriter&)>& fields) {
    std::string text;
    JsonWriter writer(text);
    writer.beginObject();
    fields(writer);
    writer.endObject();
    _out << text << "\n";
}

void ControlContext::printListing(std::string_view name, const Listing& listing, std::string_view whenEmpty) {
    if (json) {
        printJson([&](JsonWriter& writer) {
            writer.key(name);
            listing.appendJson(writer);
        });
    } else if (listing.size() == 0) {
        _out << whenEmpty << "\n";
    } else {
        listing.printTable(_out);
    }
}

} // namespace supplierd::host
