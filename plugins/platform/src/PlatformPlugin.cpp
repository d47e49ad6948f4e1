#include "platformOpenApi.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/Products.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace supplierd::platform {

namespace {

void write(JsonWriter& json, const Supplier& supplier, const std::optional<ProductCounts>& products = std::nullopt) {
    json.beginObject().field("id", supplier.id).field("name", supplier.name).field("email", supplier.email);
    json.field("status", supplier.status).field("sandbox", supplier.isSandbox());
    json.field("sandbox_of", supplier.sandboxOf).field("created_at", supplier.createdAt);
    if (products)
        json.key("products")
            .beginObject()
            .field("pending", products->pending)
            .field("active", products->active)
            .field("inactive", products->inactive)
            .endObject();
    json.endObject();
}

void write(JsonWriter& json, const ApiKeyRecord& key, const std::string& secret = {}) {
    json.beginObject();
    writeFields(json, key);
    if (!secret.empty())
        json.field("secret", secret);
    json.endObject();
}

void textOrNull(JsonWriter& json, std::string_view name, const std::string& text) {
    json.key(name);
    if (text.empty())
        json.null();
    else
        json.value(text);
}

void rawOrNull(JsonWriter& json, std::string_view name, const std::string& text) {
    json.key(name);
    if (text.empty())
        json.null();
    else
        json.raw(text);
}

void write(JsonWriter& json, const AuditRecord& record) {
    const AuditEntry& entry = record.entry;
    json.beginObject().field("id", record.id).field("created_at", record.createdAt).field("actor", entry.actor);
    json.field("action", entry.action).field("object", entry.object).field("object_id", entry.objectId);
    json.field("supplier_id", entry.supplierId);
    rawOrNull(json, "before", entry.before);
    rawOrNull(json, "after", entry.after);
    textOrNull(json, "request_id", entry.requestId);
    json.endObject();
}

template <class... Item>
Response itemResponse(Response response, std::string_view name, const Item&... item) {
    JsonWriter json(response.data);
    json.beginObject().key(name);
    write(json, item...);
    json.endObject();
    return response;
}

template <class Item>
Response listResponse(Response response, std::string_view name, const Listed<Item>& list) {
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, name, list, [](JsonWriter& to, const Item& item) { write(to, item); });
    json.endObject();
    return response;
}

/// Whose keys a route is about.
enum class Owner { Supplier, Operator };

/// One that leaks must not make itself others.
void refuseKey(Request& request) {
    if (request.principal().keyId == 0)
        return;
    const std::string message = "A key makes no operators' keys: run supplierctl on the server's machine, or sign in";
    throw ApiError(ErrorKind::Forbidden, message, {{"", "key", message}});
}

/// Operators' routes about what the host itself owns: suppliers, keys, the audit log. Keeps nothing between requests.
class PlatformPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Operators' routes: suppliers, keys, audit log";
        description.openapi = supplierd_platform_generated::openapi();
        description.after = {std::string(Products::ID)};
        const auto route = [&description, this](Method method, std::string pattern, Body body,
                                                Response (PlatformPlugin::*member)(Request&)) {
            description.routes.push_back(
                {method, std::move(pattern), Audience::Operator, {}, body, [this, member](Request& request) {
                     return (this->*member)(request);
                 }});
        };
        route(Method::Get, "/suppliers", Body::None, &PlatformPlugin::listSuppliers);
        route(Method::Post, "/suppliers", Body::Json, &PlatformPlugin::addSupplier);
        route(Method::Get, "/suppliers/{id:int}", Body::None, &PlatformPlugin::readSupplier);
        route(Method::Post, "/suppliers/{id:int}", Body::Json, &PlatformPlugin::updateSupplier);
        route(Method::Post, "/suppliers/{id:int}/verify", Body::None, &PlatformPlugin::verifySupplier);
        route(Method::Post, "/suppliers/{id:int}/suspend", Body::None, &PlatformPlugin::suspendSupplier);
        route(Method::Get, "/suppliers/{id:int}/sandbox", Body::None, &PlatformPlugin::readSandbox);
        route(Method::Post, "/suppliers/{id:int}/sandbox", Body::None, &PlatformPlugin::addSandbox);
        route(Method::Get, "/suppliers/{id:int}/keys", Body::None, &PlatformPlugin::listKeys);
        route(Method::Post, "/suppliers/{id:int}/keys", Body::Json, &PlatformPlugin::issueKey);
        route(Method::Post, "/keys/{key}/rotate", Body::Json, &PlatformPlugin::rotateKey);
        route(Method::Post, "/keys/{key}/revoke", Body::None, &PlatformPlugin::revokeKey);
        route(Method::Get, "/operator-keys", Body::None, &PlatformPlugin::listOperatorKeys);
        route(Method::Post, "/operator-keys", Body::Json, &PlatformPlugin::issueOperatorKey);
        route(Method::Post, "/operator-keys/{key}/rotate", Body::Json, &PlatformPlugin::rotateOperatorKey);
        route(Method::Post, "/operator-keys/{key}/revoke", Body::None, &PlatformPlugin::revokeOperatorKey);
        route(Method::Get, "/audit", Body::None, &PlatformPlugin::listAudit);
        return description;
    }

    void start(Host& host) override {
        _accounts = &host.require<Accounts>();
        _audit = &host.require<AuditLog>();
        _products = host.service<Products>();
    }

private:
    Response listSuppliers(Request& request) {
        Details details;
        const bool isCounted = QueryReader(request.query(), details).boolean("products").value_or(false);
        details.throwIfAny();
        const auto list = _accounts->suppliers(request.database(), request.query());
        std::vector<std::optional<ProductCounts>> products(list.items.size());
        if (isCounted)
            request.database().withSession([&](SqlSession& session) {
                for (std::size_t i = 0; i < products.size(); ++i)
                    products[i] = productsOf(session, list.items[i].id);
            });
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject();
        auto count = products.begin();
        writeList(json, "suppliers", list,
                  [&](JsonWriter& to, const Supplier& supplier) { write(to, supplier, *count++); });
        json.endObject();
        return response;
    }

    Response addSupplier(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const Supplier supplier = _accounts->addSupplier(transaction, request.body(), actorOf(request));
            Response response = itemResponse(request.reply(201), "supplier", supplier);
            response.addHeader("Location", std::string(request.path()) + '/' + std::to_string(supplier.id));
            return response;
        });
    }

    Response readSupplier(Request& request) {
        const std::int64_t id = request.pathInteger("id");
        return request.database().read([&](SqlSession& session) {
            const auto supplier = _accounts->findSupplier(session, id);
            if (!supplier)
                throw ApiError::notFound("There is no supplier " + std::to_string(id));
            return itemResponse(request.reply(), "supplier", *supplier, productsOf(session, id));
        });
    }

    /// Nothing when the plugin `catalog` is not enabled.
    std::optional<ProductCounts> productsOf(SqlSession& session, std::int64_t supplierId) {
        return _products ? std::optional(_products->count(session, supplierId)) : std::nullopt;
    }

    Response updateSupplier(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = request.pathInteger("id");
            return itemResponse(request.reply(), "supplier",
                                _accounts->updateSupplier(transaction, id, request.body(), actorOf(request)));
        });
    }

    Response verifySupplier(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = request.pathInteger("id");
            return itemResponse(request.reply(), "supplier",
                                _accounts->verifySupplier(transaction, id, actorOf(request)));
        });
    }

    Response suspendSupplier(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = request.pathInteger("id");
            return itemResponse(request.reply(), "supplier",
                                _accounts->suspendSupplier(transaction, id, actorOf(request)));
        });
    }

    Response readSandbox(Request& request) {
        const auto sandbox = request.database().read(
            [&](SqlSession& session) { return _accounts->findSandbox(session, request.pathInteger("id")); });
        if (!sandbox)
            throw ApiError::notFound("Sandbox not found");
        return itemResponse(request.reply(), "supplier", *sandbox);
    }

    Response addSandbox(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = request.pathInteger("id");
            const bool isNew = !_accounts->findSandbox(transaction, id);
            const Supplier sandbox = _accounts->addSandbox(transaction, id, actorOf(request));
            return itemResponse(request.reply(isNew ? 201 : 200), "supplier", sandbox);
        });
    }

    Response listKeys(Request& request) { return listKeysOf(request, request.pathInteger("id")); }
    Response listOperatorKeys(Request& request) { return listKeysOf(request, 0); }
    /// Supplier 0: operators'.
    Response listKeysOf(Request& request, std::int64_t supplierId) {
        return listResponse(request.reply(), "keys", _accounts->keys(request.database(), supplierId, request.query()));
    }

    Response issueKey(Request& request) { return issueKeyOf(request, request.pathInteger("id")); }
    Response issueOperatorKey(Request& request) {
        refuseKey(request);
        return issueKeyOf(request, 0);
    }
    Response issueKeyOf(Request& request, std::int64_t supplierId) {
        return request.transact([&](Transaction& transaction) {
            const IssuedApiKey issued = _accounts->issueKey(transaction, supplierId, request.body(), actorOf(request));
            Response response = request.reply(201);
            response.secret = true;
            return itemResponse(std::move(response), "key", _accounts->findKey(transaction, issued.id).value(),
                                issued.secret);
        });
    }

    Response rotateKey(Request& request) { return rotateKeyOf(request, Owner::Supplier); }
    Response rotateOperatorKey(Request& request) {
        refuseKey(request);
        return rotateKeyOf(request, Owner::Operator);
    }
    Response rotateKeyOf(Request& request, Owner owner) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = keyOfPath(transaction, request, owner, "rotate");
            const RotatedApiKey rotated = _accounts->rotateKey(transaction, id, request.body(), actorOf(request));
            Response response = request.reply(201);
            response.secret = true;
            JsonWriter json(response.data);
            json.beginObject().key("key");
            write(json, _accounts->findKey(transaction, rotated.issued.id).value(), rotated.issued.secret);
            json.key("replaced");
            write(json, rotated.replaced);
            json.endObject();
            return response;
        });
    }

    Response revokeKey(Request& request) { return revokeKeyOf(request, Owner::Supplier); }
    Response revokeOperatorKey(Request& request) { return revokeKeyOf(request, Owner::Operator); }
    Response revokeKeyOf(Request& request, Owner owner) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = keyOfPath(transaction, request, owner, "revoke");
            return itemResponse(request.reply(), "key", _accounts->revokeKey(transaction, id, actorOf(request)));
        });
    }

    /// The id of the key that the path names. Throws ApiError (Conflict) for one of somebody else, with what to do.
    std::int64_t keyOfPath(SqlSession& session, Request& request, Owner owner, const std::string& verb) {
        const std::string name(request.pathText("key"));
        const ApiKeyRecord key = _accounts->requireKey(session, name);
        const Owner found = key.supplierId ? Owner::Supplier : Owner::Operator;
        if (found == owner)
            return key.id;
        const bool isSuppliers = found == Owner::Supplier;
        throw ApiError::conflict("Key " + name + (isSuppliers ? " is a supplier's" : " is an operator's") +
                                 "; run: supplierctl " + (isSuppliers ? "key " : "operator-key ") + verb + " " + name);
    }

    Response listAudit(Request& request) {
        const auto list = _audit->list(request.database(), request.query());
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject();
        writeList(json, "entries", list, [](JsonWriter& to, const AuditRecord& record) { write(to, record); });
        if (const auto kinds = list.items.empty() ? otherKinds(request) : std::vector<std::string>(); !kinds.empty())
            json.key("kinds").raw(jsonArray(kinds));
        json.endObject();
        return response;
    }

    /// Those that there are, when the query asks for another one. A plugin's kind has no entry until something happens,
    /// and a mistyped one has none either: only the latter is worth a word.
    std::vector<std::string> otherKinds(Request& request) {
        Details ignored;
        const auto wanted = QueryReader(request.query(), ignored).text("object", MAX_KIND);
        if (!wanted)
            return {};
        auto kinds = request.database().read([&](SqlSession& session) { return _audit->kinds(session); });
        return std::find(kinds.begin(), kinds.end(), *wanted) == kinds.end() ? std::move(kinds)
                                                                             : std::vector<std::string>();
    }

    static constexpr std::size_t MAX_KIND = 32;

    Accounts* _accounts = nullptr;
    AuditLog* _audit = nullptr;
    Products* _products = nullptr;
};

} // namespace

} // namespace supplierd::platform

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::platform::PlatformPlugin)
