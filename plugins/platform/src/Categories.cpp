#include "Categories.h"

namespace supplierd::platform {

namespace {

/// Into an object that the caller opened and closes; with `other`, only what differs from it.
void writeFields(JsonWriter& json, const CategoryRecord& category, const CategoryRecord* other) {
    const auto field = [&](std::string_view name, auto member) {
        if (other == nullptr || category.*member != other->*member)
            json.field(name, category.*member);
    };
    field("name", &CategoryRecord::name);
    field("slug", &CategoryRecord::slug);
    field("parent_id", &CategoryRecord::parentId);
    field("type", &CategoryRecord::type);
    field("is_active", &CategoryRecord::isActive);
}

void writeCategory(JsonWriter& json, const CategoryRecord& category) {
    json.beginObject().field("id", category.id);
    writeFields(json, category, nullptr);
    json.endObject();
}

std::string fieldsJson(const CategoryRecord& category, const CategoryRecord* other) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    writeFields(json, category, other);
    json.endObject();
    return text;
}

} // namespace

Response Categories::list(Request& request) const {
    Response response = request.reply();
    request.database().withSession([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("categories").beginArray();
        for (const CategoryRecord& category : _services.categories->all(session))
            writeCategory(json, category);
        json.endArray().endObject();
    });
    return response;
}

Response Categories::add(Request& request) const {
    return request.transact([&](Transaction& transaction) {
        return answer(request, transaction, _services.categories->add(transaction, request.body()));
    });
}

Response Categories::change(Request& request) const {
    return request.transact([&](Transaction& transaction) {
        return answer(request, transaction,
                      _services.categories->change(transaction, request.pathInteger("id"), request.body()));
    });
}

Response Categories::answer(Request& request, Transaction& transaction, const CategoryChange& change) const {
    if (change.changed()) {
        const CategoryRecord* before = change.before ? &*change.before : nullptr;
        AuditEntry entry = auditEntry(request, "category", before ? "update" : "create", change.after.id, std::nullopt);
        entry.after = fieldsJson(change.after, before);
        if (before)
            entry.before = fieldsJson(*before, &change.after);
        _services.audit->record(transaction, entry);
    }
    Response response = request.reply(change.before ? 200 : 201);
    JsonWriter json(response.data);
    json.beginObject().key("category");
    writeCategory(json, change.after);
    json.endObject();
    return response;
}

} // namespace supplierd::platform
