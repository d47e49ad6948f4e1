#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/resources/IdArgument.h"
#include "host/ctl/resources/TotalsCheck.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/InterruptFlag.h"
#include "host/ctl/terminal/ProgressBar.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

namespace supplierd::host {
namespace {

constexpr const char* TOTALS_FOOTER = R"(
Lists answer with totals that are kept beside the products and orders. This counts the rows and compares, one supplier
after the other, while the server runs. --repair keeps what was counted; it is written to the audit log.
Running it again is safe. Exit code 1 when something is wrong (with --repair: still wrong), or when it was interrupted.)";

/// Of `doctor`, which has to answer soon; `totals verify` takes the time that it takes.
constexpr std::chrono::seconds DOCTOR_TIME(10);
constexpr std::size_t DOCTOR_SHOWS = 10;

struct VerifyOptions {
    std::optional<std::int64_t> supplierId;
    bool repair = false;
};

std::string describe(const WrongTotal& wrong) {
    return fmt::format("supplier {}, {}: {} kept, {} counted", wrong.supplierId, wrong.difference.what,
                       wrong.difference.kept, wrong.difference.counted);
}

std::string describe(const TotalsReport& report) {
    auto text = fmt::format("{} of {} {} checked", report.checked, report.suppliers,
                            report.suppliers == 1 ? "supplier" : "suppliers");
    if (report.wrong.empty())
        return text + "; all totals are right";
    text += fmt::format("; {} {} wrong", report.wrong.size(), report.wrong.size() == 1 ? "total was" : "totals were");
    if (report.repaired > 0)
        text += fmt::format("; {} {} counted anew", report.repaired, report.repaired == 1 ? "supplier" : "suppliers");
    return text;
}

void printJson(ControlContext& context, const TotalsReport& report) {
    context.printJson([&](JsonWriter& json) {
        json.field("suppliers", report.suppliers).field("checked", report.checked).field("repaired", report.repaired);
        json.key("stop_reason");
        if (report.stopReason.empty())
            json.null();
        else
            json.value(report.stopReason);
        json.key("wrong").beginArray();
        for (const auto& wrong : report.wrong)
            json.beginObject()
                .field("supplier_id", wrong.supplierId)
                .field("what", wrong.difference.what)
                .field("kept", wrong.difference.kept)
                .field("counted", wrong.difference.counted)
                .endObject();
        json.endArray();
    });
}

void verify(ControlContext& context, const VerifyOptions& options) {
    TotalsCheck check(context);
    const InterruptFlag interrupt;
    TotalsReport report;
    {
        std::optional<ProgressBar> bar;
        report = check.run({options.supplierId, options.repair, [&](const TotalsReport& now) {
                                if (!bar)
                                    bar.emplace(context.hints(), context.isInteractive(),
                                                static_cast<std::size_t>(now.suppliers));
                                bar->show(static_cast<std::size_t>(now.checked), 0);
                                return std::string(interrupt.isRaised() ? "interrupted" : "");
                            }});
    }
    if (context.json)
        printJson(context, report);
    else {
        for (const auto& wrong : report.wrong)
            context.out() << describe(wrong) << "\n";
        context.out() << describe(report) << "\n";
        if (!report.stopReason.empty())
            context.hints() << "stopped: " << report.stopReason << "; run it again to see the rest\n";
    }
    if (!report.isGood())
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void checkTotals(ControlContext& context, Findings& findings) {
    TotalsCheck check(context);
    if (!check.isPossible())
        return;
    const auto end = std::chrono::steady_clock::now() + DOCTOR_TIME;
    const auto report = check.run({.stopReason = [&](const TotalsReport&) {
        return std::string(std::chrono::steady_clock::now() < end ? "" : "out of time");
    }});
    for (std::size_t i = 0; i < std::min(report.wrong.size(), DOCTOR_SHOWS); ++i)
        findings.push_back(
            {Finding::Level::Error, "totals", describe(report.wrong[i]), "supplierctl totals verify --repair"});
    if (!report.stopReason.empty() || report.wrong.size() > DOCTOR_SHOWS)
        findings.push_back(
            {Finding::Level::Warning, "totals", describe(report), "supplierctl totals verify tells all"});
    else if (report.wrong.empty())
        findings.push_back({Finding::Level::Good, "totals", describe(report)});
}

void addTotalsCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("totals", "Totals of products and orders: verify");
    group->require_subcommand(1);

    auto options = std::make_shared<VerifyOptions>();
    auto* command = group->add_subcommand("verify", "Look whether the totals of lists are those of the rows");
    command->footer(TOTALS_FOOTER);
    command->add_option("--supplier", options->supplierId, "Only those of this supplier")->check(idOf("supplier"));
    command->add_flag("--repair", options->repair, "Mend what is wrong");
    command->callback([&context, options] { verify(context, *options); });
}

} // namespace supplierd::host
