#include "exports/OrderExport.h"

#include <supplierd/Validation.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace supplierd::csv {

namespace {

constexpr std::array<std::string_view, 4> FILTERS{"status", "created_from", "created_to", "updated_since"};

constexpr std::array<std::string_view, 27> ORDER_COLUMNS{
    "order_id",       "order_number", "status",         "currency", "created_at", "updated_at",
    "company_name",   "contact_name", "email",          "phone",    "vat_number", "shipping_line1",
    "shipping_line2", "postal_code",  "city",           "country",  "item_id",    "product_id",
    "variant_id",     "sku",          "name",           "unit",     "quantity",   "unit_price",
    "vat_rate",       "line_total",   "tracking_number"};

QueryParameters filtersOf(const QueryParameters& query, std::int64_t supplierId) {
    Details details;
    QueryReader reader(query, details);
    for (const std::string_view name : {"page", "per_page", "cursor", "changed_after"})
        if (reader.has(name))
            details.add(std::string(name), "unsupported", std::string(name) + " cannot be used here");
    details.throwIfAny();
    // A sandbox has its orders too.
    QueryParameters filters{{"supplier_id", std::to_string(supplierId)}, {"sandbox", "true"}, {"per_page", "100"}};
    for (const auto& parameter : query)
        if (std::find(FILTERS.begin(), FILTERS.end(), parameter.first) != FILTERS.end())
            filters.push_back(parameter);
    return filters;
}

void writeItem(CsvWriter& csv, const OrderGroup& order, const OrderItem& item) {
    const OrderCustomer& customer = order.customer;
    csv.number(order.id).text(order.orderNumber).text(order.status).text(order.currency);
    csv.text(order.createdAt).text(order.updatedAt).text(customer.companyName).text(customer.contactName);
    csv.text(customer.email).text(customer.phone).text(customer.vatNumber);
    const OrderAddress& address = customer.shipping;
    csv.text(address.line1).text(address.line2).text(address.postalCode).text(address.city).text(address.country);
    csv.number(item.id).number(item.productId).number(item.variantId).text(item.sku).text(item.name).text(item.unit);
    csv.number(item.quantity).number(item.unitPrice).number(item.vatRate).number(item.lineTotal);
    csv.text(order.tracking.number).endLine();
}

} // namespace

OrderExport::OrderExport(Database& database, Orders& orders, std::int64_t supplierId, const QueryParameters& query,
                         CsvStyle style)
    : _database(database),
      _orders(orders),
      _supplierId(supplierId),
      _query(filtersOf(query, supplierId)),
      _style(style) {
    readPage();
}

void OrderExport::readPage() {
    QueryParameters query = _query;
    if (_cursor)
        query.emplace_back("cursor", *_cursor);
    auto page = _orders.list(_database, query);
    _page = std::move(page.items);
    _cursor = page.pagination.nextCursor;
    _at = 0;
}

bool OrderExport::append(std::string& text) {
    CsvWriter csv(text, _style);
    if (!_hasHeading) {
        _hasHeading = true;
        text += BYTE_ORDER_MARK;
        for (const std::string_view column : ORDER_COLUMNS)
            csv.text(column);
        csv.endLine();
        return true;
    }
    if (_at == _page.size()) {
        if (!_cursor)
            return false;
        readPage();
        return true;
    }
    const std::int64_t id = _page[_at++].id;
    const auto order =
        _database.snapshot([&](SqlSession& snapshot) { return _orders.findOwn(snapshot, _supplierId, id); });
    if (order)
        for (const OrderItem& item : order->items)
            writeItem(csv, *order, item);
    return true;
}

} // namespace supplierd::csv
