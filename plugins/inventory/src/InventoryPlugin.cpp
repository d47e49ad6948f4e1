#include "BulkRequest.h"
#include "inventoryOpenApi.h"

#include <supplierd/Plugin.h>
#include <supplierd/services/AuditLog.h>

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
        description.scopes = {{"stock:write", "Change stocks in bulk"}, {"prices:write", "Change prices in bulk"}};
        description.routes = {
            {Method::Post, "/stock", Audience::Supplier, "stock:write", Body::Json,
             [this](Request& request) { return setStocks(request, *_stock, *_audit); }},
            {Method::Post, "/prices", Audience::Supplier, "prices:write", Body::Json,
             [this](Request& request) { return setPrices(request, *_stock, *_audit); }},
        };
        return description;
    }

    void start(Host& host) override {
        _audit = &host.require<AuditLog>();
        _stock = &host.require<Stock>();
    }

private:
    AuditLog* _audit = nullptr;
    Stock* _stock = nullptr;
};

} // namespace

} // namespace supplierd::inventory

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::inventory::InventoryPlugin)
