#include "OrderDays.h"

#include "OrderStatus.h"

#include <supplierd/Errors.h>
#include <supplierd/SandboxFilter.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace supplierd::orders {

namespace {

constexpr std::int64_t DEFAULT_DAYS = 30;
constexpr std::int64_t MAX_DAYS = 92;
constexpr std::int64_t MAX_OFFSET = 14 * 60;

// The newest of the period, found in an index alone. A day begins at the reader's midnight.
constexpr std::string_view SELECT_SALES = R"(
SELECT CAST(DATE(g.created_at + INTERVAL ? MINUTE) AS CHAR), g.currency, g.supplier_id, COUNT(*), SUM(g.status <> ?),
    SUM(IF(g.status <> ?, g.total, 0))
FROM (SELECT x.supplier_id, x.id FROM order_groups x FORCE INDEX ()";
constexpr std::string_view SINCE = R"(
      x.created_at >= DATE(NOW(6) + INTERVAL ? MINUTE) - INTERVAL ? DAY - INTERVAL ? MINUTE
      ORDER BY x.created_at DESC, x.id DESC LIMIT ?) newest
    STRAIGHT_JOIN order_groups g FORCE INDEX (PRIMARY) ON g.supplier_id = newest.supplier_id AND g.id = newest.id
GROUP BY 1, 2, 3)";

/// What the query asks for.
struct Period {
    std::int64_t days = DEFAULT_DAYS;
    std::int64_t offset = 0; ///< of the reader's time from UTC, in minutes
    std::optional<std::int64_t> supplierId;
    SandboxFilter sandbox;

    Rows& sales(SqlSession& session) const {
        const auto cancelled = static_cast<std::int64_t>(OrderStatus::Cancelled);
        std::string sql(SELECT_SALES);
        std::vector<SqlParam> params{offset, cancelled, cancelled};
        if (supplierId) {
            sql += "order_groups_created) WHERE x.supplier_id = ? AND";
            params.emplace_back(*supplierId);
        } else if (sandbox.isNeeded()) {
            sql.append("order_groups_all_created)").append(JOIN_SANDBOXES);
            sql += " ON sandbox.id = x.supplier_id WHERE sandbox.id IS NULL AND";
            params.emplace_back(sandbox.ids());
        } else {
            sql += "order_groups_all_created) WHERE";
        }
        sql += SINCE;
        for (const std::int64_t value : {offset, days - 1, offset, OrderDays::MOST + 1})
            params.emplace_back(value);
        return session.query(sql, SqlParams(params));
    }
};

void add(Decimal& sum, Decimal amount) {
    sum = Decimal::fromTenThousandths(sum.tenThousandths() + amount.tenThousandths());
}

/// The largest amounts, with the suppliers' names.
std::vector<OrderSeller> largest(std::vector<OrderSeller> sellers, SqlSession& session, Accounts& accounts) {
    std::sort(sellers.begin(), sellers.end(), [](const OrderSeller& one, const OrderSeller& other) {
        return std::tie(other.total, one.supplierId) < std::tie(one.total, other.supplierId);
    });
    sellers.resize(std::min(sellers.size(), OrderDays::MOST_SELLERS));
    std::vector<std::int64_t> ids;
    for (const OrderSeller& seller : sellers)
        ids.push_back(seller.supplierId);
    for (const Supplier& supplier : accounts.findSuppliers(session, ids))
        for (OrderSeller& seller : sellers)
            if (seller.supplierId == supplier.id)
                seller.name = supplier.name;
    return sellers;
}

} // namespace

OrderDays OrderDays::read(Database& database, const QueryParameters& query, Accounts& accounts) {
    Details details;
    QueryReader reader(query, details);
    Period period;
    period.days = reader.integer("days", 1, MAX_DAYS).value_or(DEFAULT_DAYS);
    period.offset = reader.integer("utc_offset", -MAX_OFFSET, MAX_OFFSET).value_or(0);
    period.supplierId = reader.integer("supplier_id", 1);
    details.throwIfAny();
    period.sandbox.load(database, accounts);
    return database.snapshot([&](SqlSession& session) {
        OrderDays found;
        std::map<std::pair<std::string, std::string>, OrderDay> days; // by date and currency
        std::map<std::pair<std::int64_t, std::string>, OrderSeller> sellers;
        std::set<std::int64_t> suppliers;
        std::int64_t seen = 0;
        Rows& rows = period.sales(session);
        while (rows.next()) {
            seen += rows.integer(3);
            const std::int64_t orders = rows.integer(4);
            if (orders == 0)
                continue;
            const std::string date(rows.text(0));
            const std::string currency(rows.text(1));
            const std::int64_t supplier = rows.integer(2);
            const Decimal total = rows.decimal(5);
            OrderDay& day = days.try_emplace({date, currency}, OrderDay{date, currency, 0, {}}).first->second;
            day.orders += orders;
            add(day.total, total);
            OrderSeller& seller =
                sellers.try_emplace({supplier, currency}, OrderSeller{supplier, {}, currency, 0, {}}).first->second;
            seller.orders += orders;
            add(seller.total, total);
            suppliers.insert(supplier);
        }
        for (auto& [key, day] : days)
            found.days.push_back(std::move(day));
        std::vector<OrderSeller> all;
        for (auto& [key, seller] : sellers)
            all.push_back(std::move(seller));
        found.sellers = largest(std::move(all), session, accounts);
        found.suppliers = static_cast<std::int64_t>(suppliers.size());
        found.isCapped = seen > MOST;
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
    json.endArray().key("sellers").beginArray();
    for (const OrderSeller& seller : days.sellers) {
        json.beginObject().key("supplier").beginObject();
        json.field("id", seller.supplierId).field("name", seller.name).endObject();
        json.field("currency", seller.currency).field("orders", seller.orders).field("total", seller.total);
        json.endObject();
    }
    json.endArray().field("suppliers", days.suppliers).field("is_capped", days.isCapped).endObject();
}

} // namespace supplierd::orders
