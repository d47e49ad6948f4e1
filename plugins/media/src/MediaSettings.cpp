#include "MediaSettings.h"

#include "WorkerProcess.h"
#include "shared/ImageLimits.h"

#include <Poco/Exception.h>
#include <Poco/String.h>
#include <Poco/URI.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#ifndef SUPPLIERD_PLUGIN_VERSION
#error "SUPPLIERD_PLUGIN_VERSION is not defined: build plugins with supplierd_add_plugin()"
#endif

namespace supplierd::media {

namespace {

std::filesystem::path absolutePath(const Config& config, std::string_view key) {
    std::filesystem::path path = config.text(key);
    if (!path.is_absolute())
        throw ConfigError(std::string(key), "must be a path that begins with a slash, found \"" + path.string() + "\"");
    return path.lexically_normal();
}

std::filesystem::path workerProgram(const Config& config) {
    if (!config.text("worker").empty()) {
        auto given = absolutePath(config, "worker");
        if (::access(given.c_str(), X_OK) != 0 || std::filesystem::is_directory(given))
            throw ConfigError("worker", "there is no program " + given.string());
        return given;
    }
    if (auto found = findWorkerProgram())
        return *std::move(found);
    throw ConfigError("worker", "the program supplierd-imageworker is not where it was installed; name it here");
}

std::string certificates(const Config& config, std::string_view key) {
    if (config.text(key).empty())
        return {};
    auto file = absolutePath(config, key);
    if (::access(file.c_str(), R_OK) != 0)
        throw ConfigError(std::string(key), "there is no file " + file.string() + " that can be read");
    return file.string();
}

bool choice(const Config& config, std::string_view key, std::string_view no, std::string_view yes) {
    const auto found = config.text(key);
    if (found != no && found != yes)
        throw ConfigError(std::string(key), "must be \"" + std::string(no) + "\" or \"" + std::string(yes) +
                                                "\", found \"" + found + "\"");
    return found == yes;
}

bool consistsOf(std::string_view text, std::string_view more) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
    });
}

constexpr std::string_view CAPITALS_AND = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// "https://host" or "http://host:9000", as browsers and libcurl send it in "Host", which is signed: in lower case,
/// without the port that goes without saying. "" is allowed.
std::string endpointOf(const Config& config, std::string_view key) {
    const std::string given = config.text(key);
    if (given.empty())
        return given;
    try {
        const Poco::URI uri(Poco::toLower(given));
        const std::string& host = uri.getHost();
        const bool isIpv6 = host.find(':') != std::string::npos;
        const bool isHttp = uri.getScheme() == "http" || uri.getScheme() == "https";
        const bool isHost = !host.empty() && consistsOf(host, isIpv6 ? ":." : "-.");
        if (isHttp && isHost && uri.getPort() != 0 && uri.getUserInfo().empty() && uri.getRawQuery().empty() &&
            uri.getFragment().empty() && (uri.getPath().empty() || uri.getPath() == "/"))
            return uri.getScheme() + "://" + uri.getAuthority();
    } catch (const Poco::SyntaxException&) { // NOLINT(bugprone-empty-catch): said below
    }
    throw ConfigError(std::string(key),
                      "must be like \"https://s3.example.com\" or \"http://10.0.0.5:9000\", found \"" + given + "\"");
}

/// Whatever goes into a header.
std::string withoutSpaces(std::string_view key, std::string text) {
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= 0x20 || c >= 0x7f; }))
        throw ConfigError(std::string(key), "must not hold spaces or control characters");
    return text;
}

std::string environmentVariable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Of the configuration, or of the variable that AWS's own programs read.
std::string credential(const Config& config, std::string_view key, const char* variable) {
    auto text = config.text(key);
    if (text.empty())
        text = environmentVariable(variable);
    if (text.empty())
        throw ConfigError(std::string(key),
                          "is needed for S3: give it, or the environment variable " + std::string(variable));
    return withoutSpaces(key, std::move(text));
}

/// The environment's token belongs to the environment's access key, and to no other.
std::string sessionToken(const Config& config, const AwsCredentials& credentials) {
    constexpr std::string_view KEY = "s3.session_token";
    auto text = config.text(KEY);
    if (text.empty() && config.text("s3.access_key_id").empty() && config.text("s3.secret_access_key").empty())
        text = environmentVariable("AWS_SESSION_TOKEN");
    // What AWS's temporary access keys begin with.
    if (text.empty() && credentials.accessKeyId.starts_with("ASIA"))
        throw ConfigError(std::string(KEY), "is needed: the access key \"" + credentials.accessKeyId +
                                                "\" is a temporary one, which is good for nothing without its token");
    return withoutSpaces(KEY, std::move(text));
}

std::optional<S3Settings> s3Of(const Config& config) {
    S3Settings s3;
    s3.bucket = config.text("s3.bucket");
    if (s3.bucket.empty())
        return std::nullopt;
    if (s3.bucket.size() < 3 || s3.bucket.size() > 63 || !consistsOf(s3.bucket, "-."))
        throw ConfigError("s3.bucket",
                          "must have 3 to 63 lower-case letters, digits, '-' and '.', found \"" + s3.bucket + "\"");
    s3.region = config.text("s3.region");
    if (s3.region.empty() || !consistsOf(s3.region, std::string(CAPITALS_AND) + "-_"))
        throw ConfigError("s3.region", "must be a region like \"eu-central-1\", found \"" + s3.region + "\"");
    s3.endpoint = endpointOf(config, "s3.endpoint");
    if (s3.endpoint.empty())
        s3.endpoint = "https://s3." + s3.region + ".amazonaws.com";
    s3.publicEndpoint = endpointOf(config, "s3.public_endpoint");
    s3.isPathStyle = !choice(config, "s3.style", "path", "virtual");
    s3.prefix = config.text("s3.prefix");
    if (!s3.prefix.empty() &&
        (!s3.prefix.ends_with('/') || s3.prefix.starts_with('/') || s3.prefix.find("//") != std::string::npos ||
         s3.prefix.find("..") != std::string::npos || !consistsOf(s3.prefix, std::string(CAPITALS_AND) + "-_./")))
        throw ConfigError("s3.prefix",
                          "must be like \"supplierd/\", of letters, digits, '-', '_', '.' and '/', found \"" +
                              s3.prefix + "\"");
    s3.credentials.accessKeyId = credential(config, "s3.access_key_id", "AWS_ACCESS_KEY_ID");
    s3.credentials.secretAccessKey = credential(config, "s3.secret_access_key", "AWS_SECRET_ACCESS_KEY");
    s3.credentials.sessionToken = sessionToken(config, s3.credentials);
    s3.trustedCertificates = certificates(config, "s3.trusted_certificates");
    s3.userAgent = "supplierd/" SUPPLIERD_PLUGIN_VERSION;
    s3.connectTimeout = config.duration("s3.connect_timeout");
    s3.requestTimeout = config.duration("s3.request_timeout");
    s3.timeout = config.duration("s3.timeout");
    s3.urlExpiry = std::chrono::duration_cast<std::chrono::seconds>(config.duration("s3.url_expiry"));
    s3.maxParallel = static_cast<unsigned>(config.integer("s3.max_parallel"));
    return s3;
}

std::vector<AddressNetwork> networksOf(const Config& config) {
    std::vector<AddressNetwork> networks;
    for (const auto& text : config.textList("fetch.allow_networks")) {
        auto network = AddressNetwork::parse(text);
        if (!network)
            throw ConfigError("fetch.allow_networks",
                              "must hold networks like \"10.20.0.0/16\" or \"fd00:1::/32\", found \"" + text + "\"");
        networks.push_back(*network);
    }
    return networks;
}

std::vector<std::uint16_t> portsOf(const Config& config) {
    std::vector<std::uint16_t> ports;
    for (const std::int64_t port : config.integerList("fetch.allow_ports"))
        ports.push_back(static_cast<std::uint16_t>(port));
    if (ports.empty())
        throw ConfigError("fetch.allow_ports", "must hold a port, else no image can be fetched");
    return ports;
}

unsigned number(const Config& config, std::string_view key) {
    return static_cast<unsigned>(config.integer(key));
}

void requireNotMore(std::string_view lesserKey, unsigned lesser, std::string_view greaterKey, unsigned greater) {
    if (lesser > greater)
        throw ConfigError(std::string(lesserKey),
                          "must not be more than " + std::string(greaterKey) + ", which is " + std::to_string(greater));
}

/// A secret's value is never printed; it may come from a file.
ConfigKey secret(ConfigKey key) {
    key.secret = true;
    return key;
}

} // namespace

std::optional<StoreKind> storeKindOf(std::string_view name) {
    for (const auto kind : {StoreKind::Folder, StoreKind::S3})
        if (storeKindName(kind) == name)
            return kind;
    return std::nullopt;
}

std::string_view storeKindName(StoreKind kind) {
    return kind == StoreKind::S3 ? "s3" : "folder";
}

std::vector<ConfigKey> MediaSettings::keys() {
    using enum ConfigType;
    constexpr std::int64_t SECOND = 1'000;
    constexpr std::int64_t HOUR = 3'600 * SECOND;
    constexpr std::int64_t MAX_BYTES = MAX_IMAGE_BYTES;
    return {
        {"store", Text, "\"folder\"", "where the images' files lie: \"folder\" or \"s3\""},
        {"moving", Boolean, "false", "the folder and the S3 store are both used, while files move between them"},
        {"serve", Text, "\"stream\"", "what /media/ does with files in S3: \"stream\" or \"redirect\""},
        {"s3.bucket", Text, "\"\"", "the bucket"},
        {"s3.endpoint", Text, "\"\"", "the URL of the S3 store; empty: AWS's of the region"},
        {"s3.public_endpoint", Text, "\"\"", "the URL by which browsers reach it; empty: s3.endpoint"},
        {"s3.region", Text, "\"us-east-1\"", "the region"},
        {"s3.style", Text, "\"path\"", "where requests name the bucket: \"path\" or \"virtual\" (host)"},
        {"s3.prefix", Text, "\"\"", "what the names of all objects begin with"},
        {"s3.access_key_id", Text, "\"\"", "the access key; empty: AWS_ACCESS_KEY_ID of the environment"},
        secret({"s3.secret_access_key", Text, "\"\"", "its secret; empty: AWS_SECRET_ACCESS_KEY of the environment"}),
        secret({"s3.session_token", Text, "\"\"", "of a temporary access key (STS), beside key and secret"}),
        {"s3.trusted_certificates", Text, "\"\"", "a PEM file; empty: the system's certificates"},
        {"s3.connect_timeout", Duration, "\"2s\"", "for a connection", 10, HOUR},
        {"s3.request_timeout", Duration, "\"5s\"", "for one try of a request", 10, HOUR},
        {"s3.timeout", Duration, "\"15s\"", "for a request with all tries and pauses", 10, HOUR},
        {"s3.max_parallel", Integer, "32", "requests to the store at once", 1, 1'024},
        {"s3.url_expiry", Duration, "\"1h\"", "how long signed URLs are good for", 2 * SECOND, 7 * 24 * HOUR},
        {"root", Text, "\"/var/lib/supplierd/media\"", "the folder of the images' files"},
        {"worker", Text, "\"\"",
         "the program supplierd-imageworker; empty: the one that was installed with the plugin"},
        {"worker_socket", Text, "\"\"",
         "a Unix socket with an image worker for every connection, instead of the program"},
        {"workers", Integer, "2", "image workers", 1, 256},
        {"images_per_worker", Integer, "500", "an image worker is replaced after so many images", 1, 1'000'000},
        {"request_deadline", Duration, "\"40s\"", "for a request with all its images", SECOND, HOUR},
        {"max_requests", Integer, "32", "requests with images at once", 1, 4'096},
        {"max_requests_per_supplier", Integer, "16", "requests with images at once of one supplier", 1, 4'096},
        {"fetch.allow_networks", TextList, "[]", "networks that are not public and may be fetched from all the same"},
        {"fetch.allow_ports", IntegerList, "[80, 443]", "ports that may be fetched from", 1, 65'535},
        {"fetch.timeout", Duration, "\"20s\"", "for one image", 100, HOUR},
        {"fetch.max_bytes", Size, "\"5MiB\"", "the largest image that is accepted", 1, MAX_BYTES},
        {"fetch.max_parallel", Integer, "16", "images that are fetched at once", 1, 256},
        {"fetch.max_parallel_per_supplier", Integer, "10", "images of one supplier that are fetched at once", 1, 256},
        {"fetch.trusted_certificates", Text, "\"\"", "a PEM file; empty: the system's certificates"},
        {"janitor.interval", Duration, "\"1h\"", "how often files without an image are looked for", 100, 24 * HOUR},
        {"janitor.orphan_age", Duration, "\"1h\"", "files younger than this are left alone", SECOND, 24 * 365 * HOUR},
    };
}

MediaSettings MediaSettings::read(const Config& config) {
    MediaSettings settings;
    settings.root = absolutePath(config, "root");
    settings.store = choice(config, "store", "folder", "s3") ? StoreKind::S3 : StoreKind::Folder;
    settings.isMoving = config.boolean("moving");
    settings.redirects = choice(config, "serve", "stream", "redirect");
    settings.s3 = s3Of(config);
    if (!settings.s3 && (settings.store == StoreKind::S3 || settings.isMoving))
        throw ConfigError("s3.bucket", "is needed: the images are to be in S3, or to move there");
    if (config.text("worker_socket").empty())
        settings.workers.program = workerProgram(config);
    else
        settings.workers.socket = absolutePath(config, "worker_socket");
    settings.workers.workers = number(config, "workers");
    settings.workers.imagesPerWorker = number(config, "images_per_worker");
    settings.requestDeadline = config.duration("request_deadline");
    settings.maxRequests = number(config, "max_requests");
    settings.maxRequestsPerSupplier = number(config, "max_requests_per_supplier");
    requireNotMore("max_requests_per_supplier", settings.maxRequestsPerSupplier, "max_requests", settings.maxRequests);

    settings.rules.allowNetworks = networksOf(config);
    settings.rules.allowPorts = portsOf(config);
    settings.fetch.timeout = config.duration("fetch.timeout");
    settings.fetch.maxBytes = static_cast<std::uint64_t>(config.size("fetch.max_bytes"));
    settings.rules.trustedCertificatesFile = certificates(config, "fetch.trusted_certificates");
    settings.rules.userAgent = "supplierd/" SUPPLIERD_PLUGIN_VERSION;
    settings.fetchLimits.parallel = number(config, "fetch.max_parallel");
    settings.fetchLimits.parallelPerSupplier = number(config, "fetch.max_parallel_per_supplier");
    requireNotMore("fetch.max_parallel_per_supplier", settings.fetchLimits.parallelPerSupplier, "fetch.max_parallel",
                   settings.fetchLimits.parallel);

    settings.janitorInterval = config.duration("janitor.interval");
    settings.orphanAge = config.duration("janitor.orphan_age");
    if (settings.orphanAge < 2 * settings.requestDeadline)
        throw ConfigError("janitor.orphan_age", "must be at least twice request_deadline: a file that a request is "
                                                "still working with must not look forgotten");
    return settings;
}

} // namespace supplierd::media
