#include "host/ctl/resources/ResourceCommands.h"

#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace supplierd::host {

CLI::Validator idOf(const std::string& what) {
    const auto check = [what](const std::string& given) {
        std::int64_t id = 0;
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), id);
        if (error == std::errc() && end == given.data() + given.size() && id > 0)
            return std::string();
        return fmt::format("'{}' is no {} id, which is a whole number from 1", given, what);
    };
    return {check, ""};
}

CommandFailure noSuchSupplier(std::int64_t id) {
    return CommandFailure(fmt::format("there is no supplier {}; see `supplierctl supplier list`", id));
}

namespace {

using Json = nlohmann::ordered_json;

std::string textOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Nothing when it is null or not there.
std::optional<std::string> cellOf(const Json& item, std::string path) {
    std::replace(path.begin(), path.end(), '.', '/');
    const Json::json_pointer place("/" + path);
    if (!item.contains(place) || item.at(place).is_null())
        return std::nullopt;
    return textOf(item.at(place));
}

void printTree(std::ostream& out, const Json& value, const std::string& indent) {
    for (const auto& [key, field] : value.items()) {
        const auto name = value.is_array() ? std::string("-") : key + ":";
        if (field.is_structured() && !field.empty()) {
            out << indent << terminalText(name) << "\n";
            printTree(out, field, indent + "  ");
        } else if (!field.is_null() && !field.is_structured()) {
            out << indent << terminalText(name + " " + textOf(field)) << "\n";
        }
    }
}

void printNext(ControlContext& context, const Json& pagination) {
    const auto page = pagination.value("current_page", std::int64_t{1});
    const auto pages = pagination.value("total_pages", std::int64_t{1});
    const auto total = pagination.value("total_items", std::int64_t{0});
    if (page < pages)
        context.err() << fmt::format("page {} of {}, {}{} in all; the next one: --page {}\n", page, pages,
                                     pagination.value("total_capped", false) ? "more than " : "", total, page + 1);
}

} // namespace

CommandFailure describeRefusal(const ApiError& error) {
    std::string message;
    for (const auto& detail : error.details())
        message += (message.empty() ? "" : "\n") + detail.message;
    return CommandFailure(message.empty() ? error.message() : message, ExitCode::Usage);
}

std::shared_ptr<PageOptions> PageOptions::addTo(CLI::App& command) {
    auto options = std::make_shared<PageOptions>();
    options->filter(command, "--page", "Which page")->check(CLI::PositiveNumber);
    options->filter(command, "--per-page", "How many on a page, at most 100")->check(CLI::Range(1, 100));
    options->filter(command, "--cursor", "Go on where this pagination.next_cursor points (see --json)");
    return options;
}

CLI::Option* PageOptions::filter(CLI::App& command, const std::string& option, const std::string& help,
                                 const std::string& parameter) {
    auto name = parameter.empty() ? option.substr(2) : parameter;
    std::replace(name.begin(), name.end(), '-', '_');
    _entries.push_back(std::make_unique<Entry>(Entry{std::move(name), {}}));
    return command.add_option(option, _entries.back()->value, help);
}

QueryParameters PageOptions::query() const {
    QueryParameters query;
    for (const auto& entry : _entries)
        if (!entry->value.empty())
            query.emplace_back(entry->parameter, entry->value);
    return query;
}

void printPageText(ControlContext& context, const std::string& text, const std::string& items,
                   const std::vector<PageColumn>& columns, const std::string& whenEmpty) {
    if (context.json) {
        context.out() << text << "\n";
        return;
    }
    const auto page = Json::parse(text);
    std::vector<Listing::Column> headings;
    for (const auto& column : columns)
        headings.push_back({"", column.heading, column.kind});
    Listing listing(headings);
    for (const auto& item : page.at(items)) {
        Listing::Row row;
        for (const auto& column : columns)
            row.push_back(cellOf(item, column.path));
        listing.add(std::move(row));
    }
    context.printListing(items, listing, whenEmpty);
    printNext(context, page.at("pagination"));
}

void printItemText(ControlContext& context, const std::string& name, const std::string& json) {
    if (context.json)
        context.out() << json << "\n";
    else
        printTree(context.out(), Json::parse(json).at(name), "");
}

namespace {

constexpr std::size_t MAX_VALUE = 40;

/// By field, "approval.status" for one within another.
using Values = std::map<std::string, std::string>;

/// On one line and without what a terminal could take for a command; in code points, not bytes.
std::string cut(std::string_view text) {
    std::string quoted;
    appendJsonString(quoted, text);
    quoted = terminalText(std::string_view(quoted).substr(1, quoted.size() - 2));
    if (codePoints(quoted) <= MAX_VALUE)
        return quoted;
    std::size_t length = 0;
    for (std::size_t points = 0; length < quoted.size(); ++length) {
        const bool isFirstByte = (static_cast<unsigned char>(quoted[length]) & 0xC0U) != 0x80U;
        if (isFirstByte && ++points > MAX_VALUE)
            break;
    }
    return quoted.substr(0, length) + "...";
}

std::string shown(const JsonValue& value) {
    if (value.isNull())
        return "none";
    if (value.isNumber())
        return std::string(value.number());
    if (value.isBoolean())
        return value.boolean() ? "yes" : "no";
    if (value.isText())
        return cut(value.text());
    const JsonArray array = value.array();
    std::string text;
    for (const JsonValue element : array) {
        if (element.isObject() || element.isArray())
            return std::to_string(array.size()) + " entries";
        text += (text.empty() ? "" : " ") + shown(element);
    }
    return cut(text);
}

void collect(const JsonObject& object, const std::string& prefix, Values& values) {
    for (const auto& [name, value] : object) {
        const std::string path = prefix + std::string(name);
        if (value.isObject())
            collect(value.object(), path + ".", values);
        else
            values[cut(path)] = shown(value);
    }
}

Values valuesOf(std::string_view text) {
    Values values;
    if (text.empty())
        return values;
    try {
        collect(parseJsonObject(std::string(text)).object(), "", values);
    } catch (const ApiError&) {
        values.clear(); // written by a plugin, which may write what it likes
    }
    return values;
}

} // namespace

std::string describeChange(std::string_view before, std::string_view after) {
    const Values old = valuesOf(before);
    const Values now = valuesOf(after);
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
        if (!before.empty())
            text += (was == old.end() ? "none" : was->second) + " -> ";
        text += is == now.end() ? "none" : is->second;
    }
    return text;
}

} // namespace supplierd::host
