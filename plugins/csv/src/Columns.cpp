#include "Columns.h"

#include "text/RecordReader.h"

#include <supplierd/Validation.h>

#include <Poco/StringTokenizer.h>
#include <Poco/UTF8String.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace supplierd::csv {

namespace {

/// In the order of the export. A column is known by its name, and by others in English and Dutch, with a | between
/// them.
constexpr std::array COLUMNS{
    Column{"id", ColumnKind::Integer, "product id"},
    Column{"sku", ColumnKind::Text,
           "article number|article code|item number|item code|product code|code|"
           "artikelnummer|artikelcode|artikelnr|artikel nr|productcode"},
    Column{"name", ColumnKind::Text, "product name|product|title|naam|productnaam|artikelnaam"},
    Column{"type", ColumnKind::Term, "product type|soort"},
    Column{"category_id", ColumnKind::Integer, "categorie id"},
    Column{"category", ColumnKind::CategoryName, "category name|categorie"},
    Column{"base_price", ColumnKind::Decimal, "price|unit price|prijs|basisprijs|stukprijs|verkoopprijs"},
    Column{"unit", ColumnKind::Term, "eenheid|verkoopeenheid"},
    Column{"stock_qty", ColumnKind::Integer, "stock|stock quantity|quantity|qty|voorraad|aantal"},
    Column{"min_order_qty", ColumnKind::Integer,
           "minimum order|minimum order quantity|moq|minimale bestelhoeveelheid|minimale afname|minimum afname"},
    Column{"color", ColumnKind::Text, "colour|kleur"},
    Column{"stem_length", ColumnKind::Integer, "length|lengte|steellengte"},
    Column{"country_of_origin", ColumnKind::Text, "country|origin|land|herkomst|land van herkomst"},
    Column{"vat_rate", ColumnKind::Decimal, "vat|vat %|vat percentage|btw|btw %|btw percentage|btw tarief"},
    Column{"lead_time_days", ColumnKind::Integer, "lead time|delivery time|levertijd|levertijd dagen|leverdagen"},
    Column{"is_active", ColumnKind::Boolean, "active|actief"},
    Column{"description", ColumnKind::Text, "omschrijving|beschrijving"},
    Column{"image_urls", ColumnKind::ImageUrls, "image url|images|pictures|afbeelding|afbeeldingen|foto"},
    Column{"variant_id", ColumnKind::Integer},
    Column{"variant_sku", ColumnKind::Text, "variant code|variant article number|variant artikelnummer"},
    Column{"variant_name", ColumnKind::Text, "variant|variant naam"},
    Column{"variant_color", ColumnKind::Text, "variant colour|variant kleur"},
    Column{"variant_stem_length", ColumnKind::Integer, "variant length|variant lengte"},
    Column{"variant_base_price", ColumnKind::Decimal, "variant price|variant prijs"},
    Column{"variant_stock_qty", ColumnKind::Integer, "variant stock|variant quantity|variant voorraad|variant aantal"},
    Column{"variant_is_active", ColumnKind::Boolean, "variant active|variant actief"},
    Column{"stock_status", ColumnKind::ReadOnly},
    Column{"approval", ColumnKind::ReadOnly},
    Column{"approval_reason", ColumnKind::ReadOnly},
    Column{"primary_image", ColumnKind::ReadOnly},
    Column{"created_at", ColumnKind::ReadOnly},
    Column{"updated_at", ColumnKind::ReadOnly}};

const std::map<std::string, std::string_view, std::less<>> TERMS{
    {"steel", "stem"},        {"stelen", "stem"},
    {"stems", "stem"},        {"tak", "stem"},
    {"bos", "bunch"},         {"bossen", "bunch"},
    {"bunches", "bunch"},     {"doos", "box"},
    {"boxes", "box"},         {"pak", "pack"},
    {"verpakking", "pack"},   {"stuk", "piece"},
    {"stuks", "piece"},       {"pieces", "piece"},
    {"pcs", "piece"},         {"kg", "kilogram"},
    {"kilo", "kilogram"},     {"m", "meter"},
    {"metre", "meter"},       {"rol", "roll"},
    {"rolls", "roll"},        {"bloem", "flower"},
    {"bloemen", "flower"},    {"flowers", "flower"},
    {"supplies", "supply"},   {"benodigdheden", "supply"},
    {"toebehoren", "supply"},
};

const std::map<std::string, bool, std::less<>> TRUTHS{
    {"true", true},   {"yes", true}, {"y", true},  {"1", true},  {"ja", true},   {"j", true},       {"waar", true},
    {"false", false}, {"no", false}, {"n", false}, {"0", false}, {"nee", false}, {"onwaar", false},
};

/// In English and Dutch.
const std::set<std::string, std::less<>> SHEET_ERRORS{
    "#N/A", "#REF!",  "#VALUE!",  "#DIV/0!",  "#NAME?", "#NUM!",   "#NULL!", "#SPILL!",    "#CALC!",
    "#N/B", "#VERW!", "#WAARDE!", "#DEEL/0!", "#NAAM?", "#GETAL!", "#LEEG!", "#OVERLOOP!",
};

/// Lower case; blanks, dashes, underscores and full stops are one blank.
std::string normalised(std::string_view text) {
    std::string words;
    for (const char c : Poco::UTF8::toLower(std::string(trimmed(text)))) {
        const bool isGap = c == ' ' || c == '_' || c == '-' || c == '.' || c == '\n' || c == '\r' || c == '\t';
        if (!isGap)
            words += c;
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    }
    if (words.ends_with(' '))
        words.pop_back();
    return words;
}

/// Before anything looks at them.
void requireNames(const std::vector<std::string>& cells) {
    std::size_t bytes = 0;
    for (const std::string& cell : cells) {
        bytes += cell.size();
        if (bytes > Heading::MAX_BYTES || codePoints(cell) > Heading::MAX_CELL)
            throw FileProblem("the first row is too long for the names of columns");
        if (cell.find('\0') != std::string::npos)
            throw FileProblem("the first row has a character U+0000 in it");
    }
}

} // namespace

std::span<const Column> productColumns() {
    return COLUMNS;
}

const Column* columnNamed(std::string_view heading) {
    static const std::map<std::string, const Column*, std::less<>> NAMES = [] {
        std::map<std::string, const Column*, std::less<>> names;
        for (const Column& column : COLUMNS) {
            names.emplace(normalised(column.name), &column);
            for (const std::string& name : Poco::StringTokenizer(std::string(column.otherNames), "|"))
                names.emplace(name, &column);
        }
        return names;
    }();
    const auto found = NAMES.find(normalised(heading));
    return found == NAMES.end() ? nullptr : found->second;
}

std::string termOf(std::string_view cell) {
    std::string word = Poco::UTF8::toLower(std::string(trimmed(cell)));
    const auto term = TERMS.find(word);
    return term == TERMS.end() ? word : std::string(term->second);
}

std::optional<bool> truthOf(std::string_view cell) {
    const auto truth = TRUTHS.find(Poco::UTF8::toLower(std::string(trimmed(cell))));
    return truth == TRUTHS.end() ? std::nullopt : std::optional(truth->second);
}

bool isSheetError(std::string_view cell) {
    constexpr std::string_view LIBREOFFICE = "Err:";
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    return SHEET_ERRORS.contains(cell) || (cell.starts_with(LIBREOFFICE) && cell.size() == LIBREOFFICE.size() + 3 &&
                                           std::all_of(cell.begin() + LIBREOFFICE.size(), cell.end(), isDigit));
}

Heading::Heading(std::vector<std::string> cells) : _cells(std::move(cells)) {
    requireNames(_cells);
    std::set<std::string_view> names;
    for (std::string& cell : _cells) {
        cell = trimmed(cell);
        const Column* const column = columnNamed(cell);
        _columns.push_back(column);
        if (column != nullptr && !names.insert(column->name).second)
            throw FileProblem("two columns of the first row mean " + std::string(column->name) + ": " +
                              headingOf(column->name) + " and " + cell);
    }
    if (!has("sku") && !has("id"))
        throw FileProblem("the first row names no column sku (or article number, artikelnummer, code)");
}

bool Heading::has(std::string_view name) const {
    return std::any_of(_columns.begin(), _columns.end(),
                       [name](const Column* column) { return column != nullptr && column->name == name; });
}

bool Heading::hasVariants() const {
    return std::any_of(_columns.begin(), _columns.end(),
                       [](const Column* column) { return column != nullptr && column->isOfVariant(); });
}

std::string Heading::headingOf(std::string_view name) const {
    for (std::size_t i = 0; i < _columns.size(); ++i)
        if (_columns[i] != nullptr && _columns[i]->name == name)
            return _cells[i];
    return std::string(name);
}

std::vector<std::string> Heading::unknown() const {
    std::vector<std::string> headings;
    for (std::size_t i = 0; i < _cells.size(); ++i)
        if (_columns[i] == nullptr && !_cells[i].empty() && normalised(_cells[i]) != ERRORS_COLUMN)
            headings.push_back(_cells[i]);
    return headings;
}

std::size_t Heading::countKnown(const std::vector<std::string>& cells) {
    return static_cast<std::size_t>(
        std::count_if(cells.begin(), cells.end(), [](const auto& cell) { return columnNamed(cell) != nullptr; }));
}

} // namespace supplierd::csv
