#include "MediaSettings.h"

#include "WorkerProcess.h"
#include "shared/ImageLimits.h"

#include <unistd.h>

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

std::string certificates(const Config& config) {
    constexpr std::string_view KEY = "fetch.trusted_certificates";
    if (config.text(KEY).empty())
        return {};
    auto file = absolutePath(config, KEY);
    if (::access(file.c_str(), R_OK) != 0)
        throw ConfigError(std::string(KEY), "there is no file " + file.string() + " that can be read");
    return file.string();
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

} // namespace

std::vector<ConfigKey> MediaSettings::keys() {
    using enum ConfigType;
    constexpr std::int64_t SECOND = 1'000;
    constexpr std::int64_t HOUR = 3'600 * SECOND;
    constexpr std::int64_t MAX_BYTES = MAX_IMAGE_BYTES;
    return {
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
    settings.rules.trustedCertificates = certificates(config);
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
