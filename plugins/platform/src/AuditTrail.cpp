#include "AuditTrail.h"

#include "Pagination.h"

namespace supplierd::platform {

namespace {

constexpr std::size_t MAX_OBJECT = 32;
constexpr std::size_t MAX_ACTOR = 64;

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
    Details details;
    QueryReader reader(request.query(), details);
    const Page page = reader.page();
    AuditFilter filter;
    filter.object = reader.text("object", MAX_OBJECT);
    filter.objectId = reader.integer("id", 1);
    filter.actor = reader.text("actor", MAX_ACTOR);
    details.throwIfAny();

    Response response = request.reply();
    request.database().withSnapshot([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("entries").beginArray();
        for (const AuditRecord& record : _services.audit->find(session, filter, page.perPage, 0, page.offset()))
            writeEntry(json, record);
        json.endArray();
        writePagination(json, page, _services.audit->count(session, filter));
        json.endObject();
    });
    return response;
}

} // namespace supplierd::platform
