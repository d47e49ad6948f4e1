#include "AuditTrail.h"

#include <supplierd/Cursor.h>

#include <algorithm>
#include <limits>

namespace supplierd::platform {

namespace {

constexpr std::size_t MAX_OBJECT = 32;
constexpr std::size_t MAX_ACTOR = 64;

constexpr std::size_t MAX_CURSOR = 400;
constexpr std::int64_t MAX_POSITION = std::numeric_limits<std::int64_t>::max() / 2;

enum Number : std::size_t { Position, LastId, NUMBERS };

/// Where a page begins: by number from the newest on, by cursor behind an entry.
struct Place {
    std::int64_t position = 0; ///< entries before the page
    std::int64_t beforeId = 0; ///< 0: no cursor
};

std::uint64_t fingerprintOf(const AuditFilter& filter) {
    ListFingerprint print;
    print.add(filter.object.value_or(""));
    print.add(filter.objectId.value_or(0));
    print.add(filter.actor.value_or(""));
    return print.value();
}

Place readPlace(QueryReader& reader, const Page& page, const AuditFilter& filter) {
    const auto text = reader.text("cursor", MAX_CURSOR);
    if (!text)
        return {std::min(page.offset(), MAX_POSITION)};
    if (page.number > 1)
        reader.details().add("page", "unsupported", "page cannot be used together with cursor");
    const auto parts = CursorParts::decode(*text, NUMBERS);
    if (!parts || parts->fingerprint != fingerprintOf(filter) || !parts->key.empty() || parts->numbers[Position] < 1 ||
        parts->numbers[Position] > MAX_POSITION || parts->numbers[LastId] < 1) {
        reader.details().add("cursor", "not_in_set",
                             "cursor is not one that pagination.next_cursor gave for a list with these filters");
        return {};
    }
    return {parts->numbers[Position], parts->numbers[LastId]};
}

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

void writePagination(JsonWriter& json, const Page& page, const Place& place, std::int64_t count,
                     const std::optional<std::string>& next) {
    const std::int64_t total = std::min(count, AuditLog::MAX_COUNT);
    json.key("pagination").beginObject();
    json.field("current_page", place.beforeId == 0 ? page.number : place.position / page.perPage + 1);
    json.field("total_pages", (total + page.perPage - 1) / page.perPage);
    json.field("total_items", total).field("per_page", page.perPage);
    json.field("total_capped", count > AuditLog::MAX_COUNT);
    json.field("next_cursor", next);
    json.endObject();
}

/// One more than the page has, when there is one. By number, no page is behind those that are counted.
std::vector<AuditRecord> entriesOf(AuditLog& log, SqlSession& session, const AuditFilter& filter, const Page& page,
                                   const Place& place) {
    if (place.beforeId == 0 && place.position >= AuditLog::MAX_COUNT)
        return {};
    const std::int64_t offset = place.beforeId == 0 ? place.position : 0;
    return log.find(session, filter, page.perPage + 1, place.beforeId, offset);
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
    const Place place = readPlace(reader, page, filter);
    details.throwIfAny();

    Response response = request.reply();
    request.database().withSnapshot([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("entries").beginArray();
        const auto records = entriesOf(*_services.audit, session, filter, page, place);
        const std::size_t shown = std::min(records.size(), static_cast<std::size_t>(page.perPage));
        for (std::size_t i = 0; i < shown; ++i)
            writeEntry(json, records[i]);
        json.endArray();
        std::optional<std::string> next;
        if (records.size() > shown)
            next = CursorParts{fingerprintOf(filter),
                               {place.position + static_cast<std::int64_t>(shown), records[shown - 1].id}}
                       .encode();
        writePagination(json, page, place, _services.audit->count(session, filter), next);
        json.endObject();
    });
    return response;
}

} // namespace supplierd::platform
