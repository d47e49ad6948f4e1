#include "FieldReader.h"

namespace supplierd::catalog {

namespace {

template <class T>
std::optional<FieldValue> valueOf(const Field<T>& field) {
    if (!field.present)
        return std::nullopt;
    return field.value ? FieldValue(*field.value) : FieldValue();
}

Field<std::string> readText(ObjectReader& reader, std::string_view name, const TextRule& rule, TextCheck check) {
    Field<std::string> text = reader.text(name, rule);
    const auto problem = check != nullptr && text.hasValue() ? check(*text.value) : std::nullopt;
    if (!problem)
        return text;
    const std::string place = reader.path(name);
    reader.details().add(place, std::string(problem->code), place + std::string(problem->message));
    return {};
}

/// Reads one field by its rule.
struct RuleReader {
    ObjectReader& reader;
    const RecordField& field;
    bool isRequired;

    std::optional<FieldValue> operator()(TextRule rule) const {
        rule.required = isRequired;
        return valueOf(readText(reader, field.name, rule, field.check));
    }
    std::optional<FieldValue> operator()(IntegerRule rule) const {
        rule.required = isRequired;
        return valueOf(reader.integer(field.name, rule));
    }
    std::optional<FieldValue> operator()(DecimalRule rule) const {
        rule.required = isRequired;
        return valueOf(reader.decimal(field.name, rule));
    }
    std::optional<FieldValue> operator()(const TermRule& rule) const {
        const Field<std::string> term = reader.oneOf(field.name, rule.terms, isRequired);
        return valueOf(
            Field<std::int64_t>{term.present, term.value ? numberOf(rule.terms, *term.value) : std::nullopt});
    }
    std::optional<FieldValue> operator()(TruthRule /*rule*/) const {
        const Field<bool> truth = reader.boolean(field.name);
        return valueOf(Field<std::int64_t>{truth.present, truth.value});
    }
};

} // namespace

Field<std::string> readSku(ObjectReader& reader) {
    return readText(reader, "sku", {MAX_SKU}, findInvisibleCharacter);
}

std::optional<FieldValue> readField(ObjectReader& reader, const RecordField& field, bool isRequired) {
    return std::visit(RuleReader{reader, field, isRequired}, field.rule);
}

void reportMissing(ObjectReader& reader, std::string_view name) {
    reader.details().add(reader.path(name), "required", reader.path(name) + " is required");
}

} // namespace supplierd::catalog
