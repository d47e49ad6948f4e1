#pragma once

#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Listing.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/Query.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Takes whole numbers from 1; for anything else: "'x' is no supplier id".
CLI::Validator idOf(const std::string& what);

CommandFailure noSuchSupplier(std::int64_t id);

class ControlContext;

/// The options of a list that a service answers: each is a parameter of the query, checked by the service. Lifetime: as
/// long as the command that has them.
class PageOptions {
public:
    /// --page, --per-page and --cursor.
    static std::shared_ptr<PageOptions> addTo(CLI::App& command);
    /// A filter: `--created-from` is the parameter `created_from`, unless `parameter` says otherwise.
    CLI::Option* filter(CLI::App& command, const std::string& option, const std::string& help,
                        const std::string& parameter = {});

    /// Those that were given.
    QueryParameters query() const;

private:
    struct Entry {
        std::string parameter;
        std::string value;
    };

    std::vector<std::unique_ptr<Entry>> _entries;
};

/// A column of a page: where its value is in an item, "supplier.name", and its heading.
struct PageColumn {
    std::string path;
    std::string heading;
    Listing::Kind kind = Listing::Kind::Text;
};

/// What a service refuses, as wrong usage.
CommandFailure describeRefusal(const ApiError& error);

/// Prints `{ <items>, pagination }` as a table and where the next page is, or as it is with --json.
void printPageText(ControlContext& context, const std::string& text, const std::string& items,
                   const std::vector<PageColumn>& columns, const std::string& whenEmpty);

/// Prints one page of what a service lists. What the service refuses is wrong usage.
template <class List>
void printPage(ControlContext& context, const PageOptions& options, const std::string& items,
               const std::vector<PageColumn>& columns, const std::string& whenEmpty, const List& list) {
    std::string text;
    try {
        const auto page = list(options.query());
        JsonWriter json(text);
        json.beginObject();
        writeList(json, items, page);
        json.endObject();
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::Validation)
            throw;
        throw describeRefusal(error);
    }
    printPageText(context, text, items, columns, whenEmpty);
}

/// Prints `{ <name>: { … } }`: a line for each field, or as it is with --json.
void printItemText(ControlContext& context, const std::string& name, const std::string& json);

template <class Item>
void printItem(ControlContext& context, const std::string& name, const Item& item) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().key(name);
    writeJson(json, item);
    json.endObject();
    printItemText(context, name, text);
}

/// `{ … }` for AuditEntry::before and after; `write` writes what stands between the braces.
template <class Write>
std::string auditFields(const Write& write) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    write(json);
    json.endObject();
    return text;
}

/// What changed between two JSON objects, for people: "status: verified -> suspended"; without a before what there is
/// now: "name: Bloom BV, status: verified". Long values are cut. Text that is no JSON object gives "".
std::string describeChange(std::string_view before, std::string_view after);

} // namespace supplierd::host
