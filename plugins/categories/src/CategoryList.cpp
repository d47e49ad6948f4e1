#include "CategoryList.h"

#include <supplierd/EntityTag.h>
#include <supplierd/JsonWriter.h>

#include <string>
#include <string_view>

namespace supplierd::categories {

namespace {

// Down from the top, so that nothing below an inactive category is met. The row of the tree comes alone when there are
// no categories.
constexpr std::string_view SELECT_CATEGORIES = R"(
WITH RECURSIVE shown AS (
    SELECT r.id FROM categories r FORCE INDEX (categories_parent) WHERE r.parent_id IS NULL AND r.is_active = 1
    UNION ALL
    SELECT b.id FROM shown a STRAIGHT_JOIN categories b FORCE INDEX (categories_parent) ON b.parent_id = a.id
    WHERE b.is_active = 1)
SELECT t.change_seq, c.id, c.name, c.slug, c.parent_id, c.type
FROM category_tree t LEFT JOIN (shown s JOIN categories c ON c.id = s.id) ON TRUE
ORDER BY c.id)";

enum Column : std::size_t { CHANGE_SEQ, ID, NAME, SLUG, PARENT, TYPE };

void write(JsonWriter& json, const Rows& row) {
    json.beginObject();
    json.field("id", row.integer(ID));
    json.field("name", row.text(NAME));
    json.field("slug", row.text(SLUG));
    json.field("parent_id", row.maybeInteger(PARENT));
    json.field("type", row.text(TYPE));
    json.endObject();
}

/// Returns the number of the tree's last change.
std::int64_t writeAll(Rows& rows, std::string& out) {
    out.clear();
    JsonWriter json(out);
    json.beginObject().key("categories").beginArray();
    std::int64_t changeSeq = 0;
    while (rows.next()) {
        changeSeq = rows.integer(CHANGE_SEQ);
        if (!rows.isNull(ID))
            write(json, rows);
    }
    json.endArray().field("change_seq", changeSeq).endObject();
    return changeSeq;
}

} // namespace

Response CategoryList::respond(Request& request) {
    const auto list = current(request);
    const std::string tag = '"' + std::to_string(list->treeSeq) + '"';
    if (const auto known = request.header("If-None-Match"); known && namesTagWeakly(*known, tag))
        return Response::notModified().addHeader("ETag", tag);
    Response response = request.reply();
    response.data = list->data;
    response.addHeader("ETag", tag);
    return response;
}

std::shared_ptr<const CategoryList::Cached> CategoryList::current(Request& request) {
    const std::int64_t marketplaceSeq = request.database().committed(request.principal().supplierId).marketplace;
    {
        const std::lock_guard lock(_mutex);
        if (_cached && _cached->marketplaceSeq >= marketplaceSeq)
            return _cached;
    }
    const auto read = std::make_shared<Cached>();
    read->marketplaceSeq = marketplaceSeq;
    request.database().withSession(
        [&](SqlSession& session) { read->treeSeq = writeAll(session.query(SELECT_CATEGORIES), read->data); });
    const std::lock_guard lock(_mutex);
    if (!_cached || _cached->marketplaceSeq <= marketplaceSeq)
        _cached = read;
    return read;
}

} // namespace supplierd::categories
