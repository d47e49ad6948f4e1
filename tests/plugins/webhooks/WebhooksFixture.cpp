#include "WebhooksFixture.h"

namespace supplierd::tests {

std::string webhooksConfiguration(const std::vector<unsigned>& ports, const std::string& more) {
    std::string list;
    for (const unsigned port : ports)
        list += (list.empty() ? "" : ", ") + std::to_string(port);
    return "[plugins.webhooks]\nallow_http = true\nallow_networks = [\"127.0.0.0/8\"]\nallow_ports = [" + list +
           "]\nfirst_pause = \"50ms\"\ntimeout = \"1s\"\n" + more;
}

std::vector<std::int64_t> WebhookClient::fill(int count) {
    std::vector<std::int64_t> ids;
    for (int i = 0; i < count; ++i)
        ids.push_back(idOf(create()));
    return ids;
}

json WebhookClient::addWebhook(const std::string& url, const json& changes) {
    json body = {{"url", url}, {"events", {"stock.changed"}}};
    body.update(changes);
    return dataOf(post("/webhooks", body), 201).at("webhook");
}

json WebhookClient::webhook(std::int64_t id) {
    return dataOf(get(pathOf(id))).at("webhook");
}

json WebhookClient::changeWebhook(std::int64_t id, const json& changes) {
    return dataOf(post(pathOf(id), changes)).at("webhook");
}

json WebhookClient::deliveries(std::int64_t webhook, const std::string& query) {
    return dataOf(get(pathOf(webhook, "/deliveries") + (query.empty() ? "" : "?" + query))).at("deliveries");
}

std::int64_t WebhookClient::setStock(std::int64_t product, std::int64_t quantity) {
    const HttpResponse response = post("/stock", {{"items", {{{"product_id", product}, {"stock_qty", quantity}}}}});
    requireStatus(200, response);
    return std::stoll(response.header("X-Change-Seq"));
}

} // namespace supplierd::tests
