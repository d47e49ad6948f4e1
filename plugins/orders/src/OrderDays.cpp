#include "OrderDays.h"

#include "OrderStatus.h"

#include <supplierd/Errors.h>
#include <supplierd/SandboxFilter.h>

#include <algorithm>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::int64_t DEFAULT_DAYS = 30;
constexpr std::int64_t MAX_DAYS = 92;
constexpr std::int64_t MAX_OFFSET = 14 * 60;

// The newest of the period, found in an index alone. A day begins at the reader's midnight.
constexpr std::string_view NEWEST = R"(
FROM (SELECT x.supplier_id, x.id FROM order_groups x FORCE INDEX (order_groups_all_created))";
constexpr std::string_view NEWEST_END = R"(
      x.created_at >= DATE(NOW(6) + INTERVAL ? MINUTE) - INTERVAL ? DAY - INTERVAL ? MINUTE
      ORDER BY x.created_at DESC, x.id DESC LIMIT ?) newest
    STRAIGHT_JOIN order_groups g FORCE INDEX (PRIMARY) ON g.supplier_id = newest.supplier_id AND g.id = newest.id)";

constexpr std::string_view SELECT_DAYS = R"(
SELECT CAST(DATE(g.created_at + INTERVAL ? MINUTE) AS CHAR), g.currency, COUNT(*), SUM(g.status <> ?),
    SUM(IF(g.status <> ?, g.total, 0)))";
constexpr std::string_view BY_DAY = " GROUP BY 1, 2 ORDER BY 1, 2";

constexpr std::string_view COUNT_SUPPLIERS = "SELECT COUNT(DISTINCT g.supplier_id)";
constexpr std::string_view UNLESS_CANCELLED = " WHERE g.status <> ?";

/// What both statements read.
struct Newest {
    std::int64_t days = DEFAULT_DAYS;
    std::int64_t offset = 0; ///< of the reader's time from UTC, in minutes
    SandboxFilter sandbox;

    void append(std::string& sql, std::vector<SqlParam>& params) const {
        sql += NEWEST;
        if (sandbox.isNeeded()) {
            sql += JOIN_SANDBOXES;
            sql += " ON sandbox.id = x.supplier_id WHERE sandbox.id IS NULL AND";
            params.emplace_back(sandbox.ids());
        } else {
            sql += " WHERE";
        }
        sql += NEWEST_END;
        for (const std::int64_t value : {offset, days - 1, offset, OrderDays::MOST + 1})
            params.emplace_back(value);
    }
};

} // namespace

OrderDays OrderDays::read(Database& database, const QueryParameters& query, Accounts& accounts) {
    Details details;
    QueryReader reader(query, details);
    Newest newest;
    newest.days = reader.integer("days", 1, MAX_DAYS).value_or(DEFAULT_DAYS);
    newest.offset = reader.integer("utc_offset", -MAX_OFFSET, MAX_OFFSET).value_or(0);
    details.throwIfAny();
    newest.sandbox.load(database, accounts);
    const auto cancelled = static_cast<std::int64_t>(OrderStatus::Cancelled);
    return database.snapshot([&](SqlSession& session) {
        OrderDays found;
        std::string sql(SELECT_DAYS);
        std::vector<SqlParam> params{newest.offset, cancelled, cancelled};
        newest.append(sql, params);
        sql += BY_DAY;
        std::int64_t seen = 0;
        Rows& rows = session.query(sql, SqlParams(params));
        while (rows.next()) {
            seen += rows.integer(2);
            if (rows.integer(3) > 0)
                found.days.push_back(
                    {std::string(rows.text(0)), std::string(rows.text(1)), rows.integer(3), rows.decimal(4)});
        }
        found.isCapped = seen > MOST;
        sql = COUNT_SUPPLIERS;
        params.clear();
        newest.append(sql, params);
        sql += UNLESS_CANCELLED;
        params.emplace_back(cancelled);
        Rows& count = session.query(sql, SqlParams(params));
        found.suppliers = count.next() ? count.integer(0) : 0;
        return found;
    });
}

void writeJson(JsonWriter& json, const OrderDays& days) {
    json.beginObject().key("days").beginArray();
    for (const OrderDay& day : days.days)
        json.beginObject()
            .field("date", day.date)
            .field("currency", day.currency)
            .field("orders", day.orders)
            .field("total", day.total)
            .endObject();
    json.endArray().field("suppliers", days.suppliers).field("is_capped", days.isCapped).endObject();
}

} // namespace supplierd::orders
