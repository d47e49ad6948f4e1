#include <supplierd/AuditLog.h>
#include <supplierd/OrderBook.h>
#include <supplierd/Plugin.h>

#include <stdexcept>

namespace supplierd::tests {

/// Operator routes that do nothing but call the order book, so that the tests of `orders` need no other plugin.
class FeederPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Routes for the tests of orders";
        about.needs = {"orders"};
        const auto route = [&about](Method method, std::string pattern, Body body, Handler handler) {
            about.routes.push_back({method, std::move(pattern), Audience::Operator, "", body, std::move(handler)});
        };
        route(Method::Post, "/test/orders", Body::Json, [this](Request& request) {
            return request.transact(
                [&](Transaction& transaction) { return _book->feed(transaction, request.body(), actor(request)); });
        });
        route(Method::Post, "/test/order-groups/{id:int}/complete", Body::None, [this](Request& request) {
            return request.transact([&](Transaction& transaction) {
                return _book->complete(transaction, request.pathInteger("id"), actor(request));
            });
        });
        route(Method::Get, "/test/order-groups", Body::None, [this](Request& request) { return _book->list(request); });
        route(Method::Get, "/test/order-groups/{id:int}", Body::None,
              [this](Request& request) { return _book->read(request, request.pathInteger("id")); });
        return about;
    }

    void start(Host& host) override {
        _book = host.service<OrderBook>();
        if (_book == nullptr)
            throw std::runtime_error("nobody offers the service " + std::string(OrderBook::ID));
    }

private:
    static OrderActor actor(const Request& request) {
        return {actorOf(request.principal()), std::string(request.requestId())};
    }

    OrderBook* _book = nullptr;
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::FeederPlugin)
