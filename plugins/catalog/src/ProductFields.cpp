#include "ProductFields.h"

#include "write/Countries.h"

#include <supplierd/Sku.h>

#include <algorithm>

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

ProductValues ProductValues::read(const Rows& row, std::size_t firstColumn) {
    ProductValues values;
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        values.set(i, readValue(row, firstColumn + i, PRODUCT_FIELDS[i]));
    return values;
}

bool ProductValues::namesNone() const {
    return std::none_of(_values.begin(), _values.end(), [](const auto& value) { return value.has_value(); });
}

const FieldValue& ProductValues::at(std::size_t field) const {
    static const FieldValue NONE;
    return _values[field] ? *_values[field] : NONE;
}

bool ProductValues::changesAny(const ProductValues& stored) const {
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        if (changes(i, stored))
            return true;
    return false;
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

void writeValue(JsonWriter& json, const ProductField& field, const FieldValue& value) {
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

FieldValue readValue(const Rows& row, std::size_t column, const ProductField& field) {
    if (row.isNull(column))
        return {};
    if (std::holds_alternative<TextRule>(field.rule))
        return std::string(row.text(column));
    if (std::holds_alternative<DecimalRule>(field.rule))
        return row.decimal(column);
    return row.integer(column);
}

std::string sqlOfFields(std::string_view text) {
    std::string sql;
    for (const ProductField& field : PRODUCT_FIELDS) {
        sql += sql.empty() ? "" : ", ";
        for (const char c : text)
            c == '$' ? sql += field.name : sql += c;
    }
    return sql;
}

const std::string& columnsOfFields() {
    static const std::string COLUMNS = sqlOfFields("$");
    return COLUMNS;
}

} // namespace supplierd::catalog
