#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/Json.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace supplierd::tests {

/// What a name of a case file stands for.
struct CaseValue {
    std::optional<Json> json = {};
    std::string text = {}; ///< without json: put in as it is
    HttpHeaders headers = {};
};

/// Where a text is put together: it decides what a string of JSON looks like there.
enum class CasePlace { Json, Path, Sql, Text };

/// Puts values in the place of `$name`, `${name.path}`, `${255 times x}` and `${3 of {…}}`.
class CaseValues {
public:
    /// Names that were never set.
    using Lookup = std::function<std::optional<CaseValue>(const std::string& name)>;

    explicit CaseValues(Lookup others) : _others(std::move(others)) {}

    void set(const std::string& name, CaseValue value) { _values[name] = std::move(value); }
    /// Throws std::runtime_error with what to do when a name is unknown.
    std::string fill(const std::string& text, CasePlace place) const;

private:
    CaseValue valueOf(const std::string& reference) const;
    std::string call(const std::string& call, CasePlace place) const;
    std::string reference(const std::string& text, std::size_t& at, CasePlace place) const;

    std::map<std::string, CaseValue> _values;
    Lookup _others;
};

/// The value at "products.0.id", "products.*.id" (of all), "products.length" or "categories.id:5.name".
std::optional<Json> valueAt(const Json& found, const std::string& path);
/// Equal; the string "*" of `expected` is any value.
bool isAsExpected(const Json& expected, const Json& found);
/// A string in a string, an element in an array, or members of an object, which may have more.
bool isPartOf(const Json& expected, const Json& found);
/// The members of `changes` in the place of those of `base`; the rest stays as it is written. `-` leaves one out.
std::string mergedText(const std::string& base, const std::string& changes);
/// A member of an object as it is written; "" when it has none.
std::string memberText(const std::string& object, const std::string& name);
/// Behind what begins at `at`: a text in quotes or brackets, or up to a space outside of such.
std::size_t endOfToken(const std::string& text, std::size_t at);

} // namespace supplierd::tests
