#include "Settings.h"

#include <unistd.h>

#include <string>

namespace supplierd::webhooks {

namespace {

constexpr std::int64_t SECOND = 1'000;
constexpr std::int64_t HOUR = 3'600 * SECOND;
constexpr std::int64_t DAY = 24 * HOUR;

std::vector<AddressNetwork> networksOf(const Config& config) {
    std::vector<AddressNetwork> networks;
    for (const auto& text : config.textList("allow_networks")) {
        const auto network = AddressNetwork::parse(text);
        if (!network)
            throw ConfigError("allow_networks",
                              "must hold networks like \"10.20.0.0/16\" or \"fd00:1::/32\", found \"" + text + "\"");
        networks.push_back(*network);
    }
    return networks;
}

std::string certificatesOf(const Config& config) {
    const std::string file = config.text("trusted_certificates");
    if (!file.empty() && ::access(file.c_str(), R_OK) != 0)
        throw ConfigError("trusted_certificates", "there is no file " + file + " that can be read");
    return file;
}

} // namespace

std::vector<ConfigKey> Settings::keys() {
    using enum ConfigType;
    return {
        {"allow_http", Boolean, "false", "endpoints may be http:// too"},
        {"allow_networks", TextList, "[]", "networks that may be called besides public addresses"},
        {"allow_ports", IntegerList, "[443]", "ports that may be called", 1, 65'535},
        {"trusted_certificates", Text, "\"\"", "a PEM file; empty: the system's certificates"},
        {"max_endpoints", Integer, "10", "endpoints of one supplier", 1, 1'000},
        {"max_backlog", Integer, "100000", "deliveries of one endpoint that wait; one with more is switched off", 100,
         10'000'000},
        {"senders", Integer, "32", "deliveries of all endpoints under way at once, on one server", 2, 512},
        {"senders_per_endpoint", Integer, "4", "deliveries of one endpoint under way at once", 1, 64},
        {"per_second", Integer, "1200", "deliveries of all endpoints begun a second, on one server", 1, 1'000'000},
        {"timeout", Duration, "\"10s\"", "how long an endpoint may take to answer", 100, 60 * SECOND},
        {"first_pause", Duration, "\"5s\"", "before a failed delivery is tried again; each further one is longer", 10,
         HOUR},
        {"retry_for", Duration, "\"3d\"", "a delivery that was not taken for so long has failed", SECOND, 30 * DAY},
        {"disable_after", Duration, "\"5d\"", "an endpoint that took nothing for so long is switched off", SECOND,
         90 * DAY},
        {"keep", Duration, "\"14d\"", "how long deliveries that are done can be looked at", HOUR, 365 * DAY},
        {"secret_overlap", Duration, "\"24h\"", "how long both signatures are sent after a secret was changed", 0,
         30 * DAY},
    };
}

Settings Settings::read(const Config& config) {
    Settings settings;
    settings.allowsHttp = config.boolean("allow_http");
    settings.rules.allowNetworks = networksOf(config);
    settings.rules.allowPorts.clear();
    for (const std::int64_t port : config.integerList("allow_ports"))
        settings.rules.allowPorts.push_back(static_cast<std::uint16_t>(port));
    if (settings.rules.allowPorts.empty())
        throw ConfigError("allow_ports", "must hold a port, else nothing can be delivered");
    settings.rules.trustedCertificatesFile = certificatesOf(config);
    settings.rules.userAgent = "supplierd-webhooks/" SUPPLIERD_PLUGIN_VERSION;
    settings.maxEndpoints = config.integer("max_endpoints");
    settings.maxBacklog = config.integer("max_backlog");
    settings.senders = static_cast<std::size_t>(config.integer("senders"));
    settings.sendersPerEndpoint = static_cast<std::size_t>(config.integer("senders_per_endpoint"));
    settings.perSecond = config.integer("per_second");
    settings.timeout = config.duration("timeout");
    settings.firstPause = config.duration("first_pause");
    settings.retryFor = config.duration("retry_for");
    settings.disableAfter = config.duration("disable_after");
    settings.keep = config.duration("keep");
    settings.secretOverlap = config.duration("secret_overlap");
    if (settings.sendersPerEndpoint > settings.senders)
        throw ConfigError("senders_per_endpoint",
                          "must not be more than senders, which is " + std::to_string(settings.senders));
    return settings;
}

} // namespace supplierd::webhooks
