#include "ChangeFanOut.h"
#include "DeliveryService.h"
#include "EndpointCheck.h"
#include "EndpointRoutes.h"
#include "Upkeep.h"
#include "webhooksAssets.h"
#include "webhooksDescription.h"

#include <supplierd/Assets.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Dashboard.h>

#include <memory>
#include <optional>
#include <string>

namespace supplierd::webhooks {

/// Tells suppliers' own servers what changes (Standard Webhooks).
class WebhooksPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about = supplierd_webhooks_generated::description();
        about.summary = "Tells suppliers' servers what changes";
        about.config = Settings::keys();
        about.scopes = {{"webhooks:read", "Read webhooks and their deliveries"},
                        {"webhooks:write", "Register webhooks, change and test them"}};
        about.after = {std::string(Products::ID), std::string(Orders::ID), std::string(Dashboard::ID)};
        addRoutes(about.routes, [this]() -> const RouteServices& { return *_routes; });
        addOperatorRoutes(about.routes, [this]() -> const RouteServices& { return *_routes; });
        about.routes.push_back(_assets.route("/webhooks/{rest...}"));
        return about;
    }

    void configure(const Config& config) override { _settings = Settings::read(config); }

    void start(Host& host) override {
        _http = host.require<HttpClient>().withRules(_settings.rules);
        auto& crypto = host.require<Crypto>();
        auto& audit = host.require<AuditLog>();
        auto& changes = host.require<ChangeLog>();
        auto& accounts = host.require<Accounts>();
        _endpoints.emplace(audit, accounts, crypto, _settings);
        _log.emplace(*_endpoints, changes, audit, crypto, _settings);
        const auto wake = [this] { _service->wake(); };
        _routes.emplace(RouteServices{*_endpoints, *_log, *_http, _settings, wake});
        _fanOut.emplace(*_endpoints, _settings, wake);
        _upkeep.emplace(*_endpoints, host.metrics(), _settings);
        const ObjectServices objects{host.service<Products>(), host.service<Orders>(), &accounts};
        _service.emplace(Sender::Dependencies{host.database(), *_http, crypto, host.log(), host.metrics(), objects},
                         *_endpoints, _settings);
        host.require<ChangeReaders>().add(
            {"deliveries",
             [this](Transaction& transaction, std::int64_t supplierId, const ChangePage& page) {
                 _fanOut->work(transaction, supplierId, page);
             },
             ChangeFanOut::AT_ONCE});
        host.require<Jobs>().add({"upkeep", std::chrono::minutes(10), [this](JobRun& run) { _upkeep->run(run); }});
        addOperations(host.require<Operations>(), host.database());
        addDashboardPage(host, {.id = "webhooks",
                                .titles = {{"en", "Webhooks"}, {"nl", "Webhooks"}, {"de", "Webhooks"}},
                                .script = "/webhooks/page.js",
                                .scope = "webhooks:read"});
    }

    void ready() override { _service->start(); }

    void drain() override { _service->stop(); }

    void stop() noexcept override {
        _service.reset();
        _routes.reset();
        _http.reset();
    }

private:
    const Assets _assets{supplierd_webhooks_web::assets()};
    Settings _settings;
    std::unique_ptr<HttpClient> _http;
    std::optional<EndpointStore> _endpoints;
    std::optional<DeliveryLog> _log;
    std::optional<RouteServices> _routes;
    std::optional<ChangeFanOut> _fanOut;
    std::optional<Upkeep> _upkeep;
    std::optional<DeliveryService> _service;
};

} // namespace supplierd::webhooks

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::webhooks::WebhooksPlugin)
