#include "ProductInput.h"

#include "Countries.h"
#include "ProductTerms.h"
#include "RequestedImages.h"

#include <algorithm>

namespace supplierd::catalog {

namespace {

constexpr std::size_t MAX_DESCRIPTION = 10'000;
constexpr std::size_t MAX_COUNTRY = 64;
constexpr std::size_t MAX_IMAGE_URL = 32'768; // ten of the longest URLs that the media plugin takes, and blanks
constexpr std::int64_t DEFAULT_TYPE = 0;
constexpr std::int64_t DEFAULT_STOCK = 0;
constexpr std::int64_t DEFAULT_MIN_ORDER = 1;
constexpr Decimal DEFAULT_VAT = Decimal::fromInteger(21);

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Field<std::int64_t> term(ObjectReader& reader, std::string_view name, std::span<const std::string_view> terms,
                         bool required) {
    const Field<std::string> text = reader.oneOf(name, terms, required);
    return {text.present, text.value ? numberOf(terms, *text.value) : std::nullopt};
}

Field<std::string> country(ObjectReader& reader) {
    Field<std::string> field = reader.text("country_of_origin", {MAX_COUNTRY});
    const std::string& value = field.valueOr("");
    if (value.size() == 2 && isLetter(value[0]) && isLetter(value[1]) && !isCountryCode(value)) {
        reader.details().add("country_of_origin", "not_in_set",
                             "country_of_origin must be an ISO 3166-1 alpha-2 code in upper case, or a name");
        return {};
    }
    return field;
}

DecimalRule vatRule() {
    DecimalRule rule;
    rule.max = Decimal::fromInteger(100);
    rule.expected = "a number from 0 to 100 with at most 4 decimals";
    return rule;
}

/// null, and what a create does not name, is the default.
template <class T>
void fill(Field<T>& field, const T& byDefault, bool creating) {
    if (field.isNull() || (creating && !field.present))
        field = {true, byDefault};
}

std::vector<std::string> readImageUrls(ObjectReader& reader, const ImageIngest* images) {
    const Field<std::string> text = reader.text("image_url", {MAX_IMAGE_URL});
    if (!text.hasValue())
        return {};
    if (images == nullptr) {
        reader.details().add("image_url", "unsupported",
                             "image_url is not supported: the media plugin is not enabled on this server");
        return {};
    }
    std::vector<std::string> urls = images->split(*text.value);
    if (const std::size_t count = RequestedImages::countOf(urls); count > ImageIngest::MAX_IMAGES) {
        reader.details().add("image_url", "too_many",
                             "image_url has " + std::to_string(count) + " URLs; a product has at most " +
                                 std::to_string(ImageIngest::MAX_IMAGES) + " images");
        return {};
    }
    return urls;
}

} // namespace

ProductInput ProductInput::read(const JsonObject& body, Purpose purpose, const ImageIngest* images, Details& details) {
    const bool creating = purpose == Purpose::Create;
    ObjectReader reader(body, details);
    ProductInput input;
    input.name = reader.text("name", {MAX_NAME, creating});
    IntegerRule reference{1};
    reference.required = creating;
    input.categoryId = reader.integer("category_id", reference);
    DecimalRule price;
    price.required = creating;
    input.basePrice = reader.decimal("base_price", price);
    input.unit = term(reader, "unit", PRODUCT_UNITS, creating);
    input.type = term(reader, "type", TYPES, false);
    input.description = reader.text("description", {MAX_DESCRIPTION});
    input.sku = readSku(reader);
    input.stockQty = reader.integer("stock_qty", {0, MAX_STOCK});
    input.minOrderQty = reader.integer("min_order_qty", {1, MAX_STOCK});
    input.color = reader.text("color", {MAX_COLOR});
    input.stemLength = reader.integer("stem_length", {1, MAX_STEM_LENGTH});
    input.countryOfOrigin = country(reader);
    input.vatRate = reader.decimal("vat_rate", vatRule());
    if (!creating) {
        input.isActive = reader.boolean("is_active");
        requireIfNamed(reader, "name", input.name);
        requireIfNamed(reader, "category_id", input.categoryId);
        requireIfNamed(reader, "base_price", input.basePrice);
        requireIfNamed(reader, "unit", input.unit);
        requireIfNamed(reader, "is_active", input.isActive);
    }
    fill(input.type, DEFAULT_TYPE, creating);
    fill(input.stockQty, DEFAULT_STOCK, creating);
    fill(input.minOrderQty, DEFAULT_MIN_ORDER, creating);
    fill(input.vatRate, DEFAULT_VAT, creating);
    input.imageUrls = readImageUrls(reader, images);
    input.variants = VariantInput::readAll(reader, creating);
    return input;
}

bool ProductInput::isEmpty() const {
    const bool named = name.present || categoryId.present || basePrice.present || unit.present || type.present ||
                       description.present || sku.present || stockQty.present || minOrderQty.present || color.present ||
                       stemLength.present || countryOfOrigin.present || vatRate.present || isActive.present;
    return !named && variants.empty();
}

} // namespace supplierd::catalog
