#include "host/auth/SupplierStore.h"

#include <supplierd/JsonWriter.h>

#include <set>
#include <string>
#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::string_view SELECT_SUPPLIERS = R"(
SELECT STRAIGHT_JOIN s.id, s.name, s.email, s.status, s.created_at
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    JOIN suppliers s FORCE INDEX (PRIMARY) ON s.id = t.id
ORDER BY s.id)";

} // namespace

std::vector<SupplierRecord> SupplierStore::find(SqlSession& session, std::span<const std::int64_t> ids) {
    std::vector<SupplierRecord> suppliers;
    if (ids.empty())
        return suppliers;
    std::string wanted;
    JsonWriter json(wanted);
    json.beginArray();
    for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end()))
        json.value(id);
    json.endArray();
    Rows& rows = session.query(SELECT_SUPPLIERS, {wanted});
    while (rows.next())
        suppliers.push_back({.id = rows.integer(0),
                             .name = std::string(rows.text(1)),
                             .email = rows.maybeText(2),
                             .status = std::string(rows.text(3)),
                             .createdAt = rows.time(4)});
    return suppliers;
}

} // namespace supplierd::host
