#include "BulkInput.h"

#include <supplierd/Validation.h>

#include <limits>
#include <string_view>

namespace supplierd::inventory {

namespace {

constexpr std::int64_t MAX_STOCK = Stock::MAX_STOCK;
constexpr std::size_t MAX_SKU = 64;
constexpr IntegerRule ANY_INTEGER{std::numeric_limits<std::int64_t>::min()};
constexpr IntegerRule STOCK{0, MAX_STOCK};
// A cancelled order may have left more than may be set.
constexpr IntegerRule EXPECTED_STOCK{0};
// More than this changes no stock into one that is allowed.
constexpr IntegerRule DELTA{-MAX_STOCK, MAX_STOCK};

JsonArray readArray(const JsonObject& body) {
    Details details;
    const std::optional<JsonArray> items = ObjectReader(body, details).array("items", Stock::MAX_ITEMS, true);
    if (items && items->empty())
        details.add("items", "required", "items must have at least one entry");
    details.throwIfAny();
    return items.value();
}

/// Reads one item. The first thing that is wrong with it is its error.
class ItemReader {
public:
    explicit ItemReader(const JsonObject& object) : _reader(object, _details) {}

    Problem read(StockItem& item) {
        if (Problem error = readNames(item))
            return error;
        item.isAdjustment = _reader.boolean("adjust").valueOr(false);
        if (failed())
            return wrong(WRONG_ADJUST);
        const auto quantity = _reader.integer("stock_qty", item.isAdjustment ? DELTA : STOCK);
        if (!quantity.hasValue())
            return wrong(WRONG_STOCK);
        item.quantity = *quantity.value;
        item.expected = _reader.integer("expected_stock_qty", EXPECTED_STOCK).value;
        return failed() ? Problem(wrong(WRONG_EXPECTATION)) : std::nullopt;
    }

    Problem read(PriceItem& item) {
        if (Problem error = readNames(item))
            return error;
        const Field<Decimal> price = _reader.decimal("base_price", {});
        if (!price.present) // null may be right: that depends on what the item names
            return wrong(WRONG_PRICE);
        item.price = price.value;
        return std::nullopt;
    }

private:
    bool failed() const { return !_details.empty(); }
    bool isOfWrongType() const { return failed() && _details.entries().front().code == code::TYPE; }

    /// For a field that has failed, or is not there.
    ItemError wrong(std::string_view text) const {
        if (!failed())
            return {code::REQUIRED, std::string(text)};
        return {isOfWrongType() ? code::TYPE : code::OUT_OF_RANGE, std::string(text)};
    }

    template <class Item>
    Problem readNames(Item& item) {
        const Field<std::int64_t> id = _reader.integer("product_id", ANY_INTEGER);
        if (failed()) // no product has a number of more than 64 bits
            return isOfWrongType() ? wrong(WRONG_ID) : notFound();
        const Field<std::string> sku = _reader.text("sku", {MAX_SKU});
        if (failed()) // nor a SKU that none may have
            return isOfWrongType() ? wrong(WRONG_SKU) : notFound();
        if (!id.hasValue() && !sku.hasValue())
            return wrong(NO_ID);
        item.productId = id.value;
        item.sku = sku.valueOr("");
        return std::nullopt;
    }

    Details _details;
    ObjectReader _reader;
};

std::string sentSku(const JsonValue& item) {
    const JsonValue sku = item.isObject() ? item.object().get("sku") : JsonValue();
    return std::string(sku.isText() ? sku.text() : std::string_view());
}

} // namespace

template <class Item>
BulkInput<Item> BulkInput<Item>::read(const JsonObject& body) {
    const JsonArray array = readArray(body);
    std::vector<std::string> skus;
    skus.reserve(array.size());
    for (const JsonValue value : array)
        skus.push_back(sentSku(value));

    BulkInput input{{}, {}, ItemErrors(std::move(skus))};
    input.items.reserve(array.size());
    input.places.reserve(array.size());
    std::size_t place = 0;
    for (const JsonValue value : array) {
        Item item;
        Problem error =
            value.isObject() ? ItemReader(value.object()).read(item) : ItemError{code::TYPE, std::string(NO_OBJECT)};
        if (error) {
            input.errors.set(place, std::move(error));
        } else {
            input.items.push_back(std::move(item));
            input.places.push_back(place);
        }
        ++place;
    }
    return input;
}

template struct BulkInput<StockItem>;
template struct BulkInput<PriceItem>;

} // namespace supplierd::inventory
