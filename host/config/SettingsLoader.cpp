#include "host/config/SettingsLoader.h"

#include "host/config/CheckedConfig.h"
#include "host/config/ConfigFiles.h"
#include "host/config/ConfigUnits.h"
#include "host/config/NearestName.h"
#include "host/config/SettingsSchema.h"

#include <Poco/Environment.h>
#include <Poco/Exception.h>
#include <Poco/URI.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#ifndef SUPPLIERD_PLUGIN_DIR
#error "SUPPLIERD_PLUGIN_DIR is not defined: the folder that plugins are installed into"
#endif
#ifndef SUPPLIERD_STATE_DIR
#error "SUPPLIERD_STATE_DIR is not defined: the folder that holds the plugins' own"
#endif

namespace supplierd::host {

namespace {

constexpr const char* PASSWORD_VARIABLE = "SUPPLIERD_DATABASE_PASSWORD";
constexpr const char* REDIS_PASSWORD_VARIABLE = "SUPPLIERD_REDIS_PASSWORD";

template <class T>
struct NamedValue {
    std::string_view name;
    T value;
};

constexpr std::array<NamedValue<TlsMode>, 4> TLS_MODES{{{"off", TlsMode::Off},
                                                        {"preferred", TlsMode::Preferred},
                                                        {"required", TlsMode::Required},
                                                        {"verify", TlsMode::Verify}}};
constexpr std::array<NamedValue<LogLevel>, 4> LOG_LEVELS{{{"debug", LogLevel::Debug},
                                                          {"information", LogLevel::Information},
                                                          {"warning", LogLevel::Warning},
                                                          {"error", LogLevel::Error}}};

constexpr std::array<NamedValue<ForwardedSource>, 2> FORWARDED_HEADERS{
    {{"X-Forwarded-For", ForwardedSource::XForwarded}, {"Forwarded", ForwardedSource::Forwarded}}};

/// Scheme, host in lower case, and a port that is not the scheme's own: otherwise no Origin header would ever equal it.
bool isOrigin(const std::string& text) {
    if (text == "*")
        return true;
    try {
        const Poco::URI uri(text);
        const bool isOnlyOrigin = uri.getUserInfo().empty() && uri.getPathEtc().empty() && uri.getFragment().empty() &&
                                  !uri.getHost().empty();
        return isOnlyOrigin && text == uri.toString() && text.find_first_of("?#%\\\"") == std::string::npos;
    } catch (const Poco::SyntaxException&) {
        return false;
    }
}

/// The folder that relative paths in the file are taken from.
std::filesystem::path folderOf(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::absolute(file, error).lexically_normal().parent_path();
}

class Loader {
public:
    Loader(const std::filesystem::path& file, Diagnostics& problems, const std::filesystem::path& original)
        : _file(file), _problems(problems), _folder(folderOf(original.empty() ? file : original)) {}

    Settings load() {
        _settings.file = _file;
        _root = readConfigFiles(_file, _folder, _problems).merged;
        checkSectionNames();
        readServer();
        readDatabase();
        readAuth();
        readRedis();
        readIdempotency();
        _settings.audit.retention = readRetention("audit");
        _settings.audit.pushRetention = readRetention("audit", "push_retention", "as long as the others");
        _settings.changes.retention = readRetention("changes");
        readLog();
        readPlugins();
        return std::move(_settings);
    }

private:
    void checkSectionNames() {
        std::vector<std::string> known{"plugins"};
        for (const SettingsSection& section : settingsSchema())
            known.push_back(section.name);
        for (const auto& [name, entry] : _root.entries) {
            const bool isTable = std::holds_alternative<ConfigTable>(entry.value.data);
            if (std::find(known.begin(), known.end(), name) != known.end()) {
                if (!isTable)
                    _problems.error(entry.value.position, fmt::format("{0} must be a table, written [{0}], found {1}",
                                                                      name, entry.value.kind()));
                continue;
            }
            const std::string home = isTable ? std::string() : sectionHint(name);
            _problems.error(entry.keyPosition, fmt::format("unknown {} '{}'{}", isTable ? "table" : "key", name,
                                                           home.empty() ? suggestion(name, known) : home));
        }
    }

    /// For a key that stands in the wrong section.
    static std::string sectionHint(const std::string& key) {
        for (const SettingsSection& section : settingsSchema()) {
            for (const ConfigKey& candidate : section.keys) {
                if (candidate.name == key)
                    return "; it belongs in [" + section.name + "]";
            }
        }
        return {};
    }

    CheckedConfig section(const std::string& name) {
        const ConfigEntry* entry = _root.find(name);
        const ConfigPosition position = entry ? entry->keyPosition : ConfigPosition{_file.string()};
        return CheckedConfig::check(
            settingsKeys(name), _root.table(name),
            {name, position, _folder, {}, [](const std::string& key) { return sectionHint(key); }}, _problems);
    }

    std::filesystem::path absolutePath(const std::string& text) const {
        return text.empty() ? std::filesystem::path() : (_folder / text).lexically_normal();
    }

    template <class T>
    void choose(const CheckedConfig& config, const char* key, std::span<const NamedValue<T>> choices, T& target) {
        const std::string given = config.text(key);
        std::string wanted;
        std::vector<std::string> names;
        for (const NamedValue<T>& choice : choices) {
            if (choice.name == given) {
                target = choice.value;
                return;
            }
            names.emplace_back(choice.name);
            wanted += (wanted.empty() ? "\"" : ", \"") + names.back() + "\"";
        }
        _problems.error(config.position(key), std::string(key) + " must be one of " + wanted + ", found \"" + given +
                                                  "\"" + suggestion(given, names));
    }

    void readAddress(const CheckedConfig& config, const char* key, Poco::Net::SocketAddress& target) {
        const std::string given = config.text(key);
        const std::size_t colon = given.rfind(':');
        // Poco would take a bare number, a name of a service, or a host name that has to be looked up.
        const bool shaped = colon != std::string::npos && colon > 0 && colon + 1 < given.size() &&
                            given.find_first_not_of("0123456789", colon + 1) == std::string::npos;
        std::string host = shaped ? given.substr(0, colon) : std::string();
        if (host == "localhost")
            host = "127.0.0.1";
        if (host.size() > 2 && host.front() == '[' && host.back() == ']')
            host = host.substr(1, host.size() - 2);
        const auto address = parseAddress(host);
        const unsigned long port = shaped && given.size() - colon <= 6 ? std::stoul(given.substr(colon + 1)) : 65'536;
        if (!address || port > 65'535) {
            _problems.error(config.position(key), std::string(key) +
                                                      " must be an IP address and a port like \"127.0.0.1:8080\", "
                                                      "\"0.0.0.0:8080\" or \"[::1]:8080\", found \"" +
                                                      given + "\"");
            return;
        }
        target = Poco::Net::SocketAddress(*address, static_cast<std::uint16_t>(port));
    }

    void readServer() {
        const CheckedConfig config = section("server");
        ServerSettings& server = _settings.server;
        readAddress(config, "listen", server.listen);
        readAddress(config, "admin_listen", server.adminListen);
        if (server.listen == server.adminListen && server.listen.port() != 0)
            _problems.error(config.position("admin_listen"),
                            "admin_listen must differ from listen: the API and /metrics cannot share " +
                                server.listen.toString());
        server.controlSocket = absolutePath(config.text("control_socket"));
        if (constexpr std::size_t MAX_PATH = 95; server.controlSocket.native().size() > MAX_PATH)
            _problems.error(config.position("control_socket"),
                            "control_socket must be a path of at most 95 bytes: a Unix socket can have little more");
        server.controlGroup = config.text("control_group");
        server.tlsCertificate = absolutePath(config.text("tls_certificate"));
        server.tlsKey = absolutePath(config.text("tls_key"));
        if (server.tlsCertificate.empty() != server.tlsKey.empty())
            _problems.error(config.position(server.tlsKey.empty() ? "tls_certificate" : "tls_key"),
                            "tls_certificate and tls_key belong together: one of them is missing");
        server.hsts = config.duration("hsts");
        server.addressFile = absolutePath(config.text("address_file"));
        server.pidFile = absolutePath(config.text("pid_file"));
        server.threads = static_cast<int>(config.integer("threads"));
        server.checkResponses = static_cast<int>(config.integer("check_responses"));
        server.maxQueued = static_cast<int>(config.integer("max_queued"));
        server.queueTime = config.duration("queue_time");
        server.maxConnections = static_cast<int>(config.integer("max_connections"));
        server.connectionsPerAddress = static_cast<int>(config.integer("connections_per_address"));
        server.keepAliveTimeout = config.duration("keep_alive_timeout");
        server.requestTimeout = config.duration("request_timeout");
        server.bodyLimit = config.size("body_limit");
        server.memory = cacheMemory(config);
        server.heldMemory = config.size("held_memory");
        server.heldFiles = config.size("held_files");
        server.shutdownDeadline = config.duration("shutdown_deadline");
        server.drainPause = config.duration("drain_pause");
        server.drainGrace = config.duration("drain_grace");
        for (const std::string& text : config.textList("trusted_proxies")) {
            if (const auto range = AddressRange::parse(text))
                server.trustedProxies.push_back(*range);
            else
                _problems.error(config.position("trusted_proxies"),
                                "trusted_proxies must hold addresses or ranges like \"10.0.0.0/8\", found \"" + text +
                                    "\"");
        }
        choose<ForwardedSource>(config, "forwarded_header", FORWARDED_HEADERS, server.forwardedHeader);
        server.proxyProtocol = config.boolean("proxy_protocol");
        if (server.proxyProtocol && config.textList("trusted_proxies").empty())
            _problems.error(config.position("proxy_protocol"),
                            "proxy_protocol needs trusted_proxies: a PROXY header of anybody else is not believed");
        for (const std::string& origin : config.textList("cors_origins")) {
            if (!isOrigin(origin))
                _problems.error(
                    config.position("cors_origins"),
                    "cors_origins must hold origins as browsers send them, like \"https://shop.example\" or "
                    "\"http://localhost:3000\", or \"*\", found \"" +
                        origin + "\"");
            server.corsOrigins.push_back(origin);
        }
        server.compression = config.boolean("compression");
        const std::string pluginDir = config.text("plugin_dir");
        server.pluginDir = absolutePath(pluginDir.empty() ? SUPPLIERD_PLUGIN_DIR : pluginDir);
        const std::string stateDir = config.text("state_dir");
        server.stateDir = absolutePath(stateDir.empty() ? SUPPLIERD_STATE_DIR : stateDir);
        server.pluginsEnabled = absolutePath(config.text("plugins_enabled"));
        if (server.pluginsEnabled.empty())
            _problems.error(config.position("plugins_enabled"), "plugins_enabled must be the path of a folder");
    }

    void readDatabase() {
        const CheckedConfig config = section("database");
        DatabaseSettings& database = _settings.database;
        SessionSettings& session = database.session;
        session.host = config.text("host");
        session.port = static_cast<unsigned>(config.integer("port"));
        session.socket = absolutePath(config.text("socket")).string();
        session.user = config.text("user");
        session.password = Poco::Environment::get(PASSWORD_VARIABLE, "");
        if (session.password.empty())
            session.password = config.text("password");
        session.database = config.text("name");
        requireText(config, "user", session.user);
        requireText(config, "name", session.database);
        if (session.socket.empty())
            requireText(config, "host", session.host);
        readNodes(config);
        choose<TlsMode>(config, "tls", TLS_MODES, session.tls);
        session.tlsCa = absolutePath(config.text("tls_ca")).string();
        std::error_code error;
        if (!session.tlsCa.empty() && !std::filesystem::exists(session.tlsCa, error))
            _problems.error(config.position("tls_ca"), "tls_ca: there is no file " + session.tlsCa);
        session.connectTimeout = config.duration("connect_timeout");
        session.readTimeout = config.duration("read_timeout");
        session.writeTimeout = config.duration("write_timeout");
        session.statementTimeLimit = config.duration("statement_time_limit");
        session.lockWaitTimeout = config.duration("lock_wait_timeout");
        if (session.readTimeout <= session.statementTimeLimit || session.readTimeout <= session.lockWaitTimeout)
            _problems.error(config.position("read_timeout"),
                            "read_timeout must be longer than statement_time_limit and lock_wait_timeout, else a slow "
                            "statement looks like a lost connection");
        database.poolSize = static_cast<int>(config.integer("pool_size"));
        database.poolWait = config.duration("pool_wait");
        database.checkAfterIdle = config.duration("check_after_idle");
        database.startDeadline = config.duration("start_deadline");
        database.migrateAtStart = config.boolean("migrate_at_start");
    }

    void readNodes(const CheckedConfig& config) {
        DatabaseSettings& database = _settings.database;
        std::vector<NodeAddress>& nodes = database.session.nodes;
        database.session.failoverAfter = config.duration("failover_after");
        database.session.returnAfter = config.duration("return_after");
        for (const std::string& text : config.textList("hosts")) {
            const auto node = NodeAddress::parse(text);
            if (!node || std::find(nodes.begin(), nodes.end(), *node) != nodes.end())
                _problems.error(config.position("hosts"),
                                "hosts must hold different servers like \"db1:3306\", \"[fd00::1]:3306\" or "
                                "\"/run/mysqld/mysqld.sock\", found \"" +
                                    text + "\"");
            else
                nodes.push_back(*node);
        }
        if (!nodes.empty() && !database.session.socket.empty())
            _problems.error(config.position("socket"),
                            "socket and hosts must not both be set: write the socket into hosts, and "
                            "socket = \"\" where it is set before (supplierctl config show)");
        readReadFrom(config, nodes);
        // One alone is what host and port say, or socket.
        if (nodes.size() == 1) {
            database.session = database.session.at(nodes.front());
            database.readFrom.reset();
        }
    }

    void readReadFrom(const CheckedConfig& config, const std::vector<NodeAddress>& nodes) {
        const std::string wanted = config.text("read_from");
        if (wanted == "writer")
            return;
        const auto named = NodeAddress::parse(wanted);
        const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const NodeAddress& node) {
            return wanted == "local" ? node.isLocal() : node == named;
        });
        if (found != nodes.end())
            _settings.database.readFrom = static_cast<std::size_t>(found - nodes.begin());
        else
            _problems.error(config.position("read_from"),
                            wanted == "local"
                                ? "read_from is \"local\", and none of hosts is this machine; name one "
                                  "of them instead"
                                : "read_from must be \"writer\", \"local\" or one of hosts, found \"" + wanted + "\"");
    }

    std::size_t cacheMemory(const CheckedConfig& config) {
        const auto wanted = static_cast<std::uint64_t>(config.size("memory"));
        const auto machine =
            static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        if (wanted > machine)
            _problems.error(config.position("memory"), "memory is more than this machine has, " +
                                                           std::to_string(machine) + " bytes; give it less");
        return static_cast<std::size_t>(wanted);
    }

    void requireText(const CheckedConfig& config, const char* key, const std::string& value) {
        if (value.empty())
            _problems.error(config.position(key), std::string(key) + " must not be empty");
    }

    void readAuth() {
        const CheckedConfig config = section("auth");
        _settings.auth.negativeTtl = config.duration("negative_ttl");
        _settings.auth.failuresPerMinute = static_cast<int>(config.integer("failures_per_minute"));
        const CheckedConfig limits = section("rate_limit");
        _settings.rateLimit.requestsPerHour = static_cast<int>(limits.integer("requests_per_hour"));
        _settings.rateLimit.supplierRequestsPerHour = static_cast<int>(limits.integer("supplier_requests_per_hour"));
        _settings.rateLimit.publicPerMinute = static_cast<int>(limits.integer("public_per_minute"));
    }

    void readRedis() {
        const CheckedConfig config = section("redis");
        RedisSettings& redis = _settings.redis;
        redis.host = config.text("host");
        redis.port = static_cast<unsigned>(config.integer("port"));
        redis.socket = absolutePath(config.text("socket")).string();
        redis.user = config.text("user");
        redis.password = Poco::Environment::get(REDIS_PASSWORD_VARIABLE, "");
        if (redis.password.empty())
            redis.password = config.text("password");
        redis.database = static_cast<int>(config.integer("database"));
        redis.prefix = config.text("prefix");
        redis.timeLimit = config.duration("time_limit");
        redis.poolSize = static_cast<int>(config.integer("pool_size"));
        if (!redis.user.empty() && redis.password.empty())
            _problems.error(config.position("user"), "user needs password or password_file beside it");
        if (redis.prefix.empty())
            _problems.error(config.position("prefix"), "prefix must not be empty: others may keep keys there too");
    }

    void readIdempotency() {
        const CheckedConfig config = section("idempotency");
        _settings.idempotency.retention = config.duration("retention");
    }

    /// How long the entries of a log are kept.
    std::chrono::milliseconds readRetention(const char* name, const std::string& key = "retention",
                                            const std::string& zero = "for ever") {
        constexpr auto LEAST = std::chrono::hours(24);
        const CheckedConfig config = section(name);
        const auto retention = config.duration(key);
        // What is deleted does not come back: a slip like "400s" must not cost the log.
        if (retention != retention.zero() && retention < LEAST)
            _problems.error(config.position(key), key + " must be \"0\" (" + zero + ") or at least 1d, found \"" +
                                                      formatDuration(retention) + "\"");
        return retention;
    }

    void readLog() {
        const CheckedConfig config = section("log");
        choose<LogLevel>(config, "level", LOG_LEVELS, _settings.log.level);
        const std::string access = config.text("access_log");
        const std::string file = config.text("file");
        requireText(config, "access_log", access);
        requireText(config, "file", file);
        _settings.log.accessLog = access == "-" || access == "off" ? access : absolutePath(access).string();
        _settings.log.file = file == "-" ? file : absolutePath(file).string();
    }

    void readPlugins() {
        if (const ConfigTable* plugins = _root.table("plugins"))
            _settings.plugins = *plugins;
        for (auto entry = _settings.plugins.entries.begin(); entry != _settings.plugins.entries.end();) {
            if (std::holds_alternative<ConfigTable>(entry->second.value.data)) {
                ++entry;
                continue;
            }
            _problems.error(entry->second.keyPosition, "[plugins] holds one table per plugin, written [plugins." +
                                                           entry->first + "], found " + entry->second.value.kind());
            entry = _settings.plugins.entries.erase(entry);
        }
    }

    const std::filesystem::path& _file;
    Diagnostics& _problems;
    std::filesystem::path _folder;
    ConfigTable _root;
    Settings _settings;
};

} // namespace

Settings loadSettings(const std::filesystem::path& file, Diagnostics& problems, const std::filesystem::path& original) {
    Diagnostics found;
    Settings settings = Loader(file, found, original).load();
    problems.addInFileOrder(found);
    return settings;
}

ConfigTable loadTables(const std::filesystem::path& file, Diagnostics& problems) {
    return readConfigFiles(file, folderOf(file), problems).merged;
}

std::vector<MarkedFile> configurationFiles(const std::filesystem::path& file) {
    Diagnostics ignored; // whoever loads the settings is told
    return readConfigFiles(file, folderOf(file), ignored).files;
}

} // namespace supplierd::host
