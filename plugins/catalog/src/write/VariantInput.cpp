#include "VariantInput.h"

#include <set>

namespace supplierd::catalog {

namespace {

void readValues(ObjectReader& reader, VariantInput& variant) {
    const bool isNew = !variant.id && !variant.hasWrongId;
    variant.values = readFields<VariantValues>(reader, VARIANT_FIELDS, isNew);
    if (!reader.has(VARIANT_FIELDS[variant::STOCK_QTY].name)) // a new variant without a stock changes no stock
        variant.values.clear(variant::STOCK_QTY);
}

VariantInput readOne(const JsonObject& object, Details& details, std::string prefix) {
    VariantInput variant;
    ObjectReader reader(object, details, prefix);
    variant.prefix = std::move(prefix);
    const std::size_t before = details.entries().size();
    variant.id = reader.integer("id", {1}).value;
    variant.hasWrongId = details.entries().size() > before;
    variant.remove = reader.boolean("delete").valueOr(false);
    if (variant.remove && !variant.id && !variant.hasWrongId)
        details.add(reader.path("id"), "required", reader.path("id") + " is required to delete a variant");
    if (!variant.remove)
        readValues(reader, variant);
    return variant;
}

} // namespace

VariantInput VariantInput::read(const JsonObject& entry, std::string prefix, std::optional<std::int64_t> id,
                                Details& details) {
    VariantInput variant;
    ObjectReader reader(entry, details, prefix);
    variant.prefix = std::move(prefix);
    variant.id = id;
    readValues(reader, variant);
    return variant;
}

std::vector<VariantInput> VariantInput::readAll(ObjectReader& product, bool creating) {
    std::vector<VariantInput> variants;
    const std::optional<JsonArray> array = product.array("variants", MAX_VARIANTS);
    if (!array)
        return variants;
    Details& details = product.details();
    std::set<std::int64_t> ids;
    variants.reserve(array->size());
    std::size_t i = 0;
    for (const JsonValue value : *array) {
        const std::string place = "variants[" + std::to_string(i++) + "]";
        if (!value.isObject()) {
            details.add(place, "type", place + " must be an object");
            continue;
        }
        VariantInput variant = readOne(value.object(), details, place + ".");
        if (variant.id && creating)
            details.add(place + ".id", "unknown_reference", place + ".id is not a variant of this product");
        else if (variant.id && !ids.insert(*variant.id).second)
            details.add(place + ".id", "duplicate", place + ".id names a variant that another entry names too");
        variants.push_back(std::move(variant));
    }
    return variants;
}

} // namespace supplierd::catalog
