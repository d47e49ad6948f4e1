#include "host/ctl/terminal/ControlContext.h"

#include "host/config/SettingsLoader.h"
#include "host/ctl/client/ResponsePrinter.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/http/ControlListener.h"
#include "host/plugins/PluginInspection.h"

#include <fmt/format.h>
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

PluginSet ControlContext::loadedPlugins() {
    Diagnostics problems;
    PluginSet plugins = loadPlugins(settings(), problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
    return plugins;
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

void ControlContext::record(Transaction& transaction, AuditEntry entry) {
    entry.actor = _actor.name;
    _audit.record(transaction, entry);
}

bool ControlContext::isInteractive() const {
    const char* const terminal = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

bool ControlContext::print(const ResponseJson& answer, const ResponseJson& row) {
    return ResponsePrinter(*this, row, {}).print(answer);
}

void ControlContext::printFindings(const Findings& findings, ResponseJson answer) {
    auto& list = answer["findings"] = ResponseJson::array();
    for (const auto& finding : findings) {
        const auto level = nameOf(finding.level);
        const auto fix = finding.fix.empty() ? ResponseJson() : ResponseJson(finding.fix);
        list.push_back({{"level", level}, {"check", finding.check}, {"message", finding.message}, {"fix", fix}});
        if (json)
            continue;
        out() << fmt::format("{:<8} {}: {}\n", level, finding.check, terminalText(finding.message));
        if (!finding.fix.empty())
            out() << fmt::format("{:<8} fix: {}\n", "", terminalText(finding.fix));
    }
    if (json)
        print(answer);
}

} // namespace supplierd::host
