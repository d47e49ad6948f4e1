#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::csv {

enum class ColumnKind {
    Text,
    Term, ///< one of a few words, which may stand there in Dutch
    Integer,
    Decimal,
    Boolean,
    CategoryName, ///< stands for category_id
    ImageUrls,    ///< with a | between them
    ReadOnly      ///< only exported
};

/// What columns of a product's variant begin with.
inline constexpr std::string_view VARIANT_PREFIX = "variant_";

/// A column of a file of products.
struct Column {
    /// Of the export, and of the API's field; of a variant's one behind VARIANT_PREFIX.
    std::string_view name;
    ColumnKind kind = ColumnKind::Text;
    /// In lower case with single blanks, with a | between them.
    std::string_view otherNames = {};

    constexpr bool isOfVariant() const { return name.starts_with(VARIANT_PREFIX); }
    constexpr std::string_view field() const { return isOfVariant() ? name.substr(VARIANT_PREFIX.size()) : name; }
};

/// In the order of the export.
std::span<const Column> productColumns();

/// That errors.csv adds; ignored when such a file comes back.
inline constexpr std::string_view ERRORS_COLUMN = "errors";

/// The column that a heading means, by its name or a synonym in English or Dutch, whatever its case, blanks and dashes.
const Column* columnNamed(std::string_view heading);

/// A word of the API for one that a sheet may have: "steel" is `stem`, "bloem" is `flower`. Others stay as they are.
std::string termOf(std::string_view cell);
/// "TRUE", "ja", "0"; nothing for other words.
std::optional<bool> truthOf(std::string_view cell);

/// What a spreadsheet writes for a formula that has no value: "#N/A", "Err:509".
bool isSheetError(std::string_view cell);

/// The first row of a file, as it was understood.
class Heading {
public:
    Heading() = default;
    /// Of all cells together, in bytes, and of one, in characters: it is kept, and shown with each import of a list.
    static constexpr std::size_t MAX_BYTES = 64 * 1'024;
    static constexpr std::size_t MAX_CELL = 255;

    /// Throws FileProblem without a column for `sku` or `id`, for two that mean the same, and for what cannot be names.
    explicit Heading(std::vector<std::string> cells);

    std::size_t size() const { return _cells.size(); }
    const std::string& cell(std::size_t place) const { return _cells[place]; }
    /// Null for one that is not known.
    const Column* column(std::size_t place) const { return _columns[place]; }
    bool has(std::string_view name) const;
    bool hasVariants() const;
    /// The heading of the column with that name; the name itself when there is none.
    std::string headingOf(std::string_view name) const;
    std::vector<std::string> unknown() const;

    /// How many headings of a row are known columns.
    static std::size_t countKnown(const std::vector<std::string>& cells);

private:
    std::vector<std::string> _cells;
    std::vector<const Column*> _columns;
};

} // namespace supplierd::csv
