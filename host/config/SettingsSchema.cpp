#include "host/config/SettingsSchema.h"

#include <stdexcept>

namespace supplierd::host {

namespace {

constexpr std::int64_t SECOND = 1'000;
constexpr std::int64_t MINUTE = 60 * SECOND;
constexpr std::int64_t HOUR = 60 * MINUTE;
constexpr std::int64_t DAY = 24 * HOUR;
constexpr std::int64_t KIB = 1'024;
constexpr std::int64_t MIB = 1'024 * KIB;

ConfigKey text(std::string name, std::string defaultValue, std::string help) {
    return {std::move(name), ConfigType::Text, std::move(defaultValue), std::move(help)};
}

ConfigKey integer(std::string name, std::string defaultValue, std::int64_t min, std::int64_t max, std::string help) {
    return {std::move(name), ConfigType::Integer, std::move(defaultValue), std::move(help), min, max};
}

ConfigKey duration(std::string name, std::string defaultValue, std::int64_t min, std::int64_t max, std::string help) {
    return {std::move(name), ConfigType::Duration, std::move(defaultValue), std::move(help), min, max};
}

SettingsSection server() {
    return {
        "server",
        {text("listen", R"("127.0.0.1:8080")", "address and port of the API; port 0 takes a free one"),
         text("admin_listen", R"("127.0.0.1:8081")", "address and port of /healthz, /readyz and /metrics"),
         text("control_socket", R"("/run/supplierd/control.sock")", "Unix socket of supplierctl; empty: none"),
         text("control_group", R"("")", "group whose members may use it; empty: the server's own"),
         text("tls_certificate", R"("")", "PEM file with the certificate and its chain: the API speaks HTTPS"),
         text("tls_key", R"("")", "PEM file with its private key"),
         duration("hsts", R"("0s")", 0, 730 * DAY, "Strict-Transport-Security of responses by https; 0s: none"),
         text("address_file", R"("")", "written once listening: JSON with url, admin_url and pid"),
         text("pid_file", R"("")", "written once listening: the process id alone"),
         integer("threads", "64", 1, 4'096, "requests that are worked on at once at most"),
         integer("check_responses", "1000", 0, 1'000'000, "one in so many answers of plugins is parsed; 0: none"),
         integer("max_queued", "256", 0, 65'536, "requests that wait for their turn before others get a 503"),
         duration("queue_time", R"("2s")", 10, MINUTE, "how long a request waits for its turn before it gets a 503"),
         integer("max_connections", "16384", 16, 1'000'000, "connections that are open at once"),
         integer("connections_per_address", "1024", 0, 1'000'000, "of one client address; 0: no limit"),
         duration("keep_alive_timeout", R"("15s")", SECOND, HOUR, "how long an idle connection is kept"),
         duration("request_timeout", R"("30s")", SECOND, HOUR, "how long a client may send, or take, nothing"),
         {"body_limit", ConfigType::Size, R"("1MiB")", "largest body of a request", KIB, 64 * MIB},
         {"memory", ConfigType::Size, R"("320MiB")", "memory for everything that is kept so as not to be read again",
          MIB, 1'024 * 1'024 * 1'024 * MIB},
         {"held_memory", ConfigType::Size, R"("64MiB")", "memory for bodies that arrive and responses that wait",
          8 * MIB, 64 * 1'024 * MIB},
         {"held_files", ConfigType::Size, R"("1GiB")", "temporary files for those that memory has no room for",
          64 * MIB, 1'024 * 1'024 * MIB},
         duration("shutdown_deadline", R"("20s")", 0, HOUR, "how long running requests may finish after SIGTERM"),
         duration("drain_pause", R"("0s")", 0, MINUTE, "how long a server that ends is not ready, but serves still"),
         duration("drain_grace", R"("1s")", 0, MINUTE, "how long an idle connection may bring a last request then"),
         {"trusted_proxies", ConfigType::TextList, "[]",
          "addresses or ranges of proxies that are believed whom they pass requests on for"},
         text("forwarded_header", R"("X-Forwarded-For")", "what they say it with: X-Forwarded-For or Forwarded"),
         {"proxy_protocol", ConfigType::Boolean, "false",
          "whether every connection of a trusted proxy begins with a PROXY header, version 1 or 2"},
         {"cors_origins", ConfigType::TextList, "[]",
          "origins of web pages that may call the API from a browser, like \"https://shop.example\"; \"*\": all"},
         {"compression", ConfigType::Boolean, "false", "whether JSON of more than 1 KiB goes out as gzip"},
         text("plugin_dir", R"("")", "where plugin files are; empty: where supplierd was installed"),
         text("state_dir", R"("")", "where plugins keep files of their own; empty: where supplierd was installed"),
         text("plugins_enabled", R"("plugins-enabled")", "folder of symlinks that says which plugins are loaded")}};
}

SettingsSection database() {
    ConfigKey password = text("password", R"("")", "also from the environment: SUPPLIERD_DATABASE_PASSWORD");
    password.secret = true;
    return {"database",
            {text("host", R"("127.0.0.1")", "host name or address of the database server"),
             integer("port", "3306", 1, 65'535, "port of the database server"),
             text("socket", R"("")", "Unix socket; when given, host and port are not used"),
             {"hosts", ConfigType::TextList, "[]",
              "several servers with the same data, in failover order, the same on every host of supplierd; instead of "
              "host, port and socket"},
             text("read_from", R"("writer")", "where plain reads go: writer, local, or one of hosts"),
             duration("failover_after", R"("1500ms")", 500, MINUTE, "one of hosts that is silent for so long is left"),
             duration("return_after", R"("10s")", 0, HOUR,
                      "an earlier one of hosts is returned to when it was in step for so long"),
             text("user", R"("supplierd")", "database user"),
             password,
             text("name", R"("supplierd")", "name of the database"),
             text("tls", R"("preferred")", "off, preferred, required, or verify"),
             text("tls_ca", R"("")", "certificate authority for verify; empty: the system's"),
             integer("pool_size", "16", 1, 1'000, "sessions that are kept open at most"),
             duration("pool_wait", R"("2s")", 1, MINUTE, "how long a request waits for a session before it gets a 503"),
             duration("check_after_idle", R"("5s")", 0, HOUR, "a session idle for longer is checked before use"),
             duration("connect_timeout", R"("5s")", SECOND, MINUTE, "how long opening a session may take"),
             duration("read_timeout", R"("30s")", SECOND, HOUR, "a server silent for so long counts as lost"),
             duration("write_timeout", R"("30s")", SECOND, HOUR, "how long sending to the server may take"),
             duration("statement_time_limit", R"("10s")", 100, HOUR, "the server ends a statement after this"),
             duration("lock_wait_timeout", R"("5s")", SECOND, HOUR, "how long a statement waits for a lock"),
             duration("start_deadline", R"("60s")", 0, HOUR, "how long the start waits for the database"),
             {"migrate_at_start", ConfigType::Boolean, "false",
              "whether a start applies the migrations that are missing, but for those that contract"}}};
}

SettingsSection redis() {
    ConfigKey password = text("password", R"("")", "also from the environment: SUPPLIERD_REDIS_PASSWORD");
    password.secret = true;
    return {
        "redis",
        {text("host", R"("")", "host name or address of Redis; without it and socket there is none"),
         integer("port", "6379", 1, 65'535, "port of Redis"),
         text("socket", R"("")", "Unix socket of Redis; when given, host and port are not used"),
         text("user", R"("")", "user of Redis; empty: its default one"), password,
         integer("database", "0", 0, 1'000'000, "number of the database on that Redis"),
         text("prefix", R"("supplierd:")", "what the names of all keys there begin with"),
         duration("time_limit", R"("20ms")", 1, SECOND, "how long a request waits for Redis before it does without"),
         integer("pool_size", "16", 1, 1'000, "connections that are kept open at most")}};
}

std::vector<SettingsSection> buildSchema() {
    return {
        server(),
        database(),
        {"auth",
         {duration("negative_ttl", R"("500ms")", 0, MINUTE, "how long an unknown key is refused without asking"),
          integer("failures_per_minute", "60", 1, 1'000'000, "failed authentications per client address")}},
        {"rate_limit",
         {integer("requests_per_hour", "1000", 1, 1'000'000'000, "per API key, unless the key has its own limit"),
          integer("supplier_requests_per_hour", "0", 0, 1'000'000'000,
                  "over all keys of a supplier; 0: ten times requests_per_hour"),
          integer("public_per_minute", "6000", 0, 1'000'000'000,
                  "per client address, of requests without a key; 0: no limit")}},
        redis(),
        {"idempotency",
         {duration("retention", R"("24h")", SECOND, 30 * DAY, "how long the outcome of an Idempotency-Key is kept")}},
        {"audit",
         {duration("retention", R"("400d")", 0, 36'500 * DAY, "how long an entry of the audit log is kept; 0: always"),
          duration("push_retention", R"("30d")", 0, 36'500 * DAY,
                   "how long one of a bulk request of stocks or prices is kept; 0: as long as the others")}},
        {"changes",
         {duration("retention", R"("30d")", 0, 36'500 * DAY,
                   "how long an entry of the change log is kept; 0: always")}},
        {"log",
         {text("level", R"("information")", "debug, information, warning, or error"),
          text("access_log", R"("-")", "one JSON line per request: - (standard output), off, or a file"),
          text("file", R"("-")", "the server's own log: - (standard error) or a file")}}};
}

} // namespace

const std::vector<SettingsSection>& settingsSchema() {
    static const std::vector<SettingsSection> schema = buildSchema();
    return schema;
}

const std::vector<ConfigKey>& settingsKeys(const std::string& section) {
    for (const SettingsSection& candidate : settingsSchema()) {
        if (candidate.name == section)
            return candidate.keys;
    }
    throw std::out_of_range("no section [" + section + "]");
}

} // namespace supplierd::host
