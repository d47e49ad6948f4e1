#include "MarketplaceClock.h"
#include "SandboxReset.h"
#include "TestOrder.h"
#include "sandboxAssets.h"
#include "sandboxOpenApi.h"

#include <supplierd/Assets.h>
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Dashboard.h>

#include <span>
#include <string>

namespace supplierd::sandbox {

namespace {

/// What happens to a supplier on a marketplace, made by the supplier himself in his sandbox: customers order, and
/// states go on. Keeps nothing between requests, and does nothing that the services of others do not do for everybody.
class SandboxPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Lets orders arrive at suppliers' sandboxes, and their states go on";
        description.openapi = supplierd_sandbox_generated::openapi();
        description.needs = {"catalog", "orders"};
        description.after = {std::string(Dashboard::ID)};
        description.scopes = {{SCOPE, "Play customers and marketplace in a sandbox"}};
        Route own{Method::Get, "/sandbox", Audience::Supplier, SCOPE};
        own.handler = [this](Request& request) { return readOwn(request); };
        description.routes = {std::move(own), _pages.route("/sandbox/{rest...}")};
        const auto route = [&](Method method, std::string pattern, Body body,
                               Response (SandboxPlugin::*member)(Request&)) {
            description.routes.push_back(
                {method, std::move(pattern), Audience::Supplier, SCOPE, body, [this, member](Request& request) {
                     requireSandbox(request);
                     return (this->*member)(request);
                 }});
        };
        route(Method::Post, "/sandbox/orders", Body::Json, &SandboxPlugin::placeOrder);
        route(Method::Post, "/sandbox/clock", Body::Json, &SandboxPlugin::advanceClock);
        route(Method::Post, "/sandbox/products/{id:int}/approve", Body::None, &SandboxPlugin::approveProduct);
        route(Method::Post, "/sandbox/products/{id:int}/reject", Body::Json, &SandboxPlugin::rejectProduct);
        route(Method::Delete, "/sandbox/data", Body::None, &SandboxPlugin::reset);
        return description;
    }

    void start(Host& host) override {
        _services.accounts = &host.require<Accounts>();
        _services.crypto = &host.require<Crypto>();
        _services.orders = &host.require<Orders>();
        _services.products = &host.require<Products>();
        addDashboardPage(host, {.id = "sandbox",
                                .titles = {{"en", "Test mode"}, {"nl", "Testmodus"}, {"de", "Testmodus"}},
                                .script = "/sandbox/page.js",
                                .scope = SCOPE});
    }

private:
    static constexpr const char* SCOPE = "sandbox:write";

    /// The sandbox that the caller is, or has.
    Response readOwn(Request& request) const {
        const std::int64_t id = request.principal().supplierId;
        bool isSandbox = false;
        const auto sandbox = request.database().read([&](SqlSession& session) {
            auto own = _services.accounts->findSupplier(session, id);
            isSandbox = own && own->isSandbox();
            return isSandbox ? own : _services.accounts->findSandbox(session, id);
        });
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().field("is_sandbox", isSandbox).key("sandbox");
        if (sandbox)
            json.beginObject()
                .field("id", sandbox->id)
                .field("name", sandbox->name)
                .field("status", sandbox->status)
                .field("created_at", sandbox->createdAt)
                .endObject();
        else
            json.null();
        json.endObject();
        return response;
    }

    void requireSandbox(Request& request) const {
        const auto supplier = request.database().read([&](SqlSession& session) {
            return _services.accounts->findSupplier(session, request.principal().supplierId);
        });
        if (supplier && supplier->isSandbox())
            return;
        const std::string message = "This is a live key: customers and marketplace are played in a sandbox only, with "
                                    "its own key (sk_test_)";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "live_key", message}});
    }

    Response placeOrder(Request& request) {
        const TestOrder order(_services, request);
        return request.transact([&](Transaction& transaction) {
            const OrderGroupSummary placed = order.place(transaction);
            Response response = request.reply(201);
            response.addHeader("Location", "/api/v1/supplier/orders/" + std::to_string(placed.id));
            JsonWriter json(response.data);
            json.beginObject().key("order");
            writeJson(json, placed, Audience::Supplier);
            json.endObject();
            return response;
        });
    }

    Response advanceClock(Request& request) {
        MarketplaceClock clock(_services, request);
        return request.transact([&](Transaction& transaction) {
            clock.advance(transaction);
            Response response = request.reply();
            JsonWriter json(response.data);
            clock.write(json);
            return response;
        });
    }

    Response approveProduct(Request& request) {
        return decide(request, [&](Transaction& transaction, std::int64_t id, const Actor& marketplace) {
            _services.products->approve(transaction, std::span(&id, 1), marketplace);
        });
    }

    Response rejectProduct(Request& request) {
        Details details;
        ObjectReader reader(request.body(), details);
        const std::string reason = reader.text("reason", {Products::MAX_REASON, true}).valueOr("");
        details.throwIfAny();
        return decide(request, [&](Transaction& transaction, std::int64_t id, const Actor& marketplace) {
            _services.products->reject(transaction, std::span(&id, 1), reason, marketplace);
        });
    }

    template <class Decision>
    Response decide(Request& request, const Decision& decision) const {
        const std::int64_t id = request.pathInteger("id");
        const Actor marketplace{"sandbox", std::string(request.requestId()), Actor::Kind::Server};
        return request.transact([&](Transaction& transaction) {
            _services.products->require(transaction, request.principal().supplierId, id);
            decision(transaction, id, marketplace);
            Response response = request.reply();
            JsonWriter json(response.data);
            const JsonDocument product = _services.products->find(transaction, id).value().read();
            const JsonObject approval = product.get("approval").object();
            const JsonValue reason = approval.get("reason");
            json.beginObject().key("product").beginObject().field("id", id).key("approval").beginObject();
            json.field("status", approval.get("status").text());
            json.field("reason", reason.isNull() ? std::nullopt : std::optional(reason.text()));
            json.endObject().endObject().endObject();
            return response;
        });
    }

    Response reset(Request& request) {
        SandboxReset reset(_services, request);
        reset.run();
        Response response = request.reply();
        JsonWriter json(response.data);
        reset.write(json);
        return response;
    }

    Assets _pages{supplierd_sandbox_web::assets()};
    SandboxServices _services;
};

} // namespace

} // namespace supplierd::sandbox

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::sandbox::SandboxPlugin)
