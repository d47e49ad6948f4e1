#include "platformOpenApi.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Accounts.h>

namespace supplierd::platform {

namespace {

void write(JsonWriter& json, const Supplier& supplier) {
    json.beginObject().field("id", supplier.id).field("name", supplier.name).field("email", supplier.email);
    json.field("status", supplier.status).field("sandbox", supplier.isSandbox());
    json.field("sandbox_of", supplier.sandboxOf).field("created_at", supplier.createdAt).endObject();
}

void write(JsonWriter& json, const ApiKeyRecord& key) {
    json.beginObject();
    writeFields(json, key);
    json.endObject();
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
    json.key("request_id");
    if (entry.requestId.empty())
        json.null();
    else
        json.value(entry.requestId);
    json.endObject();
}

template <class Item>
Response itemResponse(Response response, std::string_view name, const Item& item) {
    JsonWriter json(response.data);
    json.beginObject().key(name);
    write(json, item);
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

/// Operators' routes about what the host itself owns: suppliers, keys, the audit log. Keeps nothing between requests.
class PlatformPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Operators' routes: suppliers, keys, audit log";
        description.openapi = supplierd_platform_generated::openapi();
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
        route(Method::Post, "/keys/{id:int}/revoke", Body::None, &PlatformPlugin::revokeKey);
        route(Method::Get, "/audit", Body::None, &PlatformPlugin::listAudit);
        return description;
    }

    void start(Host& host) override {
        _accounts = &host.require<Accounts>();
        _audit = &host.require<AuditLog>();
    }

private:
    Response listSuppliers(Request& request) {
        return listResponse(request.reply(), "suppliers", _accounts->suppliers(request.database(), request.query()));
    }

    Response addSupplier(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const Supplier supplier = _accounts->addSupplier(transaction, request.body(), actorOf(request));
            Response response = itemResponse(request.reply(201), "supplier", supplier);
            response.header("Location", std::string(request.path()) + '/' + std::to_string(supplier.id));
            return response;
        });
    }

    Response readSupplier(Request& request) {
        const auto supplier = request.database().read(
            [&](SqlSession& session) { return _accounts->findSupplier(session, request.pathInteger("id")); });
        if (!supplier)
            throw ApiError::notFound("Supplier not found");
        return itemResponse(request.reply(), "supplier", *supplier);
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

    Response listKeys(Request& request) {
        return listResponse(request.reply(), "keys",
                            _accounts->keys(request.database(), request.pathInteger("id"), request.query()));
    }

    Response issueKey(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const IssuedApiKey issued =
                _accounts->issueKey(transaction, request.pathInteger("id"), request.body(), actorOf(request));
            Response response = request.reply(201);
            response.secret = true;
            JsonWriter json(response.data);
            json.beginObject().key("key").beginObject();
            writeFields(json, _accounts->findKey(transaction, issued.id).value());
            json.field("secret", issued.secret).endObject().endObject();
            return response;
        });
    }

    Response revokeKey(Request& request) {
        return request.transact([&](Transaction& transaction) {
            const std::int64_t id = request.pathInteger("id");
            return itemResponse(request.reply(), "key", _accounts->revokeKey(transaction, id, actorOf(request)));
        });
    }

    Response listAudit(Request& request) {
        return listResponse(request.reply(), "entries", _audit->list(request.database(), request.query()));
    }

    Accounts* _accounts = nullptr;
    AuditLog* _audit = nullptr;
};

} // namespace

} // namespace supplierd::platform

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::platform::PlatformPlugin)
