#pragma once

#include "ProductTerms.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/internal/ProductUnits.h>
#include <supplierd/services/Stock.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace supplierd::catalog {

inline constexpr std::int64_t MAX_STOCK = Stock::MAX_STOCK;
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
    Required, ///< a create names it, and an update does not clear it
    NeverNull ///< a create need not name it, and an update does not clear it
};

/// A field of a product, or of a variant, that the supplier sets. All that is to be said of it stands in the tables
/// below: what reads, writes, compares, records and shows fields goes through them.
struct RecordField {
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

/// In the order in which problems are reported. Who adds a field writes it here and in LISTED_FIELDS, and a migration
/// for its column.
inline constexpr std::array PRODUCT_FIELDS{
    RecordField{"name", "VARCHAR(255) CHARACTER SET utf8mb4", TextRule{MAX_NAME}, Presence::Required},
    RecordField{"category_id", "BIGINT", IntegerRule{1}, Presence::Required},
    RecordField{"base_price", "DECIMAL(12,4)", DecimalRule{}, Presence::Required},
    RecordField{"unit", "BIGINT", TermRule{PRODUCT_UNITS}, Presence::Required},
    RecordField{"type", "BIGINT", TermRule{TYPES}, Presence::Optional, 0},
    RecordField{"description", "TEXT CHARACTER SET utf8mb4", TextRule{10'000}},
    RecordField{"sku", "VARCHAR(64) CHARACTER SET utf8mb4", TextRule{MAX_SKU}, {}, {}, findInvisibleCharacter},
    RecordField{"stock_qty", "BIGINT", IntegerRule{0, MAX_STOCK}, Presence::Optional, 0},
    RecordField{"min_order_qty", "BIGINT", IntegerRule{1, MAX_STOCK}, Presence::Optional, 1},
    RecordField{"color", "VARCHAR(64) CHARACTER SET utf8mb4", TextRule{MAX_COLOR}},
    RecordField{"stem_length", "BIGINT", IntegerRule{1, MAX_STEM_LENGTH}},
    RecordField{"country_of_origin", "VARCHAR(64) CHARACTER SET utf8mb4", TextRule{64}, {}, {}, findUnknownCountry},
    RecordField{"vat_rate", "DECIMAL(7,4)", PERCENT, Presence::Optional, 21},
    RecordField{"lead_time_days", "BIGINT", IntegerRule{0, 365}},
    RecordField{"is_active", "BIGINT", TruthRule{}, Presence::NeverNull, 1}};

/// Without `sqlType`: variants are written one by one.
inline constexpr std::array VARIANT_FIELDS{
    RecordField{"name", {}, TextRule{MAX_NAME}, Presence::Required},
    RecordField{"sku", {}, TextRule{MAX_SKU}, {}, {}, findInvisibleCharacter},
    RecordField{"color", {}, TextRule{MAX_COLOR}},
    RecordField{"stem_length", {}, IntegerRule{1, MAX_STEM_LENGTH}},
    RecordField{"base_price", {}, DecimalRule{}},
    RecordField{"stock_qty", {}, IntegerRule{0, MAX_STOCK}, Presence::Optional, 0},
    RecordField{"is_active", {}, TruthRule{}, Presence::NeverNull, 1}};

/// The place of a field in its table.
consteval std::size_t placeOf(std::string_view name, std::span<const RecordField> fields = PRODUCT_FIELDS) {
    std::size_t place = 0;
    while (fields[place].name != name)
        ++place;
    return place;
}

/// What lists show of a product's fields, in their order. The others are shown by a single read alone.
inline constexpr std::array LISTED_FIELDS{placeOf("name"),       placeOf("sku"),           placeOf("type"),
                                          placeOf("base_price"), placeOf("unit"),          placeOf("stock_qty"),
                                          placeOf("is_active"),  placeOf("lead_time_days")};

/// Those that mean something to this plugin.
namespace field {
inline constexpr std::size_t NAME = placeOf("name");
inline constexpr std::size_t CATEGORY_ID = placeOf("category_id");
inline constexpr std::size_t BASE_PRICE = placeOf("base_price");
inline constexpr std::size_t SKU = placeOf("sku");
inline constexpr std::size_t STOCK_QTY = placeOf("stock_qty");
} // namespace field

namespace variant {
inline constexpr std::size_t NAME = placeOf("name", VARIANT_FIELDS);
inline constexpr std::size_t SKU = placeOf("sku", VARIANT_FIELDS);
inline constexpr std::size_t BASE_PRICE = placeOf("base_price", VARIANT_FIELDS);
inline constexpr std::size_t STOCK_QTY = placeOf("stock_qty", VARIANT_FIELDS);
} // namespace variant

/// As the database has it: a term by its place, truth as 0 or 1.
using FieldValue = std::variant<std::monostate, std::int64_t, Decimal, std::string>;

inline const FieldValue NULL_FIELD;

/// Lifetime: the value's.
SqlParam paramOf(const FieldValue& value);
/// In the words of the API.
void writeValue(JsonWriter& json, const RecordField& field, const FieldValue& value);
/// From a column that has such a field.
FieldValue readValue(const Rows& row, std::size_t column, const RecordField& field);
/// What stands for null.
FieldValue defaultOf(const RecordField& field);

/// `text` of each field, with commas between; in it `$` stands for the field's name.
std::string sqlOfFields(std::span<const RecordField> fields, std::string_view text);

/// The fields of a record, each nothing (not named), null or a value.
template <const auto& FIELDS>
class FieldValues {
public:
    static constexpr std::size_t SIZE = FIELDS.size();

    /// All fields, from columns in their order.
    static FieldValues read(const Rows& row, std::size_t firstColumn) {
        FieldValues values;
        for (std::size_t i = 0; i < SIZE; ++i)
            values.set(i, readValue(row, firstColumn + i, FIELDS[i]));
        return values;
    }

    bool names(std::size_t field) const { return _values[field].has_value(); }
    bool namesNone() const {
        return std::none_of(_values.begin(), _values.end(), [](const auto& value) { return value.has_value(); });
    }
    /// Null also where it is not named.
    const FieldValue& at(std::size_t field) const { return _values[field] ? *_values[field] : NULL_FIELD; }
    bool isNull(std::size_t field) const { return std::holds_alternative<std::monostate>(at(field)); }
    /// A null pointer where there is no such value.
    template <class T>
    const T* find(std::size_t field) const {
        return std::get_if<T>(&at(field));
    }
    const std::string* text(std::size_t field) const { return find<std::string>(field); }
    void set(std::size_t field, FieldValue&& value) { _values[field] = std::move(value); }
    void clear(std::size_t field) { _values[field].reset(); }

    /// Whether the field is named, and not what `stored` has.
    bool changes(std::size_t field, const FieldValues& stored) const {
        return names(field) && at(field) != stored.at(field);
    }
    bool changesAny(const FieldValues& stored) const {
        for (std::size_t i = 0; i < SIZE; ++i)
            if (changes(i, stored))
                return true;
        return false;
    }

    void writeField(JsonWriter& json, std::size_t field) const {
        json.key(FIELDS[field].name);
        writeValue(json, FIELDS[field], at(field));
    }

private:
    std::array<std::optional<FieldValue>, SIZE> _values;
};

using ProductValues = FieldValues<PRODUCT_FIELDS>;
using VariantValues = FieldValues<VARIANT_FIELDS>;

} // namespace supplierd::catalog
