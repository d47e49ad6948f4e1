#include "OrderJson.h"

#include <array>
#include <cstddef>

namespace supplierd::orders {

namespace {

// The position is the number stored in products.unit and order_items.unit.
constexpr std::array<std::string_view, 8> UNITS{"stem", "bunch", "box", "pack", "piece", "kilogram", "meter", "roll"};

void writeAddress(JsonWriter& json, const Address& address) {
    if (address.isEmpty()) {
        json.null();
        return;
    }
    json.beginObject();
    json.field("line1", address.line1).field("line2", address.line2).field("postal_code", address.postalCode);
    json.field("city", address.city).field("country", address.country).endObject();
}

void writeCustomer(JsonWriter& json, const Customer& customer) {
    json.beginObject();
    json.field("company_name", customer.companyName).field("contact_name", customer.contactName);
    json.field("email", customer.email).field("phone", customer.phone).field("vat_number", customer.vatNumber);
    json.key("billing_address");
    writeAddress(json, customer.billing);
    json.key("shipping_address");
    writeAddress(json, customer.shipping);
    json.endObject();
}

void writeItem(JsonWriter& json, const OrderItem& item) {
    json.beginObject();
    json.field("id", item.id).field("product_id", item.productId).field("variant_id", item.variantId);
    json.field("sku", item.sku).field("name", item.name);
    json.field("unit", UNITS.at(static_cast<std::size_t>(item.unit))).field("quantity", item.quantity);
    json.field("unit_price", item.unitPrice).field("vat_rate", item.vatRate).field("line_total", item.lineTotal);
    json.endObject();
}

void writeChange(JsonWriter& json, const StatusChange& change) {
    json.beginObject();
    json.key("from_status");
    if (change.from)
        json.value(nameOf(*change.from));
    else
        json.null();
    json.field("to_status", nameOf(change.to)).field("comment", change.comment);
    json.field("changed_by", nameOf(change.changedBy)).field("created_at", change.createdAt).endObject();
}

} // namespace

void writeTracking(JsonWriter& json, const Tracking& tracking) {
    if (tracking.isEmpty()) {
        json.null();
        return;
    }
    json.beginObject().field("carrier", tracking.carrier).field("number", tracking.number);
    json.field("url", tracking.url).endObject();
}

void writeSupplier(JsonWriter& json, std::int64_t id, std::string_view name) {
    json.key("supplier").beginObject().field("id", id).field("name", name).endObject();
}

void writeGroup(JsonWriter& json, const OrderGroup& group, Mover viewer) {
    json.beginObject();
    json.field("id", group.id).field("order_number", group.orderNumber).field("status", nameOf(group.status));
    json.field("currency", group.currency).field("subtotal", group.sums.subtotal);
    json.field("vat_total", group.sums.vatTotal).field("total", group.sums.total);
    json.field("items_count", group.itemsCount).field("customer_name", group.customer.companyName);
    json.field("created_at", group.createdAt).field("updated_at", group.updatedAt);
    if (viewer == Mover::Platform)
        writeSupplier(json, group.supplierId, group.supplierName);
    json.key("items").beginArray();
    for (const OrderItem& item : group.items)
        writeItem(json, item);
    json.endArray().key("customer");
    writeCustomer(json, group.customer);
    json.key("status_history").beginArray();
    for (const StatusChange& change : group.history)
        writeChange(json, change);
    json.endArray().key("allowed_statuses").beginArray();
    for (const OrderStatus status : allowedFrom(group.status, viewer))
        json.value(nameOf(status));
    json.endArray().key("tracking");
    writeTracking(json, group.tracking);
    json.endObject();
}

} // namespace supplierd::orders
