#include "ProductFields.h"

#include "write/Countries.h"

#include <supplierd/Sku.h>

namespace supplierd::catalog {

namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

std::optional<TextProblem> findInvisibleCharacter(std::string_view sku) {
    if (!hasInvisibleCharacter(sku))
        return std::nullopt;
    return TextProblem{"unsupported", " has a character that nobody sees, such as a zero-width space"};
}

std::optional<TextProblem> findUnknownCountry(std::string_view country) {
    const bool isCode = country.size() == 2 && isLetter(country[0]) && isLetter(country[1]);
    if (!isCode || isCountryCode(country))
        return std::nullopt;
    return TextProblem{"not_in_set", " must be an ISO 3166-1 alpha-2 code in upper case, or a name"};
}

SqlParam paramOf(const FieldValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return *integer;
    if (const auto* decimal = std::get_if<Decimal>(&value))
        return *decimal;
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    return nullptr;
}

void writeValue(JsonWriter& json, const RecordField& field, const FieldValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        if (const auto* rule = std::get_if<TermRule>(&field.rule))
            json.value(termAt(rule->terms, *integer));
        else if (std::holds_alternative<TruthRule>(field.rule))
            json.value(*integer != 0);
        else
            json.value(*integer);
    } else if (const auto* decimal = std::get_if<Decimal>(&value)) {
        json.value(*decimal);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        json.value(*text);
    } else {
        json.null();
    }
}

FieldValue readValue(const Rows& row, std::size_t column, const RecordField& field) {
    if (row.isNull(column))
        return {};
    if (std::holds_alternative<TextRule>(field.rule))
        return std::string(row.text(column));
    if (std::holds_alternative<DecimalRule>(field.rule))
        return row.decimal(column);
    return row.integer(column);
}

FieldValue defaultOf(const RecordField& field) {
    if (!field.byDefault)
        return {};
    if (std::holds_alternative<DecimalRule>(field.rule))
        return Decimal::fromInteger(*field.byDefault);
    return *field.byDefault;
}

std::string sqlOfFields(std::span<const RecordField> fields, std::string_view text) {
    std::string sql;
    for (const RecordField& field : fields) {
        sql += sql.empty() ? "" : ", ";
        for (const char c : text)
            if (c == '$')
                sql += field.name;
            else
                sql += c;
    }
    return sql;
}

} // namespace supplierd::catalog
