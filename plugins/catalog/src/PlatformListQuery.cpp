#include "PlatformListQuery.h"

#include "ProductTerms.h"
#include "list/ListQuery.h"

namespace supplierd::catalog {

namespace {

constexpr std::size_t MAX_CURSOR = 4'000;
// No supplier has it: cursors of the platform's lists and of a supplier's own are told apart.
constexpr std::int64_t PLATFORM = -1;

std::optional<Cursor> readCursor(QueryReader& reader, const PlatformListQuery& query) {
    const auto text = reader.text("cursor", MAX_CURSOR);
    if (!text)
        return std::nullopt;
    auto cursor = Cursor::decode(*text);
    if (!cursor || cursor->phase != Cursor::Phase::Order || cursor->fingerprint != query.fingerprint()) {
        reader.details().add("cursor", "not_in_set",
                             "cursor is not one that pagination.next_cursor gave for a list with these filters");
        return std::nullopt;
    }
    if (query.page.number > 1)
        reader.details().add("page", "unsupported", "page cannot be used together with cursor");
    return cursor;
}

} // namespace

std::uint64_t PlatformListQuery::fingerprint() const {
    ListFilters filters;
    filters.state = state;
    filters.categoryId = supplierId; // only has to make a difference
    return filters.fingerprint(PLATFORM, ListSort{});
}

PlatformListQuery PlatformListQuery::read(const QueryParameters& parameters) {
    Details details;
    QueryReader reader(parameters, details);
    PlatformListQuery query;
    query.page = reader.page();
    if (const auto status = reader.oneOf("status", STATUSES))
        query.state = numberOf(STATUSES, *status);
    query.supplierId = reader.integer("supplier_id", 1);
    query.cursor = readCursor(reader, query);
    details.throwIfAny();
    return query;
}

} // namespace supplierd::catalog
