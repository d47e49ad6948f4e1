#include "OrderReader.h"

#include <supplierd/internal/LastChange.h>
#include <supplierd/internal/ProductUnits.h>
#include <supplierd/services/ChangeLog.h>
#include <supplierd/services/ProductOffer.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace supplierd::orders {

namespace {

// Behind them the number of the supplier's last change, where that is asked for.
constexpr std::string_view GROUP_COLUMNS = R"(
SELECT g.id, g.order_id, g.supplier_id, g.order_number, g.status, g.currency, g.subtotal, g.vat_total, g.total,
    g.items_count, g.created_at, g.updated_at, g.tracking_carrier, g.tracking_number, g.tracking_url,
    o.company_name, o.contact_name, o.email, o.phone, o.vat_number,
    o.billing_line1, o.billing_line2, o.billing_postal_code, o.billing_city, o.billing_country,
    o.shipping_line1, o.shipping_line2, o.shipping_postal_code, o.shipping_city, o.shipping_country)";

constexpr std::size_t LAST_CHANGE_COLUMN = 30;

constexpr std::string_view FROM_GROUPS = "\nFROM order_groups g ";

constexpr std::string_view GROUP_JOINS = R"(
    STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = g.order_id
WHERE )";

/// A lookup says how a group is found: by which index, and on which condition.
struct GroupLookup {
    std::string_view index;
    std::string_view condition;

    std::string sql(std::string_view moreColumns = {}, std::string_view joins = {}) const {
        std::string text(GROUP_COLUMNS);
        text.append(moreColumns).append(FROM_GROUPS).append(index).append(joins);
        return text.append(GROUP_JOINS).append(condition);
    }
};

constexpr GroupLookup OWN_GROUP{"FORCE INDEX (PRIMARY)", "g.supplier_id = ? AND g.id = ?"};
constexpr GroupLookup ANY_GROUP{"FORCE INDEX (order_groups_id)", "g.id = ?"};
constexpr GroupLookup GROUPS_OF_ORDER{"FORCE INDEX (order_groups_order)", "g.order_id = ? ORDER BY g.id"};

constexpr std::string_view SELECT_ITEMS = R"(
SELECT i.order_group_id, i.id, i.product_id, i.variant_id, i.sku, i.name, i.unit, i.quantity, i.unit_price, i.vat_rate,
    i.line_total
FROM order_items i FORCE INDEX (PRIMARY)
WHERE i.order_group_id = ?
ORDER BY i.id)";

constexpr std::string_view SELECT_ITEMS_OF_ORDER = R"(
SELECT i.order_group_id, i.id, i.product_id, i.variant_id, i.sku, i.name, i.unit, i.quantity, i.unit_price, i.vat_rate,
    i.line_total
FROM order_groups g FORCE INDEX (order_groups_order)
    STRAIGHT_JOIN order_items i FORCE INDEX (PRIMARY) ON i.order_group_id = g.id
WHERE g.order_id = ?
ORDER BY i.order_group_id, i.id)";

constexpr std::string_view SELECT_HISTORY = R"(
SELECT h.order_group_id, h.from_status, h.to_status, h.comment, h.changed_by, h.created_at
FROM order_status_history h FORCE INDEX (PRIMARY)
WHERE h.order_group_id = ?
ORDER BY h.id)";

constexpr std::string_view SELECT_HISTORY_OF_ORDER = R"(
SELECT h.order_group_id, h.from_status, h.to_status, h.comment, h.changed_by, h.created_at
FROM order_groups g FORCE INDEX (order_groups_order)
    STRAIGHT_JOIN order_status_history h FORCE INDEX (PRIMARY) ON h.order_group_id = g.id
WHERE g.order_id = ?
ORDER BY h.order_group_id, h.id)";

/// Takes the columns of a row from left to right, in the order of the struct.
class Columns {
public:
    explicit Columns(const Rows& row) : _row(row) {}

    std::int64_t integer() { return _row.integer(_next++); }
    std::optional<std::int64_t> maybeInteger() { return _row.maybeInteger(_next++); }
    std::string text() { return std::string(_row.text(_next++)); }
    std::optional<std::string> maybeText() { return _row.maybeText(_next++); }
    Decimal decimal() { return _row.decimal(_next++); }
    std::string time() { return _row.time(_next++); }

private:
    const Rows& _row;
    std::size_t _next = 0;
};

void readAddress(Columns& columns, OrderAddress& address) {
    address.line1 = columns.maybeText();
    address.line2 = columns.maybeText();
    address.postalCode = columns.maybeText();
    address.city = columns.maybeText();
    address.country = columns.maybeText();
}

OrderGroup readOne(const Rows& row, Party viewer) {
    Columns columns(row);
    OrderGroup group;
    group.id = columns.integer();
    group.orderId = columns.integer();
    group.supplierId = columns.integer();
    group.orderNumber = columns.text();
    const OrderStatus status = statusNumbered(columns.integer());
    group.status = nameOf(status);
    for (const OrderStatus next : allowedFrom(status, viewer))
        group.allowedStatuses.emplace_back(nameOf(next));
    group.currency = columns.text();
    group.subtotal = columns.decimal();
    group.vatTotal = columns.decimal();
    group.total = columns.decimal();
    group.itemsCount = columns.integer();
    group.createdAt = columns.time();
    group.updatedAt = columns.time();
    group.tracking.carrier = columns.maybeText();
    group.tracking.number = columns.maybeText();
    group.tracking.url = columns.maybeText();
    group.customerName = columns.text();
    group.customer.companyName = group.customerName;
    group.customer.contactName = columns.maybeText();
    group.customer.email = columns.maybeText();
    group.customer.phone = columns.maybeText();
    group.customer.vatNumber = columns.maybeText();
    readAddress(columns, group.customer.billing);
    readAddress(columns, group.customer.shipping);
    return group;
}

OrderItem readItem(Columns& columns) {
    OrderItem item;
    item.id = columns.integer();
    item.productId = columns.integer();
    item.variantId = columns.maybeInteger();
    item.sku = columns.maybeText();
    item.name = columns.text();
    item.unit = PRODUCT_UNITS.at(static_cast<std::size_t>(columns.integer()));
    item.quantity = columns.integer();
    item.unitPrice = columns.decimal();
    item.vatRate = columns.decimal();
    item.lineTotal = columns.decimal();
    return item;
}

OrderStatusChange readChange(Columns& columns) {
    OrderStatusChange change;
    if (const auto from = columns.maybeInteger())
        change.from = nameOf(statusNumbered(*from));
    change.to = nameOf(statusNumbered(columns.integer()));
    change.comment = columns.maybeText();
    change.changedBy = nameOf(partyNumbered(columns.integer()));
    change.createdAt = columns.time();
    return change;
}

OrderGroup& groupOf(std::vector<OrderGroup>& groups, std::int64_t id) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [id](const OrderGroup& group) { return group.id == id; });
    if (found == groups.end())
        throw std::logic_error("order group " + std::to_string(id) + " was not asked for");
    return *found;
}

void readParts(SqlSession& session, std::vector<OrderGroup>& groups, std::string_view itemsSql,
               std::string_view historySql, std::int64_t id) {
    Rows& items = session.query(itemsSql, {id});
    while (items.next()) {
        Columns columns(items);
        OrderGroup& group = groupOf(groups, columns.integer());
        group.items.push_back(readItem(columns));
    }
    Rows& history = session.query(historySql, {id});
    while (history.next()) {
        Columns columns(history);
        OrderGroup& group = groupOf(groups, columns.integer());
        group.history.push_back(readChange(columns));
    }
}

std::vector<OrderGroup> readAll(Rows& rows, Party viewer) {
    std::vector<OrderGroup> groups;
    while (rows.next())
        groups.push_back(readOne(rows, viewer));
    return groups;
}

std::optional<OrderGroup> complete(SqlSession& session, std::vector<OrderGroup> groups) {
    if (groups.empty())
        return std::nullopt;
    readParts(session, groups, SELECT_ITEMS, SELECT_HISTORY, groups.front().id);
    return std::move(groups.front());
}

} // namespace

std::optional<ReadGroup> readGroupAsOf(SqlSession& session, std::int64_t supplierId, std::int64_t groupId) {
    static const std::string SQL = OWN_GROUP.sql(", s.change_seq", joinLastChanges("g"));
    std::vector<OrderGroup> groups;
    std::int64_t asOf = 0;
    Rows& rows = session.query(SQL, {supplierId, groupId});
    while (rows.next()) {
        groups.push_back(readOne(rows, Party::Supplier));
        asOf = rows.integer(LAST_CHANGE_COLUMN);
    }
    auto group = complete(session, std::move(groups));
    return group ? std::optional(ReadGroup{*std::move(group), asOf}) : std::nullopt;
}

std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId, Party viewer) {
    return complete(session, readAll(session.query(OWN_GROUP.sql(), {supplierId, groupId}), viewer));
}

std::optional<OrderGroup> readGroup(SqlSession& session, std::int64_t groupId) {
    return complete(session, readAll(session.query(ANY_GROUP.sql(), {groupId}), Party::Platform));
}

bool isWhole(const OrderGroup& group) {
    return !group.history.empty() && group.history.back().to == group.status;
}

std::vector<OrderGroup> readGroupsOfOrder(SqlSession& session, std::int64_t orderId) {
    std::vector<OrderGroup> groups = readAll(session.query(GROUPS_OF_ORDER.sql(), {orderId}), Party::Platform);
    readParts(session, groups, SELECT_ITEMS_OF_ORDER, SELECT_HISTORY_OF_ORDER, orderId);
    return groups;
}

} // namespace supplierd::orders
