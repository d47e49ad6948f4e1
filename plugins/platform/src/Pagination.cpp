#include "Pagination.h"

namespace supplierd::platform {

void writePagination(JsonWriter& json, const Page& page, std::int64_t totalItems) {
    json.key("pagination").beginObject();
    json.field("current_page", page.number);
    json.field("total_pages", (totalItems + page.perPage - 1) / page.perPage);
    json.field("total_items", totalItems);
    json.field("per_page", page.perPage);
    json.endObject();
}

} // namespace supplierd::platform
