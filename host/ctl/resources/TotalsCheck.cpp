#include "host/ctl/resources/TotalsCheck.h"

#include "host/ctl/resources/AuditFields.h"
#include "host/ctl/resources/IdArgument.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/ControlContext.h"

#include <fmt/format.h>

namespace supplierd::host {
namespace {

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

} // namespace

TotalsCheck::TotalsCheck(ControlContext& context) : _context(context) {
    if (context.offersService(ProductTotals::ID))
        _products = &context.service<ProductTotals>();
    if (context.offersService(OrderTotals::ID))
        _orders = &context.service<OrderTotals>();
}

TotalsReport TotalsCheck::run(const Options& options) {
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
        const auto ids = _context.database().read([&](SqlSession& session) { return idsAfter(session, last, only); });
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

std::vector<TotalsDifference> TotalsCheck::compare(SqlSession& session, std::int64_t supplierId) const {
    std::vector<TotalsDifference> differences;
    if (_products)
        differences = _products->compare(session, supplierId);
    if (_orders)
        for (auto& difference : _orders->compare(session, supplierId))
            differences.push_back(std::move(difference));
    return differences;
}

void TotalsCheck::repair(std::int64_t supplierId) {
    _context.database().withTransaction([&](Transaction& transaction) {
        transaction.change(supplierId); // from here on they stay as they are
        const auto differences = compare(transaction, supplierId);
        if (differences.empty())
            return;
        if (_products)
            _products->recount(transaction, supplierId);
        if (_orders)
            _orders->recount(transaction, supplierId);
        _context.record(transaction, {.action = "supplier.recount",
                                      .object = "supplier",
                                      .objectId = supplierId,
                                      .supplierId = supplierId,
                                      .before = fieldsOf(differences, &TotalsDifference::kept),
                                      .after = fieldsOf(differences, &TotalsDifference::counted)});
    });
}

} // namespace supplierd::host
