#include "imports/ProductRow.h"

#include "text/CellNumbers.h"
#include "text/CsvStyle.h"

#include <supplierd/Validation.h>
#include <supplierd/internal/ImageIngest.h>

#include <Poco/StringTokenizer.h>
#include <Poco/UTF8String.h>

#include <algorithm>

namespace supplierd::csv {

namespace {

/// In characters; a SKU may have fewer.
constexpr std::size_t MAX_SHOWN_SKU = 100;
/// In bytes: more than any field takes, also in characters of four bytes each.
constexpr std::size_t MAX_CELL = 64 * 1'024;

std::string keyOf(std::string_view name) {
    return Poco::UTF8::toLower(std::string(trimmed(name)));
}

/// What is no number stays text, of which catalog says what is wrong.
void writeNumber(JsonWriter& json, const std::optional<std::string>& number, std::string_view cell) {
    if (number)
        json.raw(*number);
    else
        json.value(cell);
}

std::string_view firstCharacters(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    const auto goesOn = [&] { return end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; };
    for (std::size_t i = 0; i < count && end < text.size(); ++i)
        for (++end; goesOn();)
            ++end;
    return text.substr(0, end);
}

/// Each once, in their order; of those that are too many, one more than a product may have.
std::vector<std::string> urlsOf(std::string_view cell) {
    std::vector<std::string> urls;
    const Poco::StringTokenizer parts(std::string(cell), "|",
                                      Poco::StringTokenizer::TOK_TRIM | Poco::StringTokenizer::TOK_IGNORE_EMPTY);
    for (auto url = parts.begin(); url != parts.end() && urls.size() <= ImageIngest::MAX_IMAGES; ++url)
        if (std::find(urls.begin(), urls.end(), *url) == urls.end())
            urls.push_back(*url);
    return urls;
}

} // namespace

CategoryNames::CategoryNames(const std::vector<CategoryRecord>& categories) {
    for (const CategoryRecord& category : categories)
        for (const std::string& key : {keyOf(category.name), category.slug}) {
            const auto [entry, isNew] = _ids.emplace(key, category.id);
            if (!isNew && entry->second != category.id)
                entry->second = 0;
        }
}

std::optional<std::int64_t> CategoryNames::find(std::string_view name) const {
    const auto found = _ids.find(keyOf(name));
    return found == _ids.end() ? std::nullopt : std::optional(found->second);
}

std::string joined(std::string_view object, std::string_view other) {
    constexpr std::size_t EMPTY = 2;
    std::string text(object);
    if (other.size() <= EMPTY)
        return text;
    text.pop_back();
    return text.append(text.size() > 1 ? "," : "").append(other.substr(1));
}

/// What a row comes to, while its cells are read.
struct ProductRows::Objects {
    explicit Objects(ProductRow& row) : names(row.names), fields(row.fields), variant(row.variant) {
        for (JsonWriter* const json : {&names, &fields, &variant})
            json->beginObject();
    }

    JsonWriter names;
    JsonWriter fields;
    JsonWriter variant;
    std::string categoryName;
    bool hasCategory = false;
    bool hasFields = false;
    bool hasVariant = false;
};

ProductRow ProductRows::read(const Record& record) const {
    ProductRow row;
    row.row = record.row;
    Objects objects(row);
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const std::string cell = unguarded(trimmed(record.cells[i]));
        if (i >= _heading.size()) {
            if (!cell.empty())
                row.problems.push_back({"", "too_many", "the row has more cells than the first row has columns"});
            break;
        }
        const Column* const column = _heading.column(i);
        if (column == nullptr || column->kind == ColumnKind::ReadOnly)
            continue;
        if (cell.size() <= MAX_CELL)
            readCell(*column, cell, objects, row);
        else
            row.problems.push_back({std::string(column->name), "too_long", std::string(column->name) + " is too long"});
    }
    if (!objects.hasCategory && !objects.categoryName.empty())
        writeCategory(objects.fields, objects.categoryName, row);
    for (JsonWriter* const json : {&objects.names, &objects.fields, &objects.variant})
        json->endObject();
    if (!objects.hasVariant)
        row.variant.clear();
    row.isOfProduct = objects.hasFields || !objects.hasVariant;
    return row;
}

void ProductRows::readCell(const Column& column, std::string_view cell, Objects& objects, ProductRow& row) const {
    if (column.isOfVariant()) {
        objects.hasVariant = objects.hasVariant || !cell.empty();
        if (column.name == "variant_sku")
            row.variantSku = firstCharacters(cell, MAX_SHOWN_SKU);
        return write(objects.variant, column, cell, row);
    }
    if (column.name == "sku" || column.name == "id") {
        if (column.name == "sku")
            row.sku = firstCharacters(cell, MAX_SHOWN_SKU);
        return write(objects.names, column, cell, row);
    }
    if (column.kind == ColumnKind::ImageUrls) {
        row.imageUrls = urlsOf(cell);
        if (row.imageUrls.size() > ImageIngest::MAX_IMAGES) {
            row.imageUrls.clear();
            row.problems.push_back(
                {std::string(column.name), "too_many",
                 std::string(column.name) + " has more than " + std::to_string(ImageIngest::MAX_IMAGES) + " URLs"});
        }
        return;
    }
    objects.hasFields = objects.hasFields || !cell.empty();
    if (column.kind == ColumnKind::CategoryName) {
        objects.categoryName = cell;
        return;
    }
    objects.hasCategory = objects.hasCategory || (column.name == "category_id" && !cell.empty());
    write(objects.fields, column, cell, row);
}

void ProductRows::write(JsonWriter& json, const Column& column, std::string_view cell, ProductRow& row) const {
    if (cell.empty()) {
        const bool isName = column.field() == "sku" || column.field() == "id" || column.name == "variant_name";
        if (_import.clearsEmpty && !isName && column.name != "category_id")
            json.key(column.field()).null();
        return;
    }
    if (cell.find('\0') != std::string_view::npos) {
        row.problems.push_back(
            {std::string(column.name), "type", std::string(column.name) + " has a character U+0000 in it"});
        return;
    }
    if (isSheetError(cell)) {
        row.problems.push_back({std::string(column.name), "type",
                                std::string(column.name) + " is an error of the spreadsheet: " + std::string(cell)});
        return;
    }
    json.key(column.field());
    switch (column.kind) {
    case ColumnKind::Integer:
        return writeNumber(json, integerOf(cell), cell);
    case ColumnKind::Decimal:
        return writeNumber(json, decimalOf(cell, _import.format.decimalSign), cell);
    case ColumnKind::Boolean:
        if (const auto truth = truthOf(cell))
            json.value(*truth);
        else
            json.value(cell);
        return;
    case ColumnKind::Term:
        json.value(termOf(cell));
        return;
    default:
        json.value(cell);
    }
}

void ProductRows::writeCategory(JsonWriter& json, std::string_view name, ProductRow& row) const {
    const auto id = _categories.find(name);
    if (id && *id != 0)
        json.field("category_id", *id);
    else
        row.problems.push_back(
            {"category", "unknown_reference",
             id ? "several categories have that name: give category_id instead" : "no category has that name"});
}

} // namespace supplierd::csv
