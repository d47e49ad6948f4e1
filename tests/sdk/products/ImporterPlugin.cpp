#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Catalogue.h>

#include <functional>
#include <string>

namespace supplierd::tests {

namespace {

/// Writes products in their supplier's name, by the service of catalog, all of a request or none: what imports need.
class ImporterPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Imports products";
        about.needs = {"catalog"};
        about.routes = {{Method::Post, "/imports", Audience::Supplier, "products:write", Body::Json,
                         [this](Request& request) { return import(request); }}};
        return about;
    }

    void start(Host& host) override { _catalogue = host.service<Catalogue>(); }

private:
    /// `{ create: [fields], change: { id, fields }, remove: id }`, each optional.
    Response import(Request& request) const {
        Details details;
        ObjectReader body(request.body(), details);
        const auto created = body.array("create", 100);
        const Field<std::int64_t> changed = body.integer("change_id", {1, 1'000'000'000});
        const auto fields = body.object("change");
        const Field<std::int64_t> removed = body.integer("remove_id", {1, 1'000'000'000});
        details.throwIfAny();
        return request.transact([&](Transaction& transaction) {
            const std::int64_t supplier = request.principal().supplierId;
            const Actor actor = actorOf(request);
            Response response = request.reply();
            JsonWriter json(response.data);
            json.beginObject().key("products").beginArray();
            if (created)
                for (const JsonValue product : *created)
                    writeJson(json, _catalogue->create(transaction, supplier, product.object(), actor),
                              Audience::Supplier);
            if (changed.hasValue() && fields)
                writeJson(json, _catalogue->change(transaction, supplier, *changed.value, *fields, actor),
                          Audience::Supplier);
            json.endArray().endObject();
            if (removed.hasValue())
                _catalogue->remove(transaction, supplier, *removed.value, actor);
            return response;
        });
    }

    Catalogue* _catalogue = nullptr;
};

} // namespace

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::ImporterPlugin)
