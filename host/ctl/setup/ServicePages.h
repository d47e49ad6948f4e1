#pragma once

#include "host/ctl/terminal/Listing.h"

#include <supplierd/Query.h>
#include <supplierd/Request.h>
#include <supplierd/Response.h>

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

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

/// Prints one page, `{ <items>, pagination }`, as a table and where the next one is, or as it is with --json. What the
/// service refuses is wrong usage.
void printPage(ControlContext& context, const PageOptions& options, const std::string& items,
               const std::vector<PageColumn>& columns, const std::string& whenEmpty,
               const std::function<Response(Request&)>& answer);

/// Prints `{ <name>: { … } }`: a line for each field, or as it is with --json.
void printItem(ControlContext& context, const std::string& json, const std::string& name);

} // namespace supplierd::host
