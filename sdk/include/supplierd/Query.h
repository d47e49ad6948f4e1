#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Validation.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd {

/// The decoded query parameters of a request, in their order.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// Splits and decodes a raw query string. Bad percent escapes, invalid UTF-8 and U+0000 become details. Since 1.0.
SUPPLIERD_API QueryParameters parseQuery(std::string_view raw, Details& details);

/// The values of a parameter that is a list, such as `tags=A,B%2C1`: separated at the commas of the raw query, then
/// decoded and trimmed, so that an escaped comma is part of its value. Empty ones are left out, and those that
/// parseQuery() refuses. Of a parameter that is given twice the first counts. Beware: many programs escape every comma,
/// also those between two values. Since 1.0.
SUPPLIERD_API std::vector<std::string> listValues(std::string_view rawQuery, std::string_view name);

/// What has the text anywhere in it, as a pattern of `LIKE ? ESCAPE '|'`: of its characters none is a wildcard.
/// Since 1.0.
SUPPLIERD_API std::string patternContaining(std::string_view text);

struct Page {
    std::int64_t number = 1;
    std::int64_t perPage = 20;
    /// Rows before this page; a page beyond what 64 bits count starts at the largest offset.
    std::int64_t offset() const {
        constexpr std::int64_t MAX = std::numeric_limits<std::int64_t>::max();
        return number - 1 > MAX / perPage ? MAX : (number - 1) * perPage;
    }
};

/// Reads query parameters against rules, collecting every problem. A parameter given twice is `duplicate`; of unknown
/// ones the host warns; an empty text counts as absent, another empty value is wrong. Thread: one. Since 1.0.
class QueryReader {
public:
    QueryReader(const QueryParameters& parameters, Details& details) : _parameters(parameters), _details(details) {}

    std::optional<std::string> text(std::string_view name, std::size_t maxCodePoints);
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t min,
                                        std::int64_t max = std::numeric_limits<std::int64_t>::max());
    /// Trimmed as text is.
    std::optional<std::string> oneOf(std::string_view name, std::span<const std::string_view> allowed);
    /// "true" or "false".
    std::optional<bool> boolean(std::string_view name);
    /// ISO 8601 with a zone ("2026-11-20T14:48:00Z", "+01:00", fractions allowed), as a UTC DATETIME(6) text. A time
    /// before or after all that a DATETIME can be is the first or the last that it can be.
    std::optional<std::string> time(std::string_view name);
    /// `page` (default 1; so many digits that 64 bits cannot count them are just as far past the end) and `per_page`
    /// (default 20, above 100 taken as 100).
    Page page();
    bool has(std::string_view name) const;
    Details& details() { return _details; }

private:
    const std::string* find(std::string_view name);

    const QueryParameters& _parameters;
    Details& _details;
};

} // namespace supplierd
