#include "TotalsJob.h"

#include "OrderStatus.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>

namespace supplierd::orders {

namespace {

constexpr std::string_view COMPARE = R"(
SELECT t.status, CAST(SUM(t.kept) AS SIGNED), CAST(SUM(t.counted) AS SIGNED)
FROM (
    SELECT n.status, CASE n.status WHEN 0 THEN k.pending WHEN 1 THEN k.confirmed WHEN 2 THEN k.processing
        WHEN 3 THEN k.shipped WHEN 4 THEN k.delivered WHEN 5 THEN k.completed ELSE k.cancelled END AS kept, 0 AS counted
    FROM order_totals k
    JOIN (SELECT 0 AS status UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
          UNION ALL SELECT 5 UNION ALL SELECT 6) n
    WHERE k.supplier_id = ?
    UNION ALL
    SELECT status, 0, COUNT(*) FROM order_groups FORCE INDEX (order_groups_status) WHERE supplier_id = ? GROUP BY status
) t
GROUP BY t.status
HAVING SUM(t.kept) <> SUM(t.counted)
ORDER BY t.status)";

constexpr std::string_view RECOUNT = R"(
REPLACE INTO order_totals (supplier_id, pending, confirmed, processing, shipped, delivered, completed, cancelled)
SELECT ?, COALESCE(SUM(status = 0), 0), COALESCE(SUM(status = 1), 0), COALESCE(SUM(status = 2), 0),
    COALESCE(SUM(status = 3), 0), COALESCE(SUM(status = 4), 0), COALESCE(SUM(status = 5), 0),
    COALESCE(SUM(status = 6), 0)
FROM order_groups FORCE INDEX (order_groups_status) WHERE supplier_id = ?)";

constexpr std::string_view NEXT_SUPPLIER = R"(
SELECT MIN(id)
FROM (
    SELECT MIN(supplier_id) AS id FROM order_totals WHERE supplier_id > ?
    UNION ALL
    SELECT MIN(supplier_id) FROM order_groups FORCE INDEX (order_groups_status) WHERE supplier_id > ?
) n)";

constexpr std::string_view COUNT_SUPPLIERS = "SELECT COUNT(*) FROM order_totals";

/// A check has five seconds.
constexpr std::chrono::seconds CHECK_TIME{3};
/// Of those that the output names; all are counted.
constexpr std::size_t MAX_SHOWN = 100;

std::vector<TotalsDifference> differencesOf(SqlSession& session, std::int64_t supplierId) {
    std::vector<TotalsDifference> differences;
    Rows& rows = session.query(COMPARE, {supplierId, supplierId});
    while (rows.next())
        differences.push_back({supplierId,
                               "orders " + std::string(STATUS_NAMES.at(static_cast<std::size_t>(rows.integer(0)))),
                               rows.integer(1), rows.integer(2)});
    return differences;
}

std::string fieldsOf(const std::vector<TotalsDifference>& differences, std::int64_t TotalsDifference::*number) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    for (const auto& difference : differences)
        json.field(difference.what, difference.*number);
    json.endObject();
    return text;
}

std::string describe(const TotalsDifference& wrong) {
    return "supplier " + std::to_string(wrong.supplierId) + ", " + wrong.what + ": " + std::to_string(wrong.kept) +
           " kept, " + std::to_string(wrong.counted) + " counted";
}

std::string counted(std::size_t number, const char* one, const char* many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

} // namespace

std::string TotalsJob::Report::summary() const {
    auto text = counted(static_cast<std::size_t>(checked), "supplier", "suppliers") + " with orders checked; ";
    if (wrong.empty())
        return text + "all totals are right";
    text += counted(wrong.size(), "total was wrong", "totals were wrong");
    if (repaired > 0)
        text += "; those of " + counted(static_cast<std::size_t>(repaired), "supplier", "suppliers") +
                " were counted again";
    return text;
}

Response TotalsJob::request(Request& request) {
    Details details;
    ObjectReader body(request.body(), details);
    const auto supplier = body.integer("supplier_id", {.min = 1});
    const bool repair = body.boolean("repair").valueOr(false);
    details.throwIfAny();
    if (supplier.hasValue() && !request.database().read([&](SqlSession& session) {
            return _accounts.findSupplier(session, *supplier.value).has_value();
        }))
        throw ApiError::notFound("There is no supplier " + std::to_string(*supplier.value));
    std::string input;
    JsonWriter(input).beginObject().field("supplier_id", supplier.value).field("repair", repair).endObject();
    return requestJob(request, _jobs, SUPPLIERD_PLUGIN_ID, "totals", input);
}

void TotalsJob::run(JobRun& run) {
    const auto input = parseJson(run.input());
    const auto repairs = input.get("repair");
    const bool repair = repairs.isBoolean() && repairs.boolean();
    const auto only = input.get("supplier_id");
    const std::int64_t total = only.isInteger() ? 1 : countSuppliers();
    Report report;
    const auto examine = [&](std::int64_t id) {
        run.throwIfStopped();
        const auto before = report.wrong.size();
        compare(id, report);
        if (repair && report.wrong.size() > before) {
            recount(run, id);
            ++report.repaired;
        }
        run.progress(report.checked, std::max(total, report.checked), "suppliers");
    };
    if (only.isInteger())
        examine(only.integer());
    else
        for (auto id = nextSupplier(0); id; id = nextSupplier(*id))
            examine(*id);
    const auto summary = report.summary();
    run.report(summary);
    std::string output;
    JsonWriter json(output);
    json.beginObject().field("good", report.wrong.empty() || repair);
    json.field("checked", report.checked).field("repaired", report.repaired);
    json.field("wrong_totals", report.wrong.size()).key("wrong").beginArray();
    for (std::size_t i = 0; i < std::min(report.wrong.size(), MAX_SHOWN); ++i)
        json.beginObject()
            .field("supplier_id", report.wrong[i].supplierId)
            .field("what", report.wrong[i].what)
            .field("kept", report.wrong[i].kept)
            .field("counted", report.wrong[i].counted)
            .endObject();
    json.endArray().field("summary", summary).endObject();
    run.output(output);
}

CheckResult TotalsJob::check() {
    const auto end = std::chrono::steady_clock::now() + CHECK_TIME;
    Report report;
    auto id = nextSupplier(0);
    for (; id && std::chrono::steady_clock::now() < end; id = nextSupplier(*id))
        compare(*id, report);
    if (!report.wrong.empty())
        return {CheckResult::Level::Error, report.summary() + ", such as " + describe(report.wrong.front()),
                "supplierctl totals verify --repair"};
    if (id)
        return {CheckResult::Level::Warning, report.summary() + " so far; there was no time for more",
                "supplierctl totals verify compares all"};
    return {CheckResult::Level::Good, report.summary(), ""};
}

std::optional<std::int64_t> TotalsJob::nextSupplier(std::int64_t after) {
    return _database.read([&](SqlSession& session) {
        Rows& row = session.query(NEXT_SUPPLIER, {after, after});
        return row.next() ? row.maybeInteger(0) : std::nullopt;
    });
}

std::int64_t TotalsJob::countSuppliers() {
    return _database.read([](SqlSession& session) {
        Rows& row = session.query(COUNT_SUPPLIERS);
        return row.next() ? row.integer(0) : std::int64_t{0};
    });
}

/// In one statement with the rows, so that writers cause no difference.
void TotalsJob::compare(std::int64_t supplierId, Report& report) {
    auto differences = _database.read([&](SqlSession& session) { return differencesOf(session, supplierId); });
    std::move(differences.begin(), differences.end(), std::back_inserter(report.wrong));
    ++report.checked;
}

void TotalsJob::recount(JobRun& run, std::int64_t supplierId) {
    run.withTransaction([&](Transaction& transaction) {
        transaction.change(supplierId); // from here on they stay as they are
        const auto differences = differencesOf(transaction, supplierId);
        if (differences.empty())
            return;
        transaction.execute(RECOUNT, {supplierId, supplierId});
        const Actor actor{run.requestedBy().empty() ? "supplierd" : run.requestedBy(), "", Actor::Kind::Operator};
        auto entry = auditEntry(actor, "supplier", "recount", supplierId, supplierId);
        entry.before = fieldsOf(differences, &TotalsDifference::kept);
        entry.after = fieldsOf(differences, &TotalsDifference::counted);
        _audit.record(transaction, entry);
    });
}

} // namespace supplierd::orders
