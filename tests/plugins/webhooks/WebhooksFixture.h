#pragma once

#include "Receiver.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The configuration of the plugin with which a server delivers to these ports of this machine. `more`: further lines.
std::string webhooksConfiguration(const std::vector<unsigned>& ports, const std::string& more = {});
inline const std::vector<std::string> WEBHOOKS_PLUGINS = {"categories", "catalog",  "inventory",
                                                          "orders",     "platform", "webhooks"};

/// That of all tests of a program that share fixture(), which delivers to it.
Receiver& receiver();

/// A supplier with webhooks.
class WebhookClient : public SupplierClient {
public:
    using SupplierClient::SupplierClient;

    /// Creates products through the API: the change log knows nothing of those that are made in the database. Their
    /// ids.
    std::vector<std::int64_t> fill(int count);
    /// `data.webhook` of POST /webhooks: all stocks, thin, with `changes`.
    Json addWebhook(const std::string& url, const Json& changes = Json::object());
    Json webhook(std::int64_t id);
    Json changeWebhook(std::int64_t id, const Json& changes);
    /// `data.deliveries`, newest first.
    Json deliveries(std::int64_t webhook, const std::string& query = {});
    /// The number of the change.
    std::int64_t setStock(std::int64_t product, std::int64_t quantity);
};

inline std::string pathOf(std::int64_t webhook, const std::string& rest = {}) {
    return "/webhooks/" + std::to_string(webhook) + rest;
}

} // namespace supplierd::tests
