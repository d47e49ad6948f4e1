#include "AuditTrail.h"
#include "Categories.h"
#include "Orders.h"
#include "Products.h"
#include "SupplierKeys.h"
#include "Suppliers.h"
#include "platformOpenApi.h"

#include <supplierd/Plugin.h>

namespace supplierd::platform {

namespace {

/// The operators' API, /api/v1/platform. Keeps nothing between requests.
class PlatformPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "The operators' API: suppliers, keys, categories, approvals, orders, audit log";
        description.openapi = supplierd_platform_generated::openapi();
        description.needs = {"categories", "catalog", "orders"};
        addPeople(description.routes);
        addGoods(description.routes);
        return description;
    }

    void start(Host& host) override { _services = Services::of(host); }

private:
    /// A route that `member` of `part` answers.
    template <class Part>
    static Route route(Method method, std::string pattern, Body body, const Part& part,
                       Response (Part::*member)(Request&) const) {
        return {method, std::move(pattern), Audience::Operator, {}, body, [&part, member](Request& request) {
                    return (part.*member)(request);
                }};
    }

    void addPeople(std::vector<Route>& routes) const {
        routes.push_back(route(Method::Get, "/suppliers", Body::None, _suppliers, &Suppliers::list));
        routes.push_back(route(Method::Post, "/suppliers", Body::Json, _suppliers, &Suppliers::create));
        routes.push_back(route(Method::Get, "/suppliers/{id:int}", Body::None, _suppliers, &Suppliers::read));
        routes.push_back(route(Method::Post, "/suppliers/{id:int}/verify", Body::None, _suppliers, &Suppliers::verify));
        routes.push_back(
            route(Method::Post, "/suppliers/{id:int}/suspend", Body::None, _suppliers, &Suppliers::suspend));
        routes.push_back(route(Method::Get, "/suppliers/{id:int}/keys", Body::None, _keys, &SupplierKeys::list));
        routes.push_back(route(Method::Post, "/suppliers/{id:int}/keys", Body::Json, _keys, &SupplierKeys::create));
        routes.push_back(route(Method::Post, "/keys/{id:int}/revoke", Body::None, _keys, &SupplierKeys::revoke));
        routes.push_back(route(Method::Get, "/audit", Body::None, _audit, &AuditTrail::list));
    }

    void addGoods(std::vector<Route>& routes) const {
        routes.push_back(route(Method::Get, "/categories", Body::None, _categories, &Categories::list));
        routes.push_back(route(Method::Post, "/categories", Body::Json, _categories, &Categories::add));
        routes.push_back(route(Method::Post, "/categories/{id:int}", Body::Json, _categories, &Categories::change));
        routes.push_back(route(Method::Get, "/products", Body::None, _products, &Products::list));
        routes.push_back(route(Method::Get, "/products/{id:int}", Body::None, _products, &Products::read));
        routes.push_back(route(Method::Post, "/products/{id:int}/approve", Body::None, _products, &Products::approve));
        routes.push_back(route(Method::Post, "/products/{id:int}/reject", Body::Json, _products, &Products::reject));
        routes.push_back(route(Method::Post, "/orders", Body::Json, _orders, &Orders::feed));
        routes.push_back(route(Method::Get, "/order-groups", Body::None, _orders, &Orders::list));
        routes.push_back(route(Method::Get, "/order-groups/{id:int}", Body::None, _orders, &Orders::read));
        routes.push_back(
            route(Method::Post, "/order-groups/{id:int}/complete", Body::None, _orders, &Orders::complete));
    }

    Services _services;
    Suppliers _suppliers{_services};
    SupplierKeys _keys{_services};
    Categories _categories{_services};
    Products _products{_services};
    Orders _orders{_services};
    AuditTrail _audit{_services};
};

} // namespace

} // namespace supplierd::platform

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::platform::PlatformPlugin)
