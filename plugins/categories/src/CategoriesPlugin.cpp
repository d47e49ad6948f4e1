#include "CategoryList.h"
#include "PlatformCategoryTree.h"
#include "categoriesMigrations.h"
#include "categoriesOpenApi.h"

#include <supplierd/Plugin.h>

namespace supplierd::categories {

namespace {

/// The category list that all suppliers share; the platform's side of it is the service CategoryTree. Keeps nothing
/// between requests.
class CategoriesPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "The category list";
        description.openapi = supplierd_categories_generated::openapi();
        description.offers = {std::string(CategoryTree::ID)};
        description.migrations = supplierd_categories_generated::migrations();
        description.routes = {
            {Method::Get, "/categories", Audience::Supplier, "categories:read", Body::None, listCategories}};
        return description;
    }

    void start(Host& host) override { host.offer<CategoryTree>(_tree); }

private:
    PlatformCategoryTree _tree;
};

} // namespace

} // namespace supplierd::categories

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::categories::CategoriesPlugin)
