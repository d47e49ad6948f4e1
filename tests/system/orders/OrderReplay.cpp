#include "OrderReplay.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <tuple>

namespace supplierd::tests {

namespace {

constexpr char GROUP = 'G';
constexpr char HISTORY = 'H';
constexpr char ITEM = 'I';

constexpr const char* GROUP_VALUES = R"sql(JSON_OBJECT(
    'number', @.order_number, 'status', @.status, 'currency', @.currency, 'items', @.items_count,
    'subtotal', CAST(@.subtotal * 100 AS SIGNED), 'vat', CAST(@.vat_total * 100 AS SIGNED),
    'total', CAST(@.total * 100 AS SIGNED), 'customer', @.customer_name, 'change', @.change_seq,
    'created', DATE_FORMAT(@.created_at, '%Y-%m-%dT%H:%i:%s.%f'),
    'updated', DATE_FORMAT(@.updated_at, '%Y-%m-%dT%H:%i:%s.%f'),
    'carrier', @.tracking_carrier, 'tracking_number', @.tracking_number, 'url', @.tracking_url,
    'contact', (SELECT o.contact_name FROM orders o WHERE o.id = @.order_id)))sql";

constexpr const char* HISTORY_VALUES = R"sql(JSON_OBJECT(
    'from', @.from_status, 'to', @.to_status, 'by', @.changed_by, 'comment', @.comment,
    'created', DATE_FORMAT(@.created_at, '%Y-%m-%dT%H:%i:%s.%f')))sql";

constexpr const char* ITEM_VALUES = R"sql(JSON_OBJECT(
    'product', @.product_id, 'variant', @.variant_id, 'sku', @.sku, 'name', @.name, 'unit', @.unit,
    'quantity', @.quantity, 'price', CAST(@.unit_price * 10000 AS SIGNED), 'vat', CAST(@.vat_rate * 10000 AS SIGNED),
    'total', CAST(@.line_total * 100 AS SIGNED)))sql";

constexpr const char* OWNER = "(SELECT g.supplier_id FROM order_groups g WHERE g.id = @.order_group_id)";

constexpr CommitLog::Table TABLES[] = {
    {"order_groups", GROUP, "@.supplier_id", "@.id", "0", GROUP_VALUES},
    {"order_status_history", HISTORY, OWNER, "@.order_group_id", "@.id", HISTORY_VALUES},
    {"order_items", ITEM, OWNER, "@.order_group_id", "@.id", ITEM_VALUES},
};

// By the specification, and not by the server's own table.
const std::map<std::string, json> ALLOWED{{"pending", {"confirmed", "cancelled"}},
                                          {"confirmed", {"processing", "cancelled"}},
                                          {"processing", {"shipped", "cancelled"}},
                                          {"shipped", {"delivered"}}};
constexpr std::array<const char*, 8> UNITS{"stem", "bunch", "box", "pack", "piece", "kilogram", "meter", "roll"};

json statusOf(const json& number) {
    return number.is_null() ? json() : json(ORDER_STATUSES.at(number.get<std::size_t>()));
}

json money(const json& cents) {
    return cents.get<double>() / 100;
}

json exact(const json& parts) {
    return parts.get<double>() / 10'000;
}

json timeOf(const json& time) {
    return time.get<std::string>().substr(0, 19) + "Z";
}

/// The last second that is whole in it.
bool isSince(const json& time, const std::string& since) {
    return since.empty() || time.get<std::string>() >= since;
}

bool matches(const ReplayedOrder& order, const OrderRequest& request) {
    return (request.status.empty() || order.status() == request.status) &&
           isSince(order.values.at("created"), request.createdFrom) &&
           isSince(order.values.at("updated"), request.updatedSince);
}

} // namespace

std::span<const CommitLog::Table> orderTables() {
    return TABLES;
}

std::string ReplayedOrder::status() const {
    return statusOf(values.at("status")).get<std::string>();
}

void OrderReplay::add(std::vector<CommitLog::Row> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(_rows));
}

void OrderReplay::advance(std::int64_t number) {
    for (; _applied < _rows.size() && _rows[_applied].seq <= number; ++_applied) {
        if (_rows[_applied].seq != _number)
            ++_commits;
        _number = _rows[_applied].seq;
        apply(_rows[_applied]);
    }
}

void OrderReplay::apply(const CommitLog::Row& row) {
    if (row.kind == CommitLog::NUMBER)
        return;
    ReplayedOrder& order = _orders[row.objectId];
    order.id = row.objectId;
    if (row.values.is_null())
        throw std::runtime_error("something of order group " + std::to_string(row.objectId) + " is gone");
    if (row.kind == HISTORY)
        order.history[row.id] = row.values;
    else if (row.kind == ITEM)
        order.items[row.id] = row.values;
    else
        order.values = row.values;
    if (row.kind == GROUP && order.change() != row.seq)
        throw std::runtime_error("order group " + std::to_string(row.objectId) + " was changed under number " +
                                 std::to_string(row.seq) + ", but stamped with " + std::to_string(order.change()));
}

const ReplayedOrder* OrderReplay::find(std::int64_t id) const {
    const auto found = _orders.find(id);
    return found == _orders.end() ? nullptr : &found->second;
}

OrderReplay::Found OrderReplay::list(const OrderRequest& request) const {
    Found found;
    for (const auto& [id, order] : _orders)
        if (matches(order, request))
            found.push_back(&order);
    std::sort(found.begin(), found.end(), [&](const auto* a, const auto* b) {
        return request.isByCreation() ? std::pair(a->created(), a->id) > std::pair(b->created(), b->id) : a->id > b->id;
    });
    return found;
}

OrderReplay::Found OrderReplay::byChange(const OrderRequest& request) const {
    Found found = list(request);
    std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return std::pair(a->change(), a->id) < std::pair(b->change(), b->id);
    });
    return found;
}

json shownInList(const ReplayedOrder& order) {
    const json& values = order.values;
    return {{"id", order.id},
            {"order_number", values.at("number")},
            {"status", order.status()},
            {"currency", values.at("currency")},
            {"subtotal", money(values.at("subtotal"))},
            {"vat_total", money(values.at("vat"))},
            {"total", money(values.at("total"))},
            {"items_count", values.at("items")},
            {"customer_name", values.at("customer")},
            {"created_at", timeOf(values.at("created"))},
            {"updated_at", timeOf(values.at("updated"))}};
}

json shownAlone(const ReplayedOrder& order) {
    const json& values = order.values;
    json shown = shownInList(order);
    shown["items"] = json::array();
    for (const auto& [id, item] : order.items)
        shown["items"].push_back({{"id", id},
                                  {"product_id", item.at("product")},
                                  {"variant_id", item.at("variant")},
                                  {"sku", item.at("sku")},
                                  {"name", item.at("name")},
                                  {"unit", UNITS.at(item.at("unit").get<std::size_t>())},
                                  {"quantity", item.at("quantity")},
                                  {"unit_price", exact(item.at("price"))},
                                  {"vat_rate", exact(item.at("vat"))},
                                  {"line_total", money(item.at("total"))}});
    shown["customer"] = {{"company_name", values.at("customer")},
                         {"contact_name", values.at("contact")},
                         {"email", nullptr},
                         {"phone", nullptr},
                         {"vat_number", nullptr},
                         {"billing_address", nullptr},
                         {"shipping_address", nullptr}};
    shown["status_history"] = json::array();
    for (const auto& [id, change] : order.history)
        shown["status_history"].push_back({{"from_status", statusOf(change.at("from"))},
                                           {"to_status", statusOf(change.at("to"))},
                                           {"comment", change.at("comment")},
                                           {"changed_by", change.at("by") == 0 ? "supplier" : "platform"},
                                           {"created_at", timeOf(change.at("created"))}});
    const auto allowed = ALLOWED.find(order.status());
    shown["allowed_statuses"] = allowed == ALLOWED.end() ? json::array() : allowed->second;
    shown["tracking"] = {
        {"carrier", values.at("carrier")}, {"number", values.at("tracking_number")}, {"url", values.at("url")}};
    if (values.at("carrier").is_null() && values.at("tracking_number").is_null() && values.at("url").is_null())
        shown["tracking"] = nullptr;
    return shown;
}

} // namespace supplierd::tests
