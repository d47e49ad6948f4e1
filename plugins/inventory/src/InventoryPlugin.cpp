#include "BulkUpdate.h"
#include "inventoryOpenApi.h"

#include <supplierd/Plugin.h>

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
             [](Request& request) { return BulkUpdate(request, Subject::Stock).answer(); }},
            {Method::Post, "/prices", Audience::Supplier, "prices:write", Body::Json,
             [](Request& request) { return BulkUpdate(request, Subject::Price).answer(); }},
        };
        return description;
    }

    void start(Host&) override {}
};

} // namespace

} // namespace supplierd::inventory

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::inventory::InventoryPlugin)
