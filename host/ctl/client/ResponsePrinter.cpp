#include "host/ctl/client/ResponsePrinter.h"

#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <supplierd/Validation.h>

#include <Poco/String.h>

#include <fmt/format.h>

#include <optional>
#include <set>
#include <vector>

namespace supplierd::host {

namespace {

constexpr std::string_view CHANGE = " -> ";
constexpr std::size_t MAX_VALUE = 40;

const ResponseJson NOTHING;

std::string lineOf(const ResponseJson& value) {
    if (value.is_null())
        return "";
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    if (value.is_string())
        return value.get<std::string>();
    if (!value.is_array())
        return value.dump();
    std::string line;
    for (const auto& one : value)
        line += (line.empty() ? "" : ", ") + lineOf(one);
    return line;
}

/// In code points, not bytes.
std::string cut(std::string text) {
    if (codePoints(text) <= MAX_VALUE)
        return text;
    std::size_t length = 0;
    for (std::size_t points = 0; length < text.size(); ++length) {
        const bool isFirstByte = (static_cast<unsigned char>(text[length]) & 0xC0U) != 0x80U;
        if (isFirstByte && ++points > MAX_VALUE)
            break;
    }
    return text.substr(0, length) + "...";
}

using Values = std::map<std::string, std::string>;

/// By field, "approval.status" for one within another.
void collect(const ResponseJson& object, const std::string& prefix, Values& values) {
    for (const auto& [name, value] : object.items()) {
        const bool isList = value.is_array() && !value.empty() && value.front().is_structured();
        const auto path = cut(terminalText(prefix + name));
        if (value.is_object())
            collect(value, prefix + name + ".", values);
        else if (isList)
            values[path] = fmt::format("{} entries", value.size());
        else
            values[path] = value.is_null() ? "none" : cut(terminalText(lineOf(value)));
    }
}

void printTree(std::ostream& out, const ResponseJson& value, const std::string& indent) {
    for (const auto& [key, field] : value.items()) {
        const auto name = value.is_array() ? std::string("-") : key + ":";
        const bool isList = field.is_array() && !field.empty() && !field.front().is_structured();
        if (field.is_structured() && !field.empty() && !isList) {
            out << indent << terminalText(name) << "\n";
            printTree(out, field, indent + "  ");
        } else if (!field.is_null() && (isList || !field.is_structured())) {
            out << indent << terminalText(name + " " + lineOf(field)) << "\n";
        }
    }
}

std::string cellOf(const ResponseJson& item, const std::string& path) {
    const auto arrow = path.find(CHANGE);
    if (arrow == std::string::npos)
        return textAt(item, path);
    return describeChange(valueAt(item, path.substr(0, arrow)), valueAt(item, path.substr(arrow + CHANGE.size())));
}

/// All that has no parts of its own, with their headings.
ResponseJson columnsOf(const ResponseJson& items) {
    ResponseJson columns = ResponseJson::object();
    for (const auto& item : items)
        for (const auto& [name, value] : item.items())
            if (!value.is_structured())
                columns[name] = Poco::toUpper(Poco::replace(name, "_", " "));
    return columns;
}

/// Where a list is part of something, that is printed as a whole.
bool isAlone(const ResponseJson& data, const std::string& list) {
    for (const auto& [name, value] : data.items())
        if (name != list && name != "pagination")
            return false;
    return true;
}

} // namespace

std::string listIn(const ResponseJson& data) {
    std::string found;
    for (const auto& [name, value] : data.items())
        if (value.is_array() && (value.empty() ? found.empty() : value.front().is_object()))
            found = name;
    return found;
}

const ResponseJson& valueAt(const ResponseJson& data, std::string_view path) {
    const ResponseJson* at = &data;
    while (!path.empty()) {
        const auto dot = std::min(path.find('.'), path.size());
        const auto found = at->is_object() ? at->find(std::string(path.substr(0, dot))) : at->end();
        if (found == at->end())
            return NOTHING;
        at = &*found;
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return *at;
}

std::string textAt(const ResponseJson& data, std::string_view path) {
    return lineOf(valueAt(data, path));
}

bool holds(const ResponseJson& data, const std::string& condition) {
    const auto equals = condition.find('=');
    if (equals != std::string::npos && equals > 0 && condition[equals - 1] == '^')
        return textAt(data, condition.substr(0, equals - 1)).starts_with(condition.substr(equals + 1));
    if (equals != std::string::npos)
        return textAt(data, condition.substr(0, equals)) == condition.substr(equals + 1);
    const auto& value = valueAt(data, condition);
    return !(value.is_null() || value == false || value == 0 || value == "" ||
             (value.is_structured() && value.empty()));
}

std::string filledIn(std::string_view sentence, const ResponseJson& data,
                     const std::map<std::string, std::string>& given) {
    std::string text;
    while (!sentence.empty()) {
        const auto open = std::min(sentence.find('{'), sentence.size());
        text += sentence.substr(0, open);
        sentence.remove_prefix(open);
        const auto close = sentence.find('}');
        if (close == std::string_view::npos)
            return text.append(sentence);
        const std::string path(sentence.substr(1, close - 1));
        const auto known = given.find(path);
        text += known != given.end() ? known->second : textAt(data, path);
        sentence.remove_prefix(close + 1);
    }
    return text;
}

bool ResponsePrinter::print(const ResponseJson& data) const {
    if (_context.json)
        _context.out() << data.dump(-1, ' ', false, ResponseJson::error_handler_t::replace) << "\n";
    else
        printText(data);
    const auto failures = _row.value("failures", "");
    const auto good = _row.value("good", "");
    if (!good.empty())
        return holds(data, good);
    return failures.empty() || !holds(data, failures);
}

void ResponsePrinter::printText(const ResponseJson& data) const {
    const auto items = listIn(data);
    const auto* const list =
        items.empty() || !(_row.contains("columns") || isAlone(data, items)) ? nullptr : &data.at(items);
    const auto failures = _row.value("failures", "");
    if (_row.contains("value") && holds(data, _row.value("value", "")))
        _context.out() << terminalLines(textAt(data, _row.value("value", ""))) << std::endl;
    else if (_row.contains("done"))
        printSentence(data);
    else if (list && failures.empty() && list->empty())
        printEmpty(data);
    else if (list && failures.empty())
        printTable(*list, _row.contains("columns") ? _row["columns"] : columnsOf(*list));
    else
        printTree(_context.out(), data.size() == 1 && data.front().is_object() ? data.front() : data, "");
    if (!failures.empty() && _row.contains("done") && holds(data, failures))
        printFailures(valueAt(data, failures));
    printPlace(data);
    printHints(data);
}

/// A page may be empty since it is behind the last one.
void ResponsePrinter::printEmpty(const ResponseJson& data) const {
    const auto page = textAt(data, "pagination.current_page");
    if (page.empty() || page == "1" || !holds(data, "pagination.total_items"))
        _context.out() << _row.value("empty", "There are none.") << "\n";
    else
        _context.out() << fmt::format("There is nothing on page {}; the last page is {}.\n", page,
                                      textAt(data, "pagination.total_pages"));
}

/// Without the colon before what turns out to be nothing.
void ResponsePrinter::printSentence(const ResponseJson& data) const {
    auto sentence = filledIn(_row.value("done", ""), data, _given);
    sentence.erase(sentence.find_last_not_of(": ") + 1);
    _context.out() << terminalLines(sentence) << "\n";
}

/// A line each where they are texts.
void ResponsePrinter::printFailures(const ResponseJson& items) const {
    if (items.front().is_object())
        printTable(items, columnsOf(items));
    else
        for (const auto& item : items)
            _context.out() << terminalText(lineOf(item)) << "\n";
}

/// `columns` is a list of [path, heading], or an object of them. Numbers stand at the right.
void ResponsePrinter::printTable(const ResponseJson& items, const ResponseJson& columns) const {
    struct Column {
        std::vector<std::string> cells;
        std::size_t width = 0;
        bool isNumber = false;
    };
    std::vector<Column> table;
    for (const auto& [key, given] : columns.items()) {
        const auto path = columns.is_object() ? key : given.at(0).get<std::string>();
        auto& column = table.emplace_back();
        column.cells.push_back(columns.is_object() ? given : given.at(1));
        for (const auto& item : items) {
            column.cells.push_back(terminalText(cellOf(item, path)));
            column.isNumber = column.isNumber || valueAt(item, path).is_number();
        }
        for (const auto& cell : column.cells)
            column.width = std::max(column.width, codePoints(cell));
    }
    for (std::size_t row = 0; row <= items.size(); ++row)
        for (const auto& column : table) {
            const auto& cell = column.cells[row];
            const std::string padding(column.width - codePoints(cell), ' ');
            const bool isLast = &column == &table.back();
            _context.out() << (column.isNumber ? padding + cell
                               : isLast        ? cell
                                               : cell + padding)
                           << (isLast ? "\n" : "  ");
        }
}

/// Where in a list this page is.
void ResponsePrinter::printPlace(const ResponseJson& data) const {
    const auto& pagination = valueAt(data, "pagination");
    if (!pagination.is_object())
        return;
    const auto page = pagination.value("current_page", std::int64_t{1});
    const auto pages = pagination.value("total_pages", std::int64_t{1});
    if (page < pages)
        _context.err() << fmt::format("page {} of {}, {}{} in all; the next one: --page {}, all of them: --all\n", page,
                                      pages, pagination.value("total_capped", false) ? "more than " : "",
                                      pagination.value("total_items", std::int64_t{0}), page + 1);
}

void ResponsePrinter::printHints(const ResponseJson& data) const {
    for (const auto& hint : _row.value("hints", ResponseJson::array()))
        if (!hint.contains("if") || holds(data, hint.value("if", "")))
            _context.err() << terminalLines(filledIn(hint.value("text", ""), data, _given)) << "\n";
}

std::string describeChange(const ResponseJson& before, const ResponseJson& after) {
    Values old;
    Values now;
    if (before.is_object())
        collect(before, "", old);
    if (after.is_object())
        collect(after, "", now);
    std::set<std::string> names;
    for (const auto* values : {&old, &now})
        for (const auto& [name, value] : *values)
            names.insert(name);
    std::string text;
    for (const auto& name : names) {
        const auto was = old.find(name);
        const auto is = now.find(name);
        if (was != old.end() && is != now.end() && was->second == is->second)
            continue;
        text += (text.empty() ? "" : ", ") + name + ": ";
        if (before.is_object())
            text += (was == old.end() ? "none" : was->second) + std::string(CHANGE);
        text += is == now.end() ? "none" : is->second;
    }
    return text;
}

} // namespace supplierd::host
