#include "CategoryList.h"

#include <supplierd/JsonWriter.h>

#include <string_view>

namespace supplierd::categories {

namespace {

constexpr std::string_view SELECT_CATEGORIES = R"(
SELECT id, name, slug, parent_id, type
FROM categories
WHERE is_active = 1
ORDER BY id)";

} // namespace

Response listCategories(Request& request) {
    Response response = request.reply();
    request.database().withSession([&response](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("categories").beginArray();
        Rows& rows = session.query(SELECT_CATEGORIES);
        while (rows.next()) {
            json.beginObject();
            json.field("id", rows.integer(0));
            json.field("name", rows.text(1));
            json.field("slug", rows.text(2));
            json.field("parent_id", rows.maybeInteger(3));
            json.field("type", rows.text(4));
            json.endObject();
        }
        json.endArray().endObject();
    });
    return response;
}

} // namespace supplierd::categories
