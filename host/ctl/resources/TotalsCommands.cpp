#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/InterruptFlag.h"
#include "host/ctl/terminal/ProgressBar.h"

#include <supplierd/services/OrderTotals.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

namespace {

struct WrongTotal {
    std::int64_t supplierId = 0;
    TotalsDifference difference;
};

struct TotalsReport {
    std::int64_t suppliers = 0; ///< that there are
    std::int64_t checked = 0;
    std::int64_t repaired = 0; ///< suppliers
    std::vector<WrongTotal> wrong;
    std::string stopReason; ///< empty when it got to the end

    bool isGood() const { return stopReason.empty() && (wrong.empty() || repaired > 0); }
};

constexpr std::int64_t PAGE = 1'000;

constexpr std::string_view COUNT_SUPPLIERS = R"sql(
SELECT COUNT(*) FROM suppliers WHERE ? = 0 OR id = ?
)sql";

constexpr std::string_view SELECT_IDS = R"sql(
SELECT id FROM suppliers WHERE id > ? AND (? = 0 OR id = ?) ORDER BY id LIMIT ?
)sql";

std::vector<std::int64_t> idsAfter(SqlSession& session, std::int64_t after, std::int64_t only) {
    std::vector<std::int64_t> ids;
    auto& rows = session.query(SELECT_IDS, {after, only, only, PAGE});
    while (rows.next())
        ids.push_back(rows.integer(0));
    return ids;
}

std::string fieldsOf(const std::vector<TotalsDifference>& differences, std::int64_t TotalsDifference::*number) {
    return auditFields([&](JsonWriter& json) {
        for (const auto& difference : differences)
            json.field(difference.what, difference.*number);
    });
}

/// Compares the totals of orders that are kept with their rows, one supplier after the other, while servers run.
/// Thread: one.
class TotalsCheck {
public:
    struct Options {
        std::optional<std::int64_t> supplierId = std::nullopt; ///< only this one
        bool repair = false;                                   ///< each in a transaction, with its audit entry
        /// Asked after each supplier: why it is to end here, empty to go on. May be null.
        std::function<std::string(const TotalsReport&)> stopReason = {};
    };

    /// Starts the plugin that keeps totals. Throws CommandFailure when it cannot start.
    explicit TotalsCheck(ControlContext& context) : _context(context) {
        if (context.offersService(OrderTotals::ID))
            _orders = &context.service<OrderTotals>();
    }

    /// Whether any plugin keeps totals here.
    bool isPossible() const { return _orders; }
    /// Throws DatabaseError, ApiError, and CommandFailure for a supplier that does not exist.
    TotalsReport run(const Options& options) {
        const auto only = options.supplierId.value_or(0);
        TotalsReport report;
        report.suppliers = _context.database().read([&](SqlSession& session) {
            auto& row = session.query(COUNT_SUPPLIERS, {only, only});
            return row.next() ? row.integer(0) : 0;
        });
        if (options.supplierId && report.suppliers == 0)
            throw noSuchSupplier(only);
        std::int64_t last = 0;
        while (report.stopReason.empty()) {
            const auto ids =
                _context.database().read([&](SqlSession& session) { return idsAfter(session, last, only); });
            if (ids.empty())
                return report;
            for (const auto id : ids) {
                auto differences = _context.database().read([&](SqlSession& session) { return compare(session, id); });
                if (!differences.empty() && options.repair) {
                    repair(id);
                    ++report.repaired;
                }
                for (auto& difference : differences)
                    report.wrong.push_back({id, std::move(difference)});
                ++report.checked;
                if (options.stopReason)
                    report.stopReason = options.stopReason(report);
                if (!report.stopReason.empty())
                    break;
            }
            last = ids.back();
        }
        if (report.checked >= report.suppliers)
            report.stopReason.clear(); // it came too late
        return report;
    }

private:
    std::vector<TotalsDifference> compare(SqlSession& session, std::int64_t supplierId) const {
        return _orders ? _orders->compare(session, supplierId) : std::vector<TotalsDifference>();
    }

    void repair(std::int64_t supplierId) {
        _context.database().withTransaction([&](Transaction& transaction) {
            transaction.change(supplierId); // from here on they stay as they are
            const auto differences = compare(transaction, supplierId);
            if (differences.empty())
                return;
            _orders->recount(transaction, supplierId);
            _context.record(transaction, {.action = "supplier.recount",
                                          .object = "supplier",
                                          .objectId = supplierId,
                                          .supplierId = supplierId,
                                          .before = fieldsOf(differences, &TotalsDifference::kept),
                                          .after = fieldsOf(differences, &TotalsDifference::counted)});
        });
    }

    ControlContext& _context;
    OrderTotals* _orders = nullptr;
};

constexpr const char* TOTALS_FOOTER = R"(
Lists of orders answer with totals that are kept beside the orders. This counts the rows and compares, one supplier
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
                                    bar.emplace(context.err(), context.isInteractive(),
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
            context.err() << "stopped: " << report.stopReason << "; run it again to see the rest\n";
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
    auto* group = program.add_subcommand("totals", "Totals of orders: verify");
    group->require_subcommand(1);

    auto options = std::make_shared<VerifyOptions>();
    auto* command = group->add_subcommand("verify", "Look whether the totals of lists are those of the rows");
    command->footer(TOTALS_FOOTER);
    command->add_option("--supplier", options->supplierId, "Only those of this supplier")->check(idOf("supplier"));
    command->add_flag("--repair", options->repair, "Mend what is wrong");
    command->callback([&context, options] { verify(context, *options); });
}

} // namespace supplierd::host
