#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Decimal.h>
#include <supplierd/Errors.h>
#include <supplierd/Json.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Collects every problem of a request; nothing is thrown before throwIfAny(). Since 1.0.
class Details {
public:
    void add(std::string field, std::string code, std::string message);
    void add(Detail detail) { _entries.push_back(std::move(detail)); }
    bool empty() const { return _entries.empty(); }
    bool has(std::string_view field) const;
    const std::vector<Detail>& entries() const { return _entries; }
    /// Throws ApiError::validation with all entries, if there are any.
    void throwIfAny() const;

private:
    std::vector<Detail> _entries;
};

/// What the body says of one field: nothing (`!present`), null (`present`, no value), or a valid value.
/// A field with an error counts as absent; the error is in the Details.
template <class T>
struct Field {
    bool present = false;
    std::optional<T> value;

    bool hasValue() const { return value.has_value(); }
    bool isNull() const { return present && !value; }
    T valueOr(T other) const { return value ? *value : std::move(other); }
};

struct TextRule {
    std::size_t maxCodePoints = 255;
    /// Absent, null or empty after trimming is `required`.
    bool required = false;
    /// Empty text is taken as null (optional text); otherwise it stays "".
    bool emptyIsNull = true;
};

struct IntegerRule {
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    bool required = false;
};

struct DecimalRule {
    Decimal min = Decimal();
    Decimal max = Decimal::fromTenThousandths(999'999'999'999); // 99999999.9999
    bool required = false;
    /// How the range is told to the client, e.g. "a number from 0 to 99999999.9999 with at most 4 decimals".
    std::string_view expected = "a number from 0 to 99999999.9999 with at most 4 decimals";
};

/// Reads the fields of a JSON object against rules. Field names in details are prefix + name, e.g.
/// "items[3].stock_qty". Thread: one. Lifetime: the object's document and the details outlive the reader. Since 1.0.
class ObjectReader {
public:
    ObjectReader(const JsonObject& object, Details& details, std::string prefix = {});

    /// Trimmed of leading and trailing Unicode white space; length in code points.
    Field<std::string> text(std::string_view name, const TextRule& rule);
    /// Trimmed as text is; empty it is `required`, or else null.
    Field<std::string> oneOf(std::string_view name, std::span<const std::string_view> allowed, bool required = false);
    /// JSON integers only: "5", 5.5 and 5.0 are `type`; one beyond the rule's limits is `out_of_range`.
    Field<std::int64_t> integer(std::string_view name, const IntegerRule& rule);
    Field<Decimal> decimal(std::string_view name, const DecimalRule& rule);
    Field<bool> boolean(std::string_view name, bool required = false);
    /// The array, or nothing when absent, null or wrong (see Details). More than `maxItems` is `too_many`.
    std::optional<JsonArray> array(std::string_view name, std::size_t maxItems, bool required = false);
    /// The object, or nothing as with array(). Read it with a reader of its own, with the prefix path(name) + ".".
    std::optional<JsonObject> object(std::string_view name, bool required = false);
    bool has(std::string_view name) const;

    std::string path(std::string_view name) const;
    Details& details() { return _details; }

private:
    /// The value, null when absent too; a missing required one is noted in the details.
    JsonValue find(std::string_view name, bool required, bool& present);

    JsonObject _object;
    Details& _details;
    std::string _prefix;
};

/// Number of code points of valid UTF-8.
SUPPLIERD_API std::size_t codePoints(std::string_view utf8);
/// Without leading and trailing Unicode white space; "" when it has no character that is seen (see Sku.h).
SUPPLIERD_API std::string_view trimmed(std::string_view utf8);
SUPPLIERD_API bool isValidUtf8(std::string_view bytes);
/// Something before and after an @, and no white space or control character: what else an address may be, only its
/// server knows.
SUPPLIERD_API bool looksLikeEmail(std::string_view text);

} // namespace supplierd
