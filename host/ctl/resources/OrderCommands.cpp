#include "host/ctl/resources/OrderImport.h"
#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/InterruptFlag.h"
#include "host/ctl/terminal/ProgressBar.h"
#include "host/ctl/terminal/Terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

constexpr const char* IMPORT_FOOTER = R"(
FILE holds JSON: one order, an array of orders, or {"orders": [...]}; - is standard input. An order is the body of
POST /api/v1/platform/orders: order_number, currency, customer, items. Each is taken in whole or not at all, in the
order of the file. Running it again is safe: an order that is there already is recognised by its order_number.
Exit code 1 when any order failed or was not tried.)";

struct ImportOptions {
    std::string file;
    bool stopOnError = false;
};

/// A message that names its field already is not told the field twice.
std::string describe(const Detail& detail) {
    if (detail.field.empty() || detail.message.find(detail.field) != std::string::npos)
        return detail.message;
    return detail.field + ": " + detail.message;
}

std::string describe(const ImportFailure& failure) {
    std::string text = fmt::format("order {}", failure.position);
    if (!failure.orderNumber.empty()) {
        text += ' ';
        appendJsonString(text, failure.orderNumber);
    }
    text += " failed: ";
    if (failure.details.empty())
        return terminalText(text + failure.message) + "\n";
    for (std::size_t i = 0; i < failure.details.size(); ++i)
        text += (i == 0 ? "" : "    ") + describe(failure.details[i]) + "\n";
    return terminalLines(text);
}

std::string describe(const ImportOutcome& outcome) {
    if (outcome.total == 0)
        return "there are no orders in it";
    std::string text =
        fmt::format("{} of {} {} taken in", outcome.created, outcome.total, outcome.total == 1 ? "order" : "orders");
    if (outcome.existing > 0)
        text += fmt::format(", {} there already", outcome.existing);
    if (!outcome.failures.empty())
        text += fmt::format(", {} failed", outcome.failures.size());
    if (outcome.notTried() > 0)
        text += fmt::format(", {} not tried", outcome.notTried());
    return text;
}

void printJson(ControlContext& context, const ImportOutcome& outcome) {
    context.printJson([&](JsonWriter& json) {
        json.field("total", outcome.total).field("created", outcome.created).field("existing", outcome.existing);
        json.field("failed", outcome.failures.size()).field("not_tried", outcome.notTried()).key("stop_reason");
        if (outcome.stopReason.empty())
            json.null();
        else
            json.value(outcome.stopReason);
        json.key("failures").beginArray();
        for (const auto& failure : outcome.failures) {
            json.beginObject().field("position", failure.position).key("order_number");
            if (failure.orderNumber.empty())
                json.null();
            else
                json.value(failure.orderNumber);
            json.field("message", failure.message).key("details").beginArray();
            for (const auto& detail : failure.details)
                json.beginObject()
                    .field("field", detail.field)
                    .field("code", detail.code)
                    .field("message", detail.message)
                    .endObject();
            json.endArray().endObject();
        }
        json.endArray();
    });
}

void print(ControlContext& context, const ImportOutcome& outcome) {
    if (context.json) {
        printJson(context, outcome);
        return;
    }
    for (const auto& failure : outcome.failures)
        context.out() << describe(failure);
    context.out() << describe(outcome) << "\n";
    if (!outcome.stopReason.empty())
        context.err() << "stopped: " << outcome.stopReason << "; run it again to go on\n";
}

ImportOutcome placeAll(ControlContext& context, const OrderFile& orders, bool stopOnError) {
    const InterruptFlag interrupt;
    ProgressBar bar(context.err(), context.isInteractive(), orders.size());
    const auto stopReason = [&](const ImportOutcome& outcome) -> std::string {
        if (interrupt.isRaised())
            return "interrupted";
        return stopOnError && !outcome.failures.empty() ? "an order failed" : "";
    };
    const auto afterEach = [&](const ImportOutcome& outcome) { bar.show(outcome.done(), outcome.failures.size()); };
    OrderImport import(context.database(), context.service<OrderBook>(), context.actor());
    return import.run(orders, {afterEach, stopReason});
}

void importOrders(ControlContext& context, const ImportOptions& options) {
    const auto name = options.file == "-" ? std::string("standard input") : options.file;
    const OrderFile orders(readInput(options.file), name);
    context.service<OrderBook>(); // what is missing for it is told before the bar appears
    const auto outcome = placeAll(context, orders, options.stopOnError);
    print(context, outcome);
    if (!outcome.isComplete())
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

/// Each by itself: one that cannot be completed does not keep the others from it.
void completeOrders(ControlContext& context, const std::vector<std::int64_t>& ids) {
    Listing listing({{"id", "ORDER", Listing::Kind::Integer},
                     {"completed", "COMPLETED", Listing::Kind::Boolean},
                     {"problem", "PROBLEM"}});
    auto& book = context.service<OrderBook>();
    bool allCompleted = true;
    for (const auto id : ids) {
        std::optional<std::string> problem;
        try {
            context.database().withTransaction(
                [&](Transaction& transaction) { book.complete(transaction, id, context.actor()); });
        } catch (const ApiError& error) {
            if (error.kind() != ErrorKind::NotFound && error.kind() != ErrorKind::Validation)
                throw;
            problem = error.message();
            allCompleted = false;
        }
        listing.add({std::to_string(id), problem ? "false" : "true", problem});
    }
    context.printListing("orders", listing, "");
    if (!allCompleted)
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

void showOrder(ControlContext& context, std::int64_t id) {
    const auto order = context.database().snapshot(
        [&](SqlSession& snapshot) { return context.service<OrderBook>().find(snapshot, id); });
    if (!order)
        throw CommandFailure(fmt::format("there is no order group {}; see `supplierctl order list`", id));
    printItem(context, "order", *order);
}

void addOrderList(CLI::App& group, ControlContext& context) {
    auto* list = group.add_subcommand("list", "List suppliers' orders (order groups), newest first");
    auto options = PageOptions::addTo(*list);
    options->filter(*list, "--sandbox", "true: also those of sandboxes")->check(CLI::IsMember({"true", "false"}));
    options->filter(*list, "--supplier", "Only of the supplier with this id", "supplier_id");
    options->filter(*list, "--status", "Only in this state")
        ->check(
            CLI::IsMember({"pending", "confirmed", "processing", "shipped", "delivered", "completed", "cancelled"}));
    options->filter(*list, "--created-from", "Only taken in from then on: 2026-11-20T00:00:00Z");
    options->filter(*list, "--created-to", "Only taken in until then");
    options->filter(*list, "--updated-since", "Only changed from then on");
    list->callback([&context, options] {
        printPage(context, *options, "orders",
                  {{"id", "ID", Listing::Kind::Integer},
                   {"order_number", "NUMBER"},
                   {"supplier.name", "SUPPLIER"},
                   {"customer_name", "CUSTOMER"},
                   {"status", "STATUS"},
                   {"items_count", "ITEMS", Listing::Kind::Integer},
                   {"total", "TOTAL", Listing::Kind::Integer},
                   {"currency", "CURRENCY"},
                   {"created_at", "TAKEN IN"}},
                  "There are no such orders.", [&](const QueryParameters& query) {
                      return context.service<OrderBook>().list(context.database(), query);
                  });
    });
}

} // namespace

void addOrderCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("order", "Orders: import, complete, list, show");
    group->require_subcommand(1);

    auto options = std::make_shared<ImportOptions>();
    auto* importCommand = group->add_subcommand("import", "Take orders in, and take their quantities from stock");
    importCommand->footer(IMPORT_FOOTER);
    importCommand->add_option("FILE", options->file, "JSON; - is standard input")->required();
    importCommand->add_flag("--stop-on-error", options->stopOnError, "Try no further order after one that failed");
    importCommand->callback([&context, options] { importOrders(context, *options); });

    auto ids = std::make_shared<std::vector<std::int64_t>>();
    auto* complete = group->add_subcommand("complete", "Set delivered orders to completed");
    complete->add_option("ID", *ids, "Ids of suppliers' orders (order groups); each is completed by itself")
        ->required()
        ->check(idOf("order"));
    complete->callback([&context, ids] { completeOrders(context, *ids); });

    addOrderList(*group, context);

    auto shown = std::make_shared<std::int64_t>(0);
    auto* show = group->add_subcommand("show", "Show a supplier's order with its items and its history");
    show->add_option("ID", *shown, "The id of the order group")->required()->check(idOf("order"));
    show->callback([&context, shown] { showOrder(context, *shown); });
}

} // namespace supplierd::host
