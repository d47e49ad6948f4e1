#include "host/ctl/setup/ServicePages.h"

#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/TerminalText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace supplierd::host {
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
        context.hints() << fmt::format("page {} of {}, {} in all; the next one: --page {}\n", page, pages, total,
                                       page + 1);
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

} // namespace supplierd::host
