#include "OrderInput.h"

#include <supplierd/JsonWriter.h>

#include <Poco/SHA2Engine.h>

#include <algorithm>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::size_t MAX_ORDER_NUMBER = 64;
constexpr std::size_t MAX_ITEMS = 500;
constexpr std::size_t MAX_NAME = 255;
constexpr std::size_t MAX_SHORT = 64;
constexpr std::size_t MAX_POSTAL_CODE = 32;

bool isCurrency(std::string_view text) {
    return text.size() == 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string readCurrency(ObjectReader& reader) {
    std::string currency = reader.text("currency", {MAX_SHORT}).valueOr("EUR");
    if (!isCurrency(currency))
        reader.details().add("currency", "not_in_set", "currency must be an ISO 4217 code, three capital letters");
    return currency;
}

OrderAddress readAddress(ObjectReader& customer, std::string_view name) {
    OrderAddress address;
    const std::optional<JsonObject> found = customer.object(name);
    if (!found)
        return address;
    ObjectReader reader(*found, customer.details(), customer.path(name) + ".");
    address.line1 = reader.text("line1", {MAX_NAME}).value;
    address.line2 = reader.text("line2", {MAX_NAME}).value;
    address.postalCode = reader.text("postal_code", {MAX_POSTAL_CODE}).value;
    address.city = reader.text("city", {MAX_NAME}).value;
    address.country = reader.text("country", {MAX_SHORT}).value;
    return address;
}

OrderCustomer readCustomer(ObjectReader& body) {
    OrderCustomer customer;
    const std::optional<JsonObject> found = body.object("customer", true);
    if (!found)
        return customer;
    Details& details = body.details();
    ObjectReader reader(*found, details, "customer.");
    customer.companyName = reader.text("company_name", {MAX_NAME, true}).valueOr("");
    customer.contactName = reader.text("contact_name", {MAX_NAME}).value;
    customer.email = reader.text("email", {MAX_NAME}).value;
    customer.phone = reader.text("phone", {MAX_SHORT}).value;
    customer.vatNumber = reader.text("vat_number", {MAX_SHORT}).value;
    if (customer.email && !looksLikeEmail(*customer.email))
        details.add("customer.email", "type", "customer.email must be an e-mail address");
    customer.billing = readAddress(reader, "billing_address");
    customer.shipping = readAddress(reader, "shipping_address");
    return customer;
}

std::optional<OrderLine> readLine(const JsonObject& item, std::size_t index, Details& details) {
    OrderLine line;
    line.index = index;
    ObjectReader reader(item, details, line.place(""));
    const auto product = reader.integer("product_id", {.min = 1, .required = true}).value;
    line.variantId = reader.integer("variant_id", {.min = 1}).value;
    line.quantity = reader.integer("quantity", {.min = 1, .max = MAX_QUANTITY, .required = true}).valueOr(0);
    line.unitPrice = reader.decimal("unit_price", {}).value;
    if (!product || details.has(line.place("variant_id")))
        return std::nullopt;
    line.productId = *product;
    return line;
}

std::vector<OrderLine> readLines(ObjectReader& body) {
    std::vector<OrderLine> lines;
    Details& details = body.details();
    const std::optional<JsonArray> items = body.array("items", MAX_ITEMS, true);
    if (!items)
        return lines;
    if (items->empty())
        details.add("items", "required", "items must have at least one entry");
    lines.reserve(items->size());
    std::size_t index = 0;
    for (const JsonValue item : *items) {
        const std::string place = "items[" + std::to_string(index) + "]";
        if (!item.isObject())
            details.add(place, "type", place + " must be an object");
        else if (auto line = readLine(item.object(), index, details))
            lines.push_back(std::move(*line));
        ++index;
    }
    return lines;
}

void writeAddress(JsonWriter& json, const OrderAddress& address) {
    json.beginArray();
    json.value(address.line1).value(address.line2).value(address.postalCode).value(address.city);
    json.value(address.country).endArray();
}

} // namespace

std::string OrderLine::place(std::string_view field) const {
    return "items[" + std::to_string(index) + "]." + std::string(field);
}

OrderInput OrderInput::read(const JsonObject& body, Details& details) {
    ObjectReader reader(body, details);
    OrderInput input;
    input.number = reader.text("order_number", {MAX_ORDER_NUMBER, true}).valueOr("");
    input.currency = readCurrency(reader);
    input.isSandbox = reader.boolean("sandbox").valueOr(false);
    input.customer = readCustomer(reader);
    input.lines = readLines(reader);
    return input;
}

std::string OrderInput::hash() const {
    std::string text;
    JsonWriter json(text);
    json.beginArray().value(number).value(currency);
    json.value(customer.companyName).value(customer.contactName).value(customer.email).value(customer.phone);
    json.value(customer.vatNumber);
    writeAddress(json, customer.billing);
    writeAddress(json, customer.shipping);
    for (const OrderLine& line : lines)
        json.beginArray()
            .value(line.productId)
            .value(line.variantId)
            .value(line.quantity)
            .value(line.unitPrice)
            .endArray();
    if (isSandbox) // what was placed before there were any has the same hash as ever
        json.value("sandbox");
    json.endArray();

    Poco::SHA2Engine sha(Poco::SHA2Engine::SHA_256);
    sha.update(text);
    const Poco::DigestEngine::Digest& digest = sha.digest();
    return {digest.begin(), digest.end()};
}

} // namespace supplierd::orders
