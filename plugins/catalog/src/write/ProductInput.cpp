#include "ProductInput.h"

#include "RequestedImages.h"

namespace supplierd::catalog {

namespace {

constexpr std::size_t MAX_IMAGE_URL = 32'768; // ten of the longest URLs that the media plugin takes, and blanks

using Read = std::optional<FieldValue>;

template <class T>
Read valueOf(const Field<T>& field) {
    if (!field.present)
        return std::nullopt;
    return field.value ? FieldValue(*field.value) : FieldValue();
}

/// Reads one field by its rule; nothing: it is absent, or wrong.
struct FieldReader {
    ObjectReader& reader;
    const ProductField& field;
    bool isRequired;

    Read operator()(TextRule rule) const {
        rule.required = isRequired;
        return valueOf(readText(reader, field.name, rule, field.check));
    }
    Read operator()(IntegerRule rule) const {
        rule.required = isRequired;
        return valueOf(reader.integer(field.name, rule));
    }
    Read operator()(DecimalRule rule) const {
        rule.required = isRequired;
        return valueOf(reader.decimal(field.name, rule));
    }
    Read operator()(const TermRule& rule) const {
        const Field<std::string> text = reader.oneOf(field.name, rule.terms, isRequired);
        return valueOf(
            Field<std::int64_t>{text.present, text.value ? numberOf(rule.terms, *text.value) : std::nullopt});
    }
    Read operator()(TruthRule /*rule*/) const {
        const Field<bool> truth = reader.boolean(field.name);
        return valueOf(Field<std::int64_t>{truth.present, truth.value});
    }
};

FieldValue defaultOf(const ProductField& field) {
    if (std::holds_alternative<DecimalRule>(field.rule))
        return Decimal::fromInteger(*field.byDefault);
    return *field.byDefault;
}

ProductValues readValues(ObjectReader& reader, bool creating) {
    ProductValues values;
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i) {
        const ProductField& field = PRODUCT_FIELDS[i];
        if (creating && field.presence == Presence::UpdateOnly)
            continue;
        const bool isRequired = creating && field.presence == Presence::Required;
        if (auto value = std::visit(FieldReader{reader, field, isRequired}, field.rule))
            values.set(i, *std::move(value));
    }
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i) {
        const ProductField& field = PRODUCT_FIELDS[i];
        const bool isMissing = values.names(i) ? values.isNull(i) : creating;
        if (isMissing && field.byDefault) {
            values.set(i, defaultOf(field));
        } else if (isMissing && !creating && field.presence != Presence::Optional) {
            values.clear(i);
            reportMissing(reader, field.name);
        }
    }
    return values;
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
    input.values = readValues(reader, creating);
    input.imageUrls = readImageUrls(reader, images);
    input.variants = VariantInput::readAll(reader, creating);
    return input;
}

} // namespace supplierd::catalog
