#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/ProgressBar.h"

#include <supplierd/Errors.h>
#include <supplierd/services/Catalogue.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

void printOutcomes(ControlContext& context, const std::vector<ApprovalOutcome>& outcomes, std::string_view verdict) {
    if (!context.json) {
        const auto changed = std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.changed; });
        context.out() << fmt::format("{} of {} products {}", changed, outcomes.size(), verdict);
        if (static_cast<std::size_t>(changed) < outcomes.size())
            context.out() << "; the others were so before";
        context.out() << "\n";
        return;
    }
    Listing listing({{"id", "ID", Listing::Kind::Integer},
                     {"supplier_id", "SUPPLIER", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"approval", "APPROVAL"},
                     {"changed", "CHANGED", Listing::Kind::Boolean}});
    for (const auto& outcome : outcomes)
        listing.add({std::to_string(outcome.productId), std::to_string(outcome.supplierId), outcome.name,
                     std::string(verdict), outcome.changed ? "true" : "false"});
    context.printListing("products", listing, "");
}

std::string howMany(std::size_t products) {
    return fmt::format("{} {}", products, products == 1 ? "product was" : "products were");
}

/// In batches, so that the suppliers' own requests go on in between. No reason approves.
std::vector<ApprovalOutcome> decideInBatches(ControlContext& context, const std::vector<std::int64_t>& ids,
                                             const std::optional<std::string>& reason, std::string_view verdict) {
    auto& catalogue = context.service<Catalogue>();
    std::vector<ApprovalOutcome> outcomes;
    try {
        const auto batches =
            context.database().read([&](SqlSession& session) { return catalogue.batches(session, ids); });
        ProgressBar progress(context.err(), context.isInteractive() && batches.size() > 1, ids.size(), "products");
        for (const auto& batch : batches) {
            std::vector<ApprovalOutcome> decided;
            context.database().withTransaction([&](Transaction& transaction) {
                decided = reason ? catalogue.reject(transaction, batch, *reason, context.actor())
                                 : catalogue.approve(transaction, batch, context.actor());
            });
            outcomes.insert(outcomes.end(), decided.begin(), decided.end());
            progress.show(outcomes.size(), 0);
        }
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::Validation)
            throw describeRefusal(error);
        if (error.kind() != ErrorKind::NotFound)
            throw;
        // Before the first batch all were there; what was deleted since stops the rest.
        throw CommandFailure(error.message() + (outcomes.empty()
                                                    ? std::string("; nothing was changed")
                                                    : fmt::format("; {} {} before, run this again for the rest",
                                                                  howMany(outcomes.size()), verdict)));
    }
    return outcomes;
}

void decide(ControlContext& context, const std::vector<std::int64_t>& ids, const std::optional<std::string>& reason) {
    const std::string_view verdict = reason ? "rejected" : "approved";
    printOutcomes(context, decideInBatches(context, ids, reason, verdict), verdict);
}

void showProduct(ControlContext& context, std::int64_t id) {
    auto& catalogue = context.service<Catalogue>();
    const auto product = context.database().snapshot([&](SqlSession& session) { return catalogue.find(session, id); });
    if (!product)
        throw CommandFailure(fmt::format("there is no product {}; see `supplierctl product list`", id));
    printItem(context, "product", *product);
}

void addProductList(CLI::App& group, ControlContext& context) {
    auto* list = group.add_subcommand(
        "list", "List suppliers' products, newest first; those that wait for approval oldest first");
    auto options = PageOptions::addTo(*list);
    options->filter(*list, "--sandbox", "true: also those of sandboxes")->check(CLI::IsMember({"true", "false"}));
    options->filter(*list, "--supplier", "Only of the supplier with this id", "supplier_id");
    options->filter(*list, "--status", "Only in this state; pending ones wait for approval, or were rejected")
        ->check(CLI::IsMember({"pending", "active", "inactive"}));
    options->filter(*list, "--approval", "Only those that wait (pending), were rejected, or were approved")
        ->check(CLI::IsMember({"pending", "rejected", "approved"}));
    options->filter(*list, "--sort", "id: oldest first; -id: newest first")->check(CLI::IsMember({"id", "-id"}));
    list->callback([&context, options] {
        printPage(context, *options, "products",
                  {{"id", "ID", Listing::Kind::Integer},
                   {"supplier.name", "SUPPLIER"},
                   {"sku", "SKU"},
                   {"name", "NAME"},
                   {"base_price", "PRICE", Listing::Kind::Integer},
                   {"stock_qty", "STOCK", Listing::Kind::Integer},
                   {"status", "STATUS"},
                   {"approval.status", "APPROVAL"},
                   {"approval.reason", "REASON"}},
                  "There are no such products.", [&](const QueryParameters& query) {
                      return context.service<Catalogue>().list(context.database(), query);
                  });
    });
}

} // namespace

void addProductCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("product", "Products: approve, reject, list, show");
    group->require_subcommand(1);

    auto ids = std::make_shared<std::vector<std::int64_t>>();
    auto* approveCommand = group->add_subcommand("approve", "Let products appear in the catalogue");
    approveCommand->add_option("ID", *ids, "Ids of products; none is approved if one does not exist")
        ->required()
        ->check(idOf("product"));
    approveCommand->callback([&context, ids] { decide(context, *ids, std::nullopt); });

    auto rejected = std::make_shared<std::vector<std::int64_t>>();
    auto reason = std::make_shared<std::string>();
    auto* rejectCommand = group->add_subcommand("reject", "Refuse products, with a reason for the supplier");
    rejectCommand->add_option("ID", *rejected, "Ids of products; none is rejected if one does not exist")
        ->required()
        ->check(idOf("product"));
    rejectCommand->add_option("--reason", *reason, "Why; the supplier reads it")->required();
    rejectCommand->callback([&context, rejected, reason] { decide(context, *rejected, *reason); });

    addProductList(*group, context);

    auto shown = std::make_shared<std::int64_t>(0);
    auto* show = group->add_subcommand("show", "Show a product as its supplier sees it");
    show->add_option("ID", *shown, "The product's id")->required()->check(idOf("product"));
    show->callback([&context, shown] { showProduct(context, *shown); });
}

} // namespace supplierd::host
