#include "WrittenBody.h"

#include <supplierd/JsonWriter.h>

#include <string_view>

namespace supplierd::webhooks {

namespace {

constexpr std::string_view WRITE_BODIES = R"sql(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', body MEDIUMTEXT PATH '$[1]')) t
    STRAIGHT_JOIN webhooks_deliveries d ON d.id = t.id
SET d.body = t.body
WHERE d.state = 0 AND d.body IS NULL
)sql";

constexpr std::string_view SELECT_BODY = "SELECT body FROM webhooks_deliveries WHERE id = ?";

} // namespace

std::size_t writeBodies(Database& database, std::span<const WrittenBody> bodies) {
    std::string rows;
    JsonWriter json(rows);
    json.beginArray();
    for (const WrittenBody& written : bodies)
        json.beginArray().value(written.deliveryId).value(written.body).endArray();
    json.endArray();
    return static_cast<std::size_t>(database.execute(WRITE_BODIES, {rows}));
}

std::optional<std::string> findBody(SqlSession& session, std::int64_t deliveryId) {
    Rows& row = session.query(SELECT_BODY, {deliveryId});
    return row.next() ? row.maybeText(0) : std::nullopt;
}

} // namespace supplierd::webhooks
