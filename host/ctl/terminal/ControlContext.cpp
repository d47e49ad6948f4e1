#include "host/ctl/terminal/ControlContext.h"

#include "host/config/SettingsLoader.h"
#include "host/ctl/plugin/PluginServices.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/plugins/PluginLook.h"
#include "host/redis/RevocationChannel.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_ACTOR = 64;

/// The column holds ASCII; what a terminal could take for a command stays out too.
char shown(char c) {
    const bool isGraphic = c > ' ' && c < '\x7f';
    return isGraphic ? c : '?';
}

std::string userName() {
    const uid_t user = ::getuid();
    const char* const behindSudo = std::getenv("SUDO_USER");
    if (user == 0 && behindSudo && *behindSudo) // root could be anybody anyway
        return behindSudo;
    const passwd* const entry = ::getpwuid(user);
    return entry ? std::string(entry->pw_name) : std::to_string(user);
}

/// Who runs supplierctl, for the audit log: "supplierctl:alice". Behind sudo it is the one who called sudo, else every
/// entry would say root.
std::string controlActor() {
    std::string actor = "supplierctl:";
    for (const char c : userName())
        actor += shown(c);
    if (actor.size() > MAX_ACTOR)
        actor.resize(MAX_ACTOR);
    return actor;
}

constexpr std::chrono::milliseconds SHORT_WAIT(5'000);

} // namespace

/// Connects with the first use.
class ControlContext::LateDatabase final : public Database {
public:
    explicit LateDatabase(ControlContext& context) : _context(context) {}

    void withSession(const std::function<void(SqlSession&)>& work) override { _context.database().withSession(work); }
    void withTransaction(const std::function<void(Transaction&)>& work) override {
        _context.database().withTransaction(work);
    }
    void withSnapshot(const std::function<void(SqlSession&)>& work) override { _context.database().withSnapshot(work); }
    std::int64_t execute(std::string_view sql, SqlParams params) override {
        return _context.database().execute(sql, params);
    }

private:
    ControlContext& _context;
};

ControlContext::ControlContext(std::ostream& out, std::ostream& err)
    : _out(out),
      _err(err),
      _actor{.name = controlActor(), .kind = Actor::Kind::Administrator},
      _lateDatabase(std::make_unique<LateDatabase>(*this)) {
    _accounts.onRevocation([this](const Revocation& revocation) { tellServers(revocation); });
}

ControlContext::~ControlContext() = default;

void ControlContext::tellServers(const Revocation& revocation) {
    constexpr std::chrono::seconds LIMIT(1);
    const auto& redis = settings().redis;
    if (!redis.isUsed())
        return;
    try {
        publishRevocation(redis, revocation, LIMIT);
    } catch (const RedisError& failure) {
        err() << terminalText("servers could not be told by Redis, and see it within auth.cache_ttl: " +
                              std::string(failure.what()))
              << "\n";
    }
}

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

void ControlContext::loadScopes() {
    Diagnostics problems;
    _keys.setKnownScopes(loadPlugins(settings(), problems).scopes());
    for (const auto& problem : problems)
        _err << problem.toString() << "\n";
}

bool ControlContext::offersService(std::string_view id) {
    Diagnostics problems;
    const auto plugins = loadPlugins(settings(), problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
    return std::any_of(plugins.plugins().begin(), plugins.plugins().end(), [&](const LoadedPlugin& plugin) {
        const auto& offers = plugin.description.offers;
        return std::find(offers.begin(), offers.end(), id) != offers.end();
    });
}

void* ControlContext::findService(const std::string& id) {
    auto& services = _services[id];
    if (!services)
        services =
            std::make_unique<PluginServices>(PluginServices::Dependencies{settings(), database(), _audit, _err}, id);
    return services->find(id);
}

const PluginOperations& ControlContext::operations(const std::string& pluginId) {
    auto& started = _operations[pluginId];
    if (!started) {
        try {
            started =
                std::make_unique<PluginServices>(PluginServices::Dependencies{settings(), *_lateDatabase, _audit, _err},
                                                 PluginServices::Plugin{pluginId});
        } catch (const CommandFailure&) {
            database(); // when it is away, that is why
            throw;
        }
    }
    return started->operations();
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

void ControlContext::printOne(std::string_view name, const Listing& listing, std::string_view sentence) {
    if (!json) {
        _out << terminalText(sentence) << "\n";
        return;
    }
    printJson([&](JsonWriter& writer) {
        writer.key(name);
        listing.appendRow(writer, 0);
    });
}

} // namespace supplierd::host
