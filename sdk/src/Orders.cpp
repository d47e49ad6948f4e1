#include <supplierd/services/Orders.h>

namespace supplierd {

namespace {

void write(JsonWriter& json, const OrderAddress& address) {
    if (address.isEmpty()) {
        json.null();
        return;
    }
    json.beginObject();
    json.field("line1", address.line1).field("line2", address.line2).field("postal_code", address.postalCode);
    json.field("city", address.city).field("country", address.country).endObject();
}

void write(JsonWriter& json, const OrderCustomer& customer) {
    json.beginObject();
    json.field("company_name", customer.companyName).field("contact_name", customer.contactName);
    json.field("email", customer.email).field("phone", customer.phone).field("vat_number", customer.vatNumber);
    json.key("billing_address");
    write(json, customer.billing);
    json.key("shipping_address");
    write(json, customer.shipping);
    json.endObject();
}

void write(JsonWriter& json, const OrderItem& item) {
    json.beginObject();
    json.field("id", item.id).field("product_id", item.productId).field("variant_id", item.variantId);
    json.field("sku", item.sku).field("name", item.name).field("unit", item.unit).field("quantity", item.quantity);
    json.field("unit_price", item.unitPrice).field("vat_rate", item.vatRate).field("line_total", item.lineTotal);
    json.endObject();
}

void write(JsonWriter& json, const OrderStatusChange& change) {
    json.beginObject().field("from_status", change.from).field("to_status", change.to);
    json.field("comment", change.comment).field("changed_by", change.changedBy);
    json.field("created_at", change.createdAt).endObject();
}

void writeSummary(JsonWriter& json, const OrderGroupSummary& order, Audience audience) {
    json.field("id", order.id).field("order_number", order.orderNumber).field("status", order.status);
    json.field("currency", order.currency).field("subtotal", order.subtotal);
    json.field("vat_total", order.vatTotal).field("total", order.total).field("items_count", order.itemsCount);
    json.field("customer_name", order.customerName);
    json.field("created_at", order.createdAt).field("updated_at", order.updatedAt);
    if (order.changeSeq > 0)
        json.field("change_seq", order.changeSeq);
    if (audience == Audience::Operator)
        json.key("supplier").beginObject().field("id", order.supplierId).field("name", order.supplierName).endObject();
}

} // namespace

void writeJson(JsonWriter& json, const OrderTracking& tracking) {
    if (tracking.isEmpty()) {
        json.null();
        return;
    }
    json.beginObject().field("carrier", tracking.carrier).field("number", tracking.number);
    json.field("url", tracking.url).endObject();
}

void writeJson(JsonWriter& json, const OrderGroupSummary& order, Audience audience) {
    json.beginObject();
    writeSummary(json, order, audience);
    json.endObject();
}

void writeJson(JsonWriter& json, const OrderGroup& order, Audience audience) {
    json.beginObject();
    writeSummary(json, order, audience);
    json.key("items").beginArray();
    for (const OrderItem& item : order.items)
        write(json, item);
    json.endArray().key("customer");
    write(json, order.customer);
    json.key("status_history").beginArray();
    for (const OrderStatusChange& change : order.history)
        write(json, change);
    json.endArray().key("allowed_statuses").beginArray();
    for (const std::string& status : order.allowedStatuses)
        json.value(status);
    json.endArray().key("tracking");
    writeJson(json, order.tracking);
    json.endObject();
}

void writeJson(JsonWriter& json, const PlacedOrder& order) {
    json.beginObject().field("id", order.id).field("order_number", order.orderNumber).key("groups").beginArray();
    for (const OrderGroup& group : order.groups)
        writeJson(json, group);
    json.endArray().endObject();
}

} // namespace supplierd
