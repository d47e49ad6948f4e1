#include "AuditTrail.h"

#include <supplierd/JsonWriter.h>

namespace supplierd::platform {

namespace {

void rawOrNull(JsonWriter& json, std::string_view name, const std::string& text) {
    json.key(name);
    if (text.empty())
        json.null();
    else
        json.raw(text);
}

void writeEntry(JsonWriter& json, const AuditRecord& record) {
    const AuditEntry& entry = record.entry;
    json.beginObject();
    json.field("id", record.id);
    json.field("created_at", record.createdAt);
    json.field("actor", entry.actor);
    json.field("action", entry.action);
    json.field("object", entry.object);
    json.field("object_id", entry.objectId);
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

} // namespace

Response AuditTrail::list(Request& request) const {
    const auto entries = _services.audit->list(request.database(), request.query());
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("entries").beginArray();
    for (const AuditRecord& record : entries.items)
        writeEntry(json, record);
    json.endArray().key("pagination");
    entries.pagination.write(json);
    json.endObject();
    return response;
}

} // namespace supplierd::platform
