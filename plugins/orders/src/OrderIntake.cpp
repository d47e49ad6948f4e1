#include "OrderIntake.h"

#include "OrderReader.h"
#include "OrderTotals.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/internal/ProductUnits.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view INSERT_ORDER = R"(
INSERT INTO orders (order_number, body_hash, currency, company_name, contact_name, email, phone, vat_number,
    billing_line1, billing_line2, billing_postal_code, billing_city, billing_country,
    shipping_line1, shipping_line2, shipping_postal_code, shipping_city, shipping_country)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))";

constexpr std::string_view SELECT_BY_NUMBER = "SELECT id, body_hash FROM orders WHERE order_number = ?";

// Who moves a group has its row locked until everything about the move is there. What is selected is not in the index:
// of what is in it, the database locks the entry of the index and not the row.
constexpr std::string_view LOCK_GROUPS_OF_ORDER = R"(
SELECT g.updated_at FROM order_groups g FORCE INDEX (order_groups_order) WHERE g.order_id = ? LOCK IN SHARE MODE)";

constexpr std::string_view INSERT_GROUPS = R"(
INSERT INTO order_groups (supplier_id, items_count, subtotal, vat_total, total, change_seq, order_id, currency,
    order_number, customer_name)
SELECT t.supplier_id, t.items_count, t.subtotal, t.vat_total, t.total, t.change_seq, ?, ?, ?, ?
FROM JSON_TABLE(?, '$[*]' COLUMNS (
        supplier_id BIGINT PATH '$[0]', items_count INT PATH '$[1]', subtotal DECIMAL(14,2) PATH '$[2]',
        vat_total DECIMAL(14,2) PATH '$[3]', total DECIMAL(14,2) PATH '$[4]', change_seq BIGINT PATH '$[5]')) t
ORDER BY t.supplier_id)";

constexpr std::string_view INSERT_ITEMS = R"(
INSERT INTO order_items (order_group_id, product_id, variant_id, quantity, unit, unit_price, vat_rate, line_total, sku,
    name)
SELECT g.id, t.product_id, t.variant_id, t.quantity, t.unit, t.unit_price, t.vat_rate, t.line_total, t.sku, t.name
FROM JSON_TABLE(?, '$[*]' COLUMNS (
        place FOR ORDINALITY, supplier_id BIGINT PATH '$.supplier', product_id BIGINT PATH '$.product',
        variant_id BIGINT PATH '$.variant', quantity BIGINT PATH '$.quantity', unit INT PATH '$.unit',
        unit_price DECIMAL(12,4) PATH '$.price', vat_rate DECIMAL(7,4) PATH '$.vat',
        line_total DECIMAL(14,2) PATH '$.total', sku VARCHAR(64) CHARACTER SET utf8mb4 PATH '$.sku',
        name VARCHAR(600) CHARACTER SET utf8mb4 PATH '$.name')) t
    STRAIGHT_JOIN order_groups g FORCE INDEX (order_groups_order) ON g.order_id = ? AND g.supplier_id = t.supplier_id
ORDER BY t.place)";

constexpr std::string_view INSERT_FIRST_HISTORY = R"(
INSERT INTO order_status_history (order_group_id, to_status, changed_by)
SELECT g.id, ?, ? FROM order_groups g FORCE INDEX (order_groups_order) WHERE g.order_id = ? ORDER BY g.id)";

std::int64_t placeOfUnit(std::string_view unit) {
    const auto found = std::ranges::find(PRODUCT_UNITS, unit);
    if (found == PRODUCT_UNITS.end())
        throw std::runtime_error("products are sold by a unit that orders do not know: " + std::string(unit));
    return found - PRODUCT_UNITS.begin();
}

std::string moneyText(const Decimal& amount) {
    return amount.toString();
}

} // namespace

PlacedOrder OrderIntake::place(const JsonObject& body) {
    Details details;
    const OrderInput input = OrderInput::read(body, details);
    if (!details.empty()) {
        const std::vector<ProductOffer> offers = offersFor(input);
        findLineProblems(input, offers, suppliersOf(offers), details);
        details.throwIfAny();
    }
    const std::optional<std::int64_t> orderId = insertOrder(input);
    if (!orderId)
        return knownOrder(input);

    std::vector<ProductOffer> offers = offersFor(input);
    // What can be asked before everybody else of theirs waits is asked now.
    const SuppliersById suppliers = suppliersOf(offers);
    const Changes changes = lockCatalogs(offers);
    offers = offersFor(input);
    for (ProductOffer& offer : offers)
        if (!changes.contains(offer.supplierId))
            offer = ProductOffer(); // came into being just now
    findLineProblems(input, offers, suppliers, details);
    std::vector<Priced> prices;
    const Drafts drafts = draftGroups(input, offers, prices, details);
    details.throwIfAny();

    takeStock(input, offers);
    insertGroups(*orderId, input, drafts, changes);
    insertItems(*orderId, input, offers, prices);
    _transaction.execute(INSERT_FIRST_HISTORY, {static_cast<std::int64_t>(OrderStatus::Pending),
                                                static_cast<std::int64_t>(Party::Platform), *orderId});
    addToTotals(_transaction, *orderId);
    PlacedOrder order{*orderId, input.number, true, readGroupsOfOrder(_transaction, *orderId)};
    for (OrderGroup& group : order.groups) {
        group.supplierName = suppliers.at(group.supplierId).name;
        changes.at(group.supplierId)->note(ChangeKind::ORDER_CREATED, group.id);
    }
    record(order, input.currency);
    return order;
}

std::optional<std::int64_t> OrderIntake::insertOrder(const OrderInput& input) {
    const OrderCustomer& customer = input.customer;
    const OrderAddress& billing = customer.billing;
    const OrderAddress& shipping = customer.shipping;
    const std::string hash = input.hash();
    try {
        _transaction.execute(INSERT_ORDER,
                             {input.number, hash, input.currency, customer.companyName, customer.contactName,
                              customer.email, customer.phone, customer.vatNumber, billing.line1, billing.line2,
                              billing.postalCode, billing.city, billing.country, shipping.line1, shipping.line2,
                              shipping.postalCode, shipping.city, shipping.country});
    } catch (const DatabaseError& error) {
        if (!error.isDuplicateKey())
            throw;
        return std::nullopt;
    }
    return _transaction.lastInsertId();
}

PlacedOrder OrderIntake::knownOrder(const OrderInput& input) {
    Rows& rows = _transaction.query(SELECT_BY_NUMBER, {input.number});
    // The refused INSERT holds on to the row.
    if (!rows.next())
        throw std::runtime_error("the order that has this number already is gone");
    const std::int64_t orderId = rows.integer(0);
    if (rows.text(1) != input.hash())
        throw ApiError::validation(
            {{"order_number", "duplicate", "order_number " + input.number + " is that of another order"}});
    lockGroups(orderId);
    PlacedOrder order{orderId, input.number, false, readGroupsOfOrder(_transaction, orderId)};
    nameSuppliers(_transaction, _services.accounts, std::span(order.groups));
    return order;
}

void OrderIntake::lockGroups(std::int64_t orderId) {
    Rows& rows = _transaction.query(LOCK_GROUPS_OF_ORDER, {orderId});
    while (rows.next())
        continue;
}

std::vector<ProductOffer> OrderIntake::offersFor(const OrderInput& input) {
    std::vector<ProductRef> products;
    for (const OrderLine& line : input.lines)
        products.push_back({line.productId, line.variantId});
    return _services.products.offers(_transaction, products);
}

SuppliersById OrderIntake::suppliersOf(const std::vector<ProductOffer>& offers) {
    std::vector<std::int64_t> ids;
    for (const ProductOffer& offer : offers)
        if (offer.hasProduct)
            ids.push_back(offer.supplierId);
    SuppliersById suppliers;
    for (Supplier& supplier : _services.accounts.findSuppliers(_transaction, ids))
        suppliers.emplace(supplier.id, std::move(supplier));
    return suppliers;
}

OrderIntake::Changes OrderIntake::lockCatalogs(const std::vector<ProductOffer>& offers) {
    Changes changes;
    for (const ProductOffer& offer : offers)
        if (offer.hasProduct)
            changes.emplace(offer.supplierId, nullptr);
    // In ascending order, as the map is.
    for (auto& [supplierId, change] : changes)
        change = &_transaction.change(supplierId);
    return changes;
}

OrderIntake::Drafts OrderIntake::draftGroups(const OrderInput& input, const std::vector<ProductOffer>& offers,
                                             std::vector<Priced>& prices, Details& details) const {
    static const std::string LIMIT = " must be below " + std::to_string(MONEY_LIMIT);
    Drafts drafts;
    prices.resize(input.lines.size());
    for (std::size_t i = 0; i < input.lines.size(); ++i) {
        const OrderLine& line = input.lines[i];
        if (!offers[i].hasProduct)
            continue;
        const Decimal unitPrice = line.unitPrice.value_or(offers[i].basePrice);
        const std::optional<Decimal> total = lineTotal(line.quantity, unitPrice);
        if (!total) {
            details.add(line.place("quantity"), "out_of_range",
                        line.place("quantity") + " times the unit price" + LIMIT);
            continue;
        }
        prices[i] = {unitPrice, *total};
        GroupDraft& draft = drafts[offers[i].supplierId];
        draft.lines.add(*total, offers[i].vatRate);
        ++draft.count;
    }
    for (auto& [supplierId, draft] : drafts) {
        if (const auto sums = draft.lines.sums())
            draft.sums = *sums;
        else
            details.add("items", "out_of_range", "items: the total of supplier " + std::to_string(supplierId) + LIMIT);
    }
    return drafts;
}

void OrderIntake::takeStock(const OrderInput& input, const std::vector<ProductOffer>& offers) {
    std::vector<StockMove> moves;
    for (std::size_t i = 0; i < input.lines.size(); ++i) {
        const OrderLine& line = input.lines[i];
        moves.push_back({offers[i].supplierId, line.productId, line.variantId, line.quantity});
    }
    _services.stock.take(_transaction, moves);
}

void OrderIntake::insertGroups(std::int64_t orderId, const OrderInput& input, const Drafts& drafts,
                               const Changes& changes) {
    std::string groups;
    JsonWriter json(groups);
    json.beginArray();
    for (const auto& [supplierId, draft] : drafts) {
        json.beginArray().value(supplierId).value(draft.count).value(moneyText(draft.sums.subtotal));
        json.value(moneyText(draft.sums.vatTotal)).value(moneyText(draft.sums.total));
        json.value(changes.at(supplierId)->seq()).endArray();
    }
    json.endArray();
    _transaction.execute(INSERT_GROUPS, {orderId, input.currency, input.number, input.customer.companyName, groups});
}

void OrderIntake::insertItems(std::int64_t orderId, const OrderInput& input, const std::vector<ProductOffer>& offers,
                              const std::vector<Priced>& prices) {
    std::string items;
    JsonWriter json(items);
    json.beginArray();
    for (std::size_t i = 0; i < input.lines.size(); ++i) {
        const OrderLine& line = input.lines[i];
        const ProductOffer& offer = offers[i];
        json.beginObject().field("supplier", offer.supplierId).field("product", line.productId);
        if (line.variantId)
            json.field("variant", *line.variantId);
        json.field("quantity", line.quantity).field("unit", placeOfUnit(offer.unit));
        json.field("price", moneyText(prices[i].unitPrice)).field("vat", moneyText(offer.vatRate));
        json.field("total", moneyText(prices[i].total)).field("name", offer.name);
        if (offer.sku)
            json.field("sku", *offer.sku);
        json.endObject();
    }
    json.endArray();
    _transaction.execute(INSERT_ITEMS, {items, orderId});
}

void OrderIntake::record(const PlacedOrder& order, const std::string& currency) {
    AuditEntry entry = auditEntry(_actor, "order", "create", order.id, std::nullopt);
    JsonWriter json(entry.after);
    json.beginObject().field("order_number", order.orderNumber).field("currency", currency);
    json.key("groups").beginArray();
    for (const OrderGroup& group : order.groups) {
        json.beginObject().field("id", group.id).field("supplier_id", group.supplierId);
        json.field("items_count", group.itemsCount).field("total", group.total).endObject();
    }
    json.endArray().endObject();
    _services.audit.record(_transaction, entry);
}

} // namespace supplierd::orders
