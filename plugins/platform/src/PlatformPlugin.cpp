#include "AuditTrail.h"
#include "SupplierKeys.h"
#include "Suppliers.h"
#include "platformOpenApi.h"

#include <supplierd/Plugin.h>

namespace supplierd::platform {

namespace {

/// Operators' routes about what the host itself owns. Keeps nothing between requests.
class PlatformPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Operators' routes: suppliers, keys, audit log";
        description.openapi = supplierd_platform_generated::openapi();
        addRoutes(description.routes);
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

    void addRoutes(std::vector<Route>& routes) const {
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

    Services _services;
    Suppliers _suppliers{_services};
    SupplierKeys _keys{_services};
    AuditTrail _audit{_services};
};

} // namespace

} // namespace supplierd::platform

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::platform::PlatformPlugin)
