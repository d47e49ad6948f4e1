#include "ListQuery.h"

#include <supplierd/Cursor.h>

#include <limits>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::size_t MAX_CURSOR = 400;
constexpr std::size_t WHOLE_SECONDS = std::string_view("2026-11-20 14:48:00").size();

std::optional<ListCursor> readCursor(QueryReader& reader, const ListFilters& filters) {
    const auto text = reader.text("cursor", MAX_CURSOR);
    if (!text)
        return std::nullopt;
    auto cursor = ListCursor::decode(*text);
    if (!cursor) {
        reader.details().add("cursor", "not_in_set", "cursor is not one that pagination.next_cursor gave");
        return std::nullopt;
    }
    if (cursor->fingerprint != filters.fingerprint() || cursor->lastCreated.empty() == filters.isByCreation()) {
        reader.details().add("cursor", "not_in_set", "cursor belongs to a list with other filters");
        return std::nullopt;
    }
    return cursor;
}

} // namespace

std::uint64_t ListFilters::fingerprint() const {
    ListFingerprint print;
    print.add(supplierId.value_or(0));
    print.add(status ? static_cast<std::int64_t>(*status) : -1);
    print.add(createdFrom.value_or(""));
    print.add(createdTo.value_or(""));
    print.add(updatedSince.value_or(""));
    return print.value();
}

ListQuery ListQuery::read(const QueryParameters& parameters, const std::optional<std::int64_t>& supplierId) {
    Details details;
    QueryReader reader(parameters, details);
    ListQuery query;
    query.page = reader.page();
    query.filters.supplierId = supplierId ? supplierId : reader.integer("supplier_id", 1);
    if (const auto status = reader.oneOf("status", STATUS_NAMES))
        query.filters.status = statusNamed(*status);
    query.filters.createdFrom = reader.time("created_from");
    query.filters.createdTo = reader.time("created_to");
    query.filters.updatedSince = reader.time("updated_since");
    // created_at is printed in whole seconds: what is printed as created_to is in the list.
    if (auto& to = query.filters.createdTo)
        to = to->substr(0, WHOLE_SECONDS) + ".999999";
    query.cursor = readCursor(reader, query.filters);
    if (reader.has("cursor") && query.page.number > 1)
        details.add("page", "unsupported", "page cannot be used together with cursor");
    details.throwIfAny();
    return query;
}

std::int64_t ListQuery::offset() const {
    constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
    return page.number - 1 > LAST / 2 / page.perPage ? LAST / 2 : page.offset();
}

} // namespace supplierd::orders
