#include "VariantInput.h"

#include <set>

namespace supplierd::catalog {

namespace {

/// null on a field that has to have a value, in an update, is `required`.
template <class T>
void requireIfNamed(ObjectReader& reader, std::string_view name, Field<T>& field) {
    if (!field.isNull())
        return;
    field.present = false;
    reportMissing(reader, name);
}

void readFields(ObjectReader& reader, VariantInput& variant) {
    const bool isNew = !variant.id && !variant.hasWrongId;
    variant.name = reader.text("name", {MAX_NAME, isNew});
    variant.sku = readSku(reader);
    variant.color = reader.text("color", {MAX_COLOR});
    variant.stemLength = reader.integer("stem_length", {1, MAX_STEM_LENGTH});
    variant.basePrice = reader.decimal("base_price", {});
    variant.stockQty = reader.integer("stock_qty", {0, MAX_STOCK});
    variant.isActive = reader.boolean("is_active");
    if (variant.stockQty.isNull())
        variant.stockQty.value = 0;
    if (isNew) {
        variant.isActive.value = variant.isActive.valueOr(true);
        return;
    }
    requireIfNamed(reader, "name", variant.name);
    requireIfNamed(reader, "is_active", variant.isActive);
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
        readFields(reader, variant);
    return variant;
}

} // namespace

Field<std::string> readText(ObjectReader& reader, std::string_view name, const TextRule& rule, TextCheck check) {
    Field<std::string> text = reader.text(name, rule);
    const auto problem = check != nullptr && text.hasValue() ? check(*text.value) : std::nullopt;
    if (!problem)
        return text;
    const std::string place = reader.path(name);
    reader.details().add(place, std::string(problem->code), place + std::string(problem->message));
    return {};
}

Field<std::string> readSku(ObjectReader& reader) {
    return readText(reader, "sku", {MAX_SKU}, findInvisibleCharacter);
}

void reportMissing(ObjectReader& reader, std::string_view name) {
    reader.details().add(reader.path(name), "required", reader.path(name) + " is required");
}

VariantInput VariantInput::read(const JsonObject& entry, std::string prefix, std::optional<std::int64_t> id,
                                Details& details) {
    VariantInput variant;
    ObjectReader reader(entry, details, prefix);
    variant.prefix = std::move(prefix);
    variant.id = id;
    readFields(reader, variant);
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
