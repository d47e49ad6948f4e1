#include "Columns.h"

#include "text/RecordReader.h"

#include <supplierd/Validation.h>

#include <Poco/UTF8String.h>

#include <algorithm>
#include <map>
#include <set>

namespace supplierd::csv {

namespace {

/// Names in lower case with single blanks, as normalised() makes them.
const std::map<std::string, std::string_view, std::less<>> SYNONYMS{
    {"product id", "id"},
    {"article number", "sku"},
    {"article code", "sku"},
    {"item number", "sku"},
    {"item code", "sku"},
    {"product code", "sku"},
    {"code", "sku"},
    {"artikelnummer", "sku"},
    {"artikelcode", "sku"},
    {"artikelnr", "sku"},
    {"artikel nr", "sku"},
    {"productcode", "sku"},
    {"product name", "name"},
    {"product", "name"},
    {"title", "name"},
    {"naam", "name"},
    {"productnaam", "name"},
    {"artikelnaam", "name"},
    {"product type", "type"},
    {"soort", "type"},
    {"categorie id", "category_id"},
    {"category name", "category"},
    {"categorie", "category"},
    {"price", "base_price"},
    {"unit price", "base_price"},
    {"prijs", "base_price"},
    {"basisprijs", "base_price"},
    {"stukprijs", "base_price"},
    {"verkoopprijs", "base_price"},
    {"eenheid", "unit"},
    {"verkoopeenheid", "unit"},
    {"stock", "stock_qty"},
    {"stock quantity", "stock_qty"},
    {"quantity", "stock_qty"},
    {"qty", "stock_qty"},
    {"voorraad", "stock_qty"},
    {"aantal", "stock_qty"},
    {"minimum order", "min_order_qty"},
    {"minimum order quantity", "min_order_qty"},
    {"moq", "min_order_qty"},
    {"minimale bestelhoeveelheid", "min_order_qty"},
    {"minimale afname", "min_order_qty"},
    {"minimum afname", "min_order_qty"},
    {"colour", "color"},
    {"kleur", "color"},
    {"length", "stem_length"},
    {"lengte", "stem_length"},
    {"steellengte", "stem_length"},
    {"country", "country_of_origin"},
    {"origin", "country_of_origin"},
    {"land", "country_of_origin"},
    {"herkomst", "country_of_origin"},
    {"land van herkomst", "country_of_origin"},
    {"vat", "vat_rate"},
    {"vat %", "vat_rate"},
    {"vat percentage", "vat_rate"},
    {"btw", "vat_rate"},
    {"btw %", "vat_rate"},
    {"btw percentage", "vat_rate"},
    {"btw tarief", "vat_rate"},
    {"active", "is_active"},
    {"actief", "is_active"},
    {"omschrijving", "description"},
    {"beschrijving", "description"},
    {"image url", "image_urls"},
    {"images", "image_urls"},
    {"pictures", "image_urls"},
    {"afbeelding", "image_urls"},
    {"afbeeldingen", "image_urls"},
    {"foto", "image_urls"},
    {"variant code", "variant_sku"},
    {"variant article number", "variant_sku"},
    {"variant artikelnummer", "variant_sku"},
    {"variant", "variant_name"},
    {"variant naam", "variant_name"},
    {"variant colour", "variant_color"},
    {"variant kleur", "variant_color"},
    {"variant length", "variant_stem_length"},
    {"variant lengte", "variant_stem_length"},
    {"variant price", "variant_base_price"},
    {"variant prijs", "variant_base_price"},
    {"variant stock", "variant_stock_qty"},
    {"variant quantity", "variant_stock_qty"},
    {"variant voorraad", "variant_stock_qty"},
    {"variant aantal", "variant_stock_qty"},
    {"variant active", "variant_is_active"},
    {"variant actief", "variant_is_active"},
};

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

const Column* columnNamed(std::string_view heading) {
    std::string words = normalised(heading);
    if (const auto synonym = SYNONYMS.find(words); synonym != SYNONYMS.end())
        words = normalised(synonym->second);
    const auto* const found = std::find_if(PRODUCT_COLUMNS.begin(), PRODUCT_COLUMNS.end(),
                                           [&](const Column& column) { return normalised(column.name) == words; });
    return found == PRODUCT_COLUMNS.end() ? nullptr : found;
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
