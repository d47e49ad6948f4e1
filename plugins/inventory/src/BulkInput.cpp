#include "BulkInput.h"

#include <supplierd/Validation.h>

#include <limits>
#include <string_view>

namespace supplierd::inventory {

namespace {

constexpr std::size_t MAX_ITEMS = 500;
constexpr std::size_t MAX_SKU = 64;
constexpr IntegerRule ANY_INTEGER{std::numeric_limits<std::int64_t>::min()};
constexpr IntegerRule STOCK{0, MAX_STOCK};
// A cancelled order may have left more than may be set.
constexpr IntegerRule EXPECTED_STOCK{0};
// More than this changes no stock into one that is allowed.
constexpr IntegerRule DELTA{-MAX_STOCK, MAX_STOCK};

JsonArray readArray(const JsonObject& body) {
    Details details;
    const std::optional<JsonArray> items = ObjectReader(body, details).array("items", MAX_ITEMS, true);
    if (items && items->empty())
        details.add("items", "required", "items must have at least one entry");
    details.throwIfAny();
    return items.value();
}

/// Reads one item. The first thing that is wrong with it is its error.
class ItemReader {
public:
    ItemReader(const JsonObject& object, BulkItem& item) : _reader(object, _details), _item(item) {}

    Problem read(Subject subject) {
        if (Problem error = readIds())
            return error;
        return subject == Subject::Stock ? readStock() : readPrice();
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

    Problem readIds() {
        const Field<std::int64_t> id = _reader.integer("product_id", ANY_INTEGER);
        if (failed()) // no product has a number of more than 64 bits
            return isOfWrongType() ? wrong(WRONG_ID) : notFound();
        const Field<std::string> sku = _reader.text("sku", {MAX_SKU});
        if (failed()) // nor a SKU that none may have
            return isOfWrongType() ? wrong(WRONG_SKU) : notFound();
        if (!id.hasValue() && !sku.hasValue())
            return wrong(NO_ID);
        _item.productId = id.value;
        _item.sku = sku.valueOr("");
        return std::nullopt;
    }

    Problem readStock() {
        _item.adjust = _reader.boolean("adjust").valueOr(false);
        if (failed())
            return wrong(WRONG_ADJUST);
        _item.amount = _reader.integer("stock_qty", _item.adjust ? DELTA : STOCK).value;
        if (failed() || !_item.amount)
            return wrong(WRONG_STOCK);
        _item.expected = _reader.integer("expected_stock_qty", EXPECTED_STOCK).value;
        return failed() ? Problem(wrong(WRONG_EXPECTATION)) : std::nullopt;
    }

    Problem readPrice() {
        const Field<Decimal> price = _reader.decimal("base_price", {});
        if (!price.present) // null may be right: that depends on what the item names
            return wrong(WRONG_PRICE);
        if (price.hasValue())
            _item.amount = price.value->tenThousandths();
        return std::nullopt;
    }

    Details _details;
    ObjectReader _reader;
    BulkItem& _item;
};

std::string sentSku(const JsonValue& item) {
    const JsonValue sku = item.isObject() ? item.object().get("sku") : JsonValue();
    return std::string(sku.isText() ? sku.text() : std::string_view());
}

} // namespace

BulkInput BulkInput::read(const JsonObject& body, Subject subject) {
    const JsonArray array = readArray(body);
    std::vector<std::string> skus;
    skus.reserve(array.size());
    for (const JsonValue value : array)
        skus.push_back(sentSku(value));

    BulkInput input{{}, ItemErrors(std::move(skus))};
    input.items.reserve(array.size());
    std::size_t index = 0;
    for (const JsonValue value : array) {
        BulkItem item;
        item.index = index++;
        Problem error = value.isObject() ? ItemReader(value.object(), item).read(subject)
                                         : ItemError{code::TYPE, std::string(NO_OBJECT)};
        if (error)
            input.errors.set(item.index, std::move(error));
        else
            input.items.push_back(std::move(item));
    }
    return input;
}

} // namespace supplierd::inventory
