#include "imports/ProductRow.h"

#include "text/CellNumbers.h"
#include "text/CsvStyle.h"

#include <supplierd/Validation.h>

#include <Poco/UTF8String.h>

#include <algorithm>

namespace supplierd::csv {

namespace {

constexpr std::size_t MAX_SHOWN_SKU = 255;

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

ProductRow ProductRows::read(const Record& record) const {
    ProductRow row;
    row.row = record.row;
    std::string categoryName;
    bool hasCategory = false;
    JsonWriter json(row.json);
    json.beginObject();
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const std::string_view cell = trimmed(record.cells[i]);
        if (i >= _heading.size()) {
            if (!cell.empty())
                row.problems.push_back({"", "too_many", "the row has more cells than the first row has columns"});
            break;
        }
        const Column* const column = _heading.column(i);
        if (column == nullptr || column->kind == ColumnKind::ReadOnly)
            continue;
        if (column->name == "sku")
            row.sku = std::string(unguarded(cell)).substr(0, MAX_SHOWN_SKU);
        if (column->kind == ColumnKind::CategoryName)
            categoryName = unguarded(cell);
        else
            write(json, *column, cell, row);
        hasCategory = hasCategory || (column->name == "category_id" && !cell.empty());
    }
    if (!hasCategory && !categoryName.empty())
        writeCategory(json, categoryName, row);
    json.endObject();
    return row;
}

void ProductRows::write(JsonWriter& json, const Column& column, std::string_view cell, ProductRow& row) const {
    if (cell.empty()) {
        const bool isName = column.name == "sku" || column.name == "id";
        if (_import.clearsEmpty && !isName && column.name != "category_id")
            json.key(column.name).null();
        return;
    }
    if (cell.find('\0') != std::string_view::npos) {
        row.problems.push_back(
            {std::string(column.name), "type", std::string(column.name) + " has a character U+0000 in it"});
        return;
    }
    json.key(column.name);
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
        json.value(unguarded(cell));
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
