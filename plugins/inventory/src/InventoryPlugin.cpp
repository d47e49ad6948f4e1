#include "BulkUpdate.h"
#include "inventoryOpenApi.h"

#include <supplierd/AuditLog.h>
#include <supplierd/Plugin.h>

#include <stdexcept>
#include <string>

namespace supplierd::inventory {

namespace {

/// Stocks and prices in bulk. Keeps nothing between requests.
class InventoryPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Stocks and prices of many products at once";
        description.openapi = supplierd_inventory_generated::openapi();
        description.needs = {"catalog"};
        description.routes = {
            {Method::Post, "/stock", Audience::Supplier, "stock:write", Body::Json,
             [this](Request& request) { return BulkUpdate(request, Subject::Stock, *_audit).answer(); }},
            {Method::Post, "/prices", Audience::Supplier, "prices:write", Body::Json,
             [this](Request& request) { return BulkUpdate(request, Subject::Price, *_audit).answer(); }},
        };
        return description;
    }

    void start(Host& host) override {
        _audit = host.service<AuditLog>();
        if (_audit == nullptr)
            throw std::runtime_error("the host offers no service " + std::string(AuditLog::ID));
    }

private:
    AuditLog* _audit = nullptr;
};

} // namespace

} // namespace supplierd::inventory

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::inventory::InventoryPlugin)
