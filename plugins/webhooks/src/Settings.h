#pragma once

#include <supplierd/Config.h>
#include <supplierd/services/HttpClient.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace supplierd::webhooks {

/// `[plugins.webhooks]`
struct Settings {
    bool allowsHttp = false;
    HttpRules rules;
    std::int64_t maxEndpoints = 10;
    std::int64_t maxBacklog = 100'000;
    std::size_t senders = 32;
    std::size_t sendersPerEndpoint = 4;
    std::int64_t perSecond = 1'200;
    std::chrono::milliseconds timeout{10'000};
    std::chrono::milliseconds firstPause{5'000};
    std::chrono::milliseconds retryFor{};
    std::chrono::milliseconds disableAfter{};
    std::chrono::milliseconds keep{};
    std::chrono::milliseconds secretOverlap{};

    static std::vector<ConfigKey> keys();
    static Settings read(const Config& config);

    /// How long a server has an endpoint without a word to the database. A request begins only when it ends within it.
    std::chrono::milliseconds lease() const { return std::max(3 * timeout, std::chrono::milliseconds(3'000)); }
};

} // namespace supplierd::webhooks
