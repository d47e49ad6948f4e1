#include "CategoryList.h"
#include "CategoryTreeService.h"
#include "categoriesMigrations.h"
#include "categoriesOpenApi.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>

#include <optional>

namespace supplierd::categories {

namespace {

void write(JsonWriter& json, const CategoryRecord& category) {
    json.beginObject().field("id", category.id).field("name", category.name).field("slug", category.slug);
    json.field("parent_id", category.parentId).field("type", category.type);
    json.field("is_active", category.isActive).field("parent_name", category.parentName).endObject();
}

/// The category list that all suppliers share; operators see inactive ones too, and change the tree.
class CategoriesPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "The category list; for operators: add and change categories";
        description.openapi = supplierd_categories_generated::openapi();
        description.offers = {std::string(CategoryTree::ID)};
        description.migrations = supplierd_categories_generated::migrations();
        description.renumber = {"UPDATE categories SET version = version + ?",
                                "UPDATE category_tree SET change_seq = change_seq + ?"};
        description.scopes = {{"categories:read", "Read the category list"}};
        description.routes = {
            {Method::Get, "/categories", Audience::Supplier, "categories:read", Body::None,
             [this](Request& request) { return _list.respond(request); }},
            {Method::Get,
             "/categories",
             Audience::Operator,
             {},
             Body::None,
             [this](Request& request) { return listAll(request); }},
            {Method::Post,
             "/categories",
             Audience::Operator,
             {},
             Body::Json,
             [this](Request& request) { return add(request); }},
            {Method::Post, "/categories/{id:int}", Audience::Operator, {}, Body::Json, [this](Request& request) {
                 return change(request);
             }}};
        return description;
    }

    void start(Host& host) override { host.offer<CategoryTree>(_tree.emplace(host.require<AuditLog>())); }

private:
    Response listAll(Request& request) {
        const auto categories = request.database().read([&](SqlSession& session) { return _tree->all(session); });
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("categories").beginArray();
        for (const CategoryRecord& category : categories)
            write(json, category);
        json.endArray().endObject();
        return response;
    }

    Response add(Request& request) {
        return request.transact([&](Transaction& transaction) {
            return categoryResponse(request.reply(201), _tree->add(transaction, request.body(), actorOf(request)));
        });
    }

    Response change(Request& request) {
        return request.transact([&](Transaction& transaction) {
            return categoryResponse(request.reply(), _tree->update(transaction, request.pathInteger("id"),
                                                                   request.body(), actorOf(request)));
        });
    }

    static Response categoryResponse(Response response, const CategoryChange& change) {
        JsonWriter json(response.data);
        json.beginObject().key("category");
        write(json, change.after);
        json.endObject();
        return response;
    }

    CategoryList _list;
    std::optional<CategoryTreeService> _tree;
};

} // namespace

} // namespace supplierd::categories

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::categories::CategoriesPlugin)
