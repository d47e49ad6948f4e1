#include "TestOrder.h"

#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <array>
#include <utility>

namespace supplierd::sandbox {

namespace {

constexpr std::size_t MAX_ITEMS = 500;
constexpr std::size_t MAX_SKU = 64;
constexpr std::size_t NUMBER_BYTES = 9;
/// Of an order for "any".
constexpr std::size_t ANY_ITEMS = 3;
constexpr std::string_view ANY = "any";

constexpr std::string_view CUSTOMER = R"({"company_name":"Sandbox Flowers BV","contact_name":"Test Customer",)"
                                      R"("email":"customer@example.com","phone":"+31 20 555 0100",)"
                                      R"("billing_address":{"line1":"Teststraat 1","postal_code":"1012 AB",)"
                                      R"("city":"Amsterdam","country":"NL"},)"
                                      R"("shipping_address":{"line1":"Teststraat 1","postal_code":"1012 AB",)"
                                      R"("city":"Amsterdam","country":"NL"}})";

std::string place(std::size_t index, std::string_view field) {
    return "items[" + std::to_string(index) + "]" + (field.empty() ? "" : ".") + std::string(field);
}

void write(JsonWriter& json, const JsonValue& value) {
    if (value.isObject()) {
        json.beginObject();
        for (const auto& [name, member] : value.object()) {
            json.key(name);
            write(json, member);
        }
        json.endObject();
    } else if (value.isArray()) {
        json.beginArray();
        for (const JsonValue one : value.array())
            write(json, one);
        json.endArray();
    } else if (value.isText()) {
        json.value(value.text());
    } else if (value.isNumber()) {
        json.raw(value.number());
    } else if (value.isBoolean()) {
        json.value(value.boolean());
    } else {
        json.null();
    }
}

void writeField(JsonWriter& json, const JsonObject& from, std::string_view name) {
    const JsonValue value = from.get(name);
    if (value.isNull())
        return;
    json.key(name);
    write(json, value);
}

bool isAny(const JsonValue& items) {
    return items.isNull() || (items.isText() && trimmed(items.text()) == ANY);
}

} // namespace

/// The number is no choice of the client's: it could be one that a real order is to have.
TestOrder::TestOrder(const SandboxServices& services, Request& request)
    : _services(services),
      _actor(actorOf(request)),
      _supplierId(request.principal().supplierId),
      _body(request.body()),
      _number("TEST-" + std::to_string(_supplierId) + "-" + services.crypto->randomToken(NUMBER_BYTES)) {
    if (!isAny(_body.get("items")))
        return;
    const auto active = _services.products->list(request.database(), pageOf(_supplierId, "active"));
    for (const ProductRecord& product : active.items)
        if (product.read().get("stock_qty").integer() > 0 && _chosen.size() < ANY_ITEMS)
            _chosen.push_back(product.id);
    if (_chosen.empty())
        throw ApiError::validation({{"items", "out_of_range",
                                     "items: no product of this sandbox is approved, active and in stock; approve one "
                                     "with POST /sandbox/products/{id}/approve, or set its stock"}});
}

OrderGroupSummary TestOrder::place(Transaction& transaction) const {
    Details details;
    const std::vector<Line> lines = _chosen.empty() ? readLines(transaction, details) : std::vector<Line>();
    details.throwIfAny();
    const JsonDocument order = parseJsonObject(text(lines));
    const PlacedOrder placed = _services.orders->place(transaction, order.object(), _actor);
    return placed.groups.at(0);
}

std::vector<TestOrder::Line> TestOrder::readLines(SqlSession& session, Details& details) const {
    std::vector<Line> lines;
    ObjectReader reader(_body, details);
    const auto items = reader.array("items", MAX_ITEMS, true);
    if (!items)
        return lines;
    if (items->empty())
        details.add("items", "required", "items must have at least one entry");
    std::size_t index = 0;
    for (const JsonValue item : *items) {
        const std::string at = sandbox::place(index++, {});
        Line& line = lines.emplace_back();
        if (!item.isObject()) {
            details.add(at, "type", at + " must be an object");
            continue;
        }
        line.item = item.object();
        ObjectReader fields(line.item, details, at + ".");
        line.productId = fields.integer("product_id", {.min = 1}).value;
        line.variantId = fields.integer("variant_id", {.min = 1}).value;
        line.sku = fields.text("sku", {MAX_SKU}).valueOr("");
        if (!line.productId && line.sku.empty() && !details.has(at + ".product_id") && !details.has(at + ".sku"))
            details.add(at + ".product_id", "required", at + ": product_id or sku is required");
        else if (line.productId && !line.sku.empty())
            details.add(at + ".sku", "unsupported", at + ": product_id or sku, not both");
    }
    findSkus(session, lines, details);
    requireOwn(session, lines, details);
    return lines;
}

void TestOrder::findSkus(SqlSession& session, std::vector<Line>& lines, Details& details) const {
    std::vector<std::string> skus;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].productId || lines[i].sku.empty())
            continue;
        skus.push_back(lines[i].sku);
        indices.push_back(i);
    }
    if (skus.empty())
        return;
    const auto found = _services.products->bySku(session, _supplierId, skus);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        Line& line = lines[indices[i]];
        if (found[i]) {
            line.productId = found[i]->productId;
            line.variantId = found[i]->variantId;
        } else {
            const std::string at = sandbox::place(indices[i], "sku");
            details.add(at, "unknown_reference", at + ": there is no product with the SKU " + line.sku);
        }
    }
}

/// What others sell is not told from what nobody does.
void TestOrder::requireOwn(SqlSession& session, const std::vector<Line>& lines, Details& details) const {
    std::vector<ProductRef> products;
    for (const Line& line : lines)
        products.push_back({line.productId.value_or(0)});
    if (products.empty())
        return;
    const auto offers = _services.products->offers(session, products);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].productId || (offers[i].hasProduct && offers[i].supplierId == _supplierId))
            continue;
        const std::string at = sandbox::place(i, "product_id");
        details.add(at, "unknown_reference", at + ": there is no product " + std::to_string(*lines[i].productId));
    }
}

std::string TestOrder::text(const std::vector<Line>& lines) const {
    std::string text;
    JsonWriter json(text);
    json.beginObject().field("order_number", _number).field("sandbox", true).key("customer");
    if (const JsonValue customer = _body.get("customer"); customer.isNull())
        json.raw(CUSTOMER);
    else
        write(json, customer);
    writeField(json, _body, "currency");
    json.key("items").beginArray();
    for (const std::int64_t product : _chosen)
        json.beginObject().field("product_id", product).field("quantity", 1).endObject();
    for (const Line& line : lines) {
        json.beginObject().field("product_id", *line.productId);
        if (line.variantId)
            json.field("variant_id", *line.variantId);
        if (line.item.get("quantity").isNull())
            json.field("quantity", 1);
        writeField(json, line.item, "quantity");
        writeField(json, line.item, "unit_price");
        json.endObject();
    }
    json.endArray().endObject();
    return text;
}

} // namespace supplierd::sandbox
