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
// More than this changes no stock into one that is allowed.
constexpr IntegerRule DELTA{-MAX_STOCK, MAX_STOCK};

Poco::JSON::Array::Ptr readArray(const Poco::JSON::Object& body) {
    Details details;
    const Poco::JSON::Array::Ptr items = ObjectReader(body, details).array("items", MAX_ITEMS, true);
    if (items && items->empty())
        details.add("items", "required", "items must have at least one entry");
    details.throwIfAny();
    return items;
}

/// Reads one item. The first thing that is wrong with it is its error.
class ItemReader {
public:
    ItemReader(const Poco::JSON::Object& object, BulkItem& item) : _reader(object, _details), _item(item) {}

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
        _item.expected = _reader.integer("expected_stock_qty", STOCK).value;
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

std::string sentSku(const Poco::JSON::Object::Ptr& object) {
    if (!object)
        return {};
    const Poco::Dynamic::Var sku = object->get("sku");
    return sku.type() == typeid(std::string) ? sku.extract<std::string>() : std::string();
}

} // namespace

BulkInput BulkInput::read(const Poco::JSON::Object& body, Subject subject) {
    const Poco::JSON::Array::Ptr array = readArray(body);
    const auto count = static_cast<unsigned>(array->size());
    std::vector<std::string> skus;
    skus.reserve(count);
    for (unsigned i = 0; i < count; ++i)
        skus.push_back(sentSku(array->getObject(i)));

    BulkInput input{{}, ItemErrors(std::move(skus))};
    input.items.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
        const Poco::JSON::Object::Ptr object = array->getObject(i);
        BulkItem item;
        item.index = i;
        Problem error =
            object ? ItemReader(*object, item).read(subject) : ItemError{code::TYPE, std::string(NO_OBJECT)};
        if (error)
            input.errors.set(i, std::move(error));
        else
            input.items.push_back(std::move(item));
    }
    return input;
}

} // namespace supplierd::inventory
