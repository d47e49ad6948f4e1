#pragma once

#include "ProductTerms.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ProductStock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace supplierd::catalog {

inline constexpr std::int64_t MAX_STOCK = ProductStock::MAX_STOCK;
inline constexpr std::int64_t MAX_STEM_LENGTH = 100'000;
inline constexpr std::size_t MAX_NAME = 255;
inline constexpr std::size_t MAX_SKU = 64;
inline constexpr std::size_t MAX_COLOR = 64;

/// One of a few words, of which the database has the place.
struct TermRule {
    std::span<const std::string_view> terms;
};
struct TruthRule {};
using FieldRule = std::variant<TextRule, IntegerRule, DecimalRule, TermRule, TruthRule>;

/// Why a text is refused. The message follows the field's name.
struct TextProblem {
    std::string_view code;
    std::string_view message;
};
using TextCheck = std::optional<TextProblem> (*)(std::string_view text);

std::optional<TextProblem> findInvisibleCharacter(std::string_view sku);
std::optional<TextProblem> findUnknownCountry(std::string_view country);

enum class Presence {
    Optional,
    Required,  ///< a create names it, and an update does not clear it
    UpdateOnly ///< a create does not know it, and an update does not clear it
};

/// A field of a product that its supplier sets: all that is to be said of it stands in PRODUCT_FIELDS.
struct ProductField {
    std::string_view name; ///< of the API, and of the column in the database
    std::string_view sqlType;
    FieldRule rule;
    Presence presence = Presence::Optional;
    /// What null stands for, and what a create has that does not name the field; nothing: NULL.
    std::optional<std::int64_t> byDefault = std::nullopt;
    TextCheck check = nullptr;
};

inline constexpr DecimalRule PERCENT{.max = Decimal::fromInteger(100),
                                     .expected = "a number from 0 to 100 with at most 4 decimals"};

/// In the order in which problems are reported. What adds a field writes it here, and a migration for its column.
inline constexpr std::array PRODUCT_FIELDS{
    ProductField{"name", "VARCHAR(255) CHARACTER SET utf8mb4", TextRule{MAX_NAME}, Presence::Required},
    ProductField{"category_id", "BIGINT", IntegerRule{1}, Presence::Required},
    ProductField{"base_price", "DECIMAL(12,4)", DecimalRule{}, Presence::Required},
    ProductField{"unit", "BIGINT", TermRule{PRODUCT_UNITS}, Presence::Required},
    ProductField{"type", "BIGINT", TermRule{TYPES}, Presence::Optional, 0},
    ProductField{"description", "TEXT CHARACTER SET utf8mb4", TextRule{10'000}},
    ProductField{.name = "sku",
                 .sqlType = "VARCHAR(64) CHARACTER SET utf8mb4",
                 .rule = TextRule{MAX_SKU},
                 .check = findInvisibleCharacter},
    ProductField{"stock_qty", "BIGINT", IntegerRule{0, MAX_STOCK}, Presence::Optional, 0},
    ProductField{"min_order_qty", "BIGINT", IntegerRule{1, MAX_STOCK}, Presence::Optional, 1},
    ProductField{"color", "VARCHAR(64) CHARACTER SET utf8mb4", TextRule{MAX_COLOR}},
    ProductField{"stem_length", "BIGINT", IntegerRule{1, MAX_STEM_LENGTH}},
    ProductField{.name = "country_of_origin",
                 .sqlType = "VARCHAR(64) CHARACTER SET utf8mb4",
                 .rule = TextRule{64},
                 .check = findUnknownCountry},
    ProductField{"vat_rate", "DECIMAL(7,4)", PERCENT, Presence::Optional, 21},
    ProductField{"is_active", "BIGINT", TruthRule{}, Presence::UpdateOnly}};

/// The place of a field in PRODUCT_FIELDS.
consteval std::size_t fieldNamed(std::string_view name) {
    std::size_t place = 0;
    while (PRODUCT_FIELDS.at(place).name != name)
        ++place;
    return place;
}

/// Those that mean something to this plugin.
namespace field {
inline constexpr std::size_t NAME = fieldNamed("name");
inline constexpr std::size_t CATEGORY_ID = fieldNamed("category_id");
inline constexpr std::size_t BASE_PRICE = fieldNamed("base_price");
inline constexpr std::size_t SKU = fieldNamed("sku");
inline constexpr std::size_t STOCK_QTY = fieldNamed("stock_qty");
inline constexpr std::size_t IS_ACTIVE = fieldNamed("is_active");
} // namespace field

/// As the database has it: a term by its place, truth as 0 or 1.
using FieldValue = std::variant<std::monostate, std::int64_t, Decimal, std::string>;

/// The fields of a product, each nothing (not named), null (monostate) or a value.
class ProductValues {
public:
    /// All fields, from a row of columnsOfFields().
    static ProductValues read(const Rows& row, std::size_t firstColumn);

    bool names(std::size_t field) const { return _values[field].has_value(); }
    bool namesNone() const;
    /// null also where it is not named.
    const FieldValue& at(std::size_t field) const;
    bool isNull(std::size_t field) const { return std::holds_alternative<std::monostate>(at(field)); }
    /// Null where there is no such value.
    template <class T>
    const T* find(std::size_t field) const {
        return std::get_if<T>(&at(field));
    }
    void set(std::size_t field, FieldValue value) { _values[field] = std::move(value); }
    void clear(std::size_t field) { _values[field].reset(); }

    /// Whether the field is named, and not what `stored` has.
    bool changes(std::size_t field, const ProductValues& stored) const {
        return names(field) && at(field) != stored.at(field);
    }
    bool changesAny(const ProductValues& stored) const;

private:
    std::array<std::optional<FieldValue>, PRODUCT_FIELDS.size()> _values;
};

/// Lifetime: the value's.
SqlParam paramOf(const FieldValue& value);
/// In the words of the API.
void writeValue(JsonWriter& json, const ProductField& field, const FieldValue& value);
/// From a column that has such a field.
FieldValue readValue(const Rows& row, std::size_t column, const ProductField& field);

/// `text` of each field, with commas between; in it `$` stands for the field's name.
std::string sqlOfFields(std::string_view text);
/// "name, category_id, …"
const std::string& columnsOfFields();

} // namespace supplierd::catalog
