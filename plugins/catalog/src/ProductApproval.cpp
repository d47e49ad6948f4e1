#include "ProductApproval.h"

#include "ProductTerms.h"
#include "ProductUpdate.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ChangeLog.h>

#include <array>
#include <map>
#include <set>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_SUPPLIERS = R"(
SELECT STRAIGHT_JOIN t.id, p.supplier_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    LEFT JOIN products p FORCE INDEX (products_id) ON p.id = t.id AND p.deleted = 0)";

constexpr std::string_view SELECT_PRODUCTS = R"(
SELECT STRAIGHT_JOIN p.id, p.name, p.approval, p.approval_reason
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    JOIN products p FORCE INDEX (PRIMARY) ON p.supplier_id = ? AND p.deleted = 0 AND p.id = t.id
ORDER BY p.id)";

// Those that wait are few beside all products of a supplier. A supplier is a sandbox or is none: one of the two is
// empty.
constexpr std::string_view SELECT_WAITING = R"(
SELECT id FROM products FORCE INDEX (products_listed_by_approval)
WHERE is_of_sandbox IN (0, 1) AND deleted = 0 AND approval = 0 AND supplier_id = ? AND id > ? ORDER BY id LIMIT ?)";

constexpr ProductUpdate DECIDE{.update = R"(UPDATE JSON_TABLE(?, '$[*]' COLUMNS (product_id BIGINT PATH '$')) t
    STRAIGHT_JOIN products FORCE INDEX (PRIMARY) ON supplier_id = ? AND deleted = 0 AND id = t.product_id)",
                               .set = "approval = ?, approval_reason = ?, approval_at = NOW(6)",
                               .where = "TRUE"};

template <class Ids>
std::string jsonOf(const Ids& ids) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const std::int64_t id : ids)
        json.value(id);
    json.endArray();
    return text;
}

ApiError noSuchProducts(const std::string& ids) {
    return ApiError::notFound("Product not found: " + ids);
}

void add(std::string& list, std::int64_t id) {
    list += (list.empty() ? "" : ", ") + std::to_string(id);
}

void requireNone(const std::set<std::int64_t>& missing) {
    if (missing.empty())
        return;
    std::string names;
    for (const std::int64_t id : missing)
        add(names, id);
    throw noSuchProducts(names);
}

using Groups = std::map<std::int64_t, std::set<std::int64_t>>;

/// In ascending order of the suppliers' ids: the order in which their locks are taken. `missing` gets the others.
Groups groupBySupplier(SqlSession& session, std::span<const std::int64_t> productIds, std::set<std::int64_t>& missing) {
    const std::set<std::int64_t> wanted(productIds.begin(), productIds.end());
    const std::string ids = jsonOf(wanted);
    Groups groups;
    Rows& rows = session.query(SELECT_SUPPLIERS, {ids});
    while (rows.next()) {
        if (rows.isNull(1))
            missing.insert(rows.integer(0));
        else
            groups[rows.integer(1)].insert(rows.integer(0));
    }
    return groups;
}

std::string approvalJson(std::string_view status, const std::optional<std::string>& reason) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().key("approval").beginObject();
    json.field("status", status).field("reason", reason).endObject().endObject();
    return text;
}

// At the position of an Approval, by which it is made.
constexpr std::array<std::string_view, 3> ACTIONS{"submit", "approve", "reject"};
constexpr std::array<std::string_view, 3> CHANGES{ChangeKind::PRODUCT_UPDATED, ChangeKind::PRODUCT_APPROVED,
                                                  ChangeKind::PRODUCT_REJECTED};

/// Decides on products: a rejection has a reason. A number of statements for each supplier that does not depend on how
/// many products it is about.
class Decision {
public:
    Decision(Transaction& transaction, AuditLog& audit, const Actor& actor, Approval approval,
             const std::optional<std::string>& reason)
        : _transaction(transaction), _audit(audit), _actor(actor), _approval(approval), _reason(reason) {}

    /// Takes the locks of the suppliers' catalogs in ascending order. `missing` gets the products that do not exist.
    std::vector<ApprovalOutcome> make(std::span<const std::int64_t> productIds, std::set<std::int64_t>& missing) {
        std::vector<ApprovalOutcome> outcomes;
        for (const auto& [supplierId, ids] : groupBySupplier(_transaction, productIds, missing)) {
            Change& change = _transaction.change(supplierId);
            const std::vector<ApprovalOutcome> read = readProducts(supplierId, ids, missing);
            const std::vector<std::int64_t> changed = changedOf(read);
            if (!changed.empty()) {
                static const std::string SQL = DECIDE.sql();
                _transaction.execute(
                    SQL, {jsonOf(changed), supplierId, change.seq(), versionFloor(change.seq()), number(), _reason});
                change.note(CHANGES[number()], changed);
                record(read);
            }
            outcomes.insert(outcomes.end(), read.begin(), read.end());
        }
        return outcomes;
    }

private:
    static std::vector<std::int64_t> changedOf(const std::vector<ApprovalOutcome>& outcomes) {
        std::vector<std::int64_t> ids;
        for (const ApprovalOutcome& outcome : outcomes)
            if (outcome.isChanged)
                ids.push_back(outcome.productId);
        return ids;
    }

    std::vector<ApprovalOutcome> readProducts(std::int64_t supplierId, const std::set<std::int64_t>& ids,
                                              std::set<std::int64_t>& missing) {
        std::vector<ApprovalOutcome> outcomes;
        const std::string wanted = jsonOf(ids);
        Rows& rows = _transaction.query(SELECT_PRODUCTS, {wanted, supplierId});
        std::set<std::int64_t> deleted = ids; // between the look-up and the lock
        while (rows.next()) {
            outcomes.push_back(outcomeOf(rows, supplierId));
            deleted.erase(outcomes.back().productId);
        }
        missing.merge(deleted);
        return outcomes;
    }

    ApprovalOutcome outcomeOf(const Rows& row, std::int64_t supplierId) const {
        ApprovalOutcome outcome;
        outcome.productId = row.integer(0);
        outcome.supplierId = supplierId;
        outcome.name = row.text(1);
        outcome.statusBefore = termAt(APPROVALS, row.integer(2));
        outcome.reasonBefore = row.maybeText(3);
        outcome.isChanged = row.integer(2) != number() || outcome.reasonBefore != _reason;
        return outcome;
    }

    std::int64_t number() const { return static_cast<std::int64_t>(_approval); }

    void record(const std::vector<ApprovalOutcome>& outcomes) {
        const std::string after = approvalJson(termAt(APPROVALS, number()), _reason);
        std::vector<AuditEntry> entries;
        entries.reserve(outcomes.size());
        for (const ApprovalOutcome& outcome : outcomes) {
            if (!outcome.isChanged)
                continue;
            AuditEntry entry = auditEntry(_actor, "product", ACTIONS[number()], outcome.productId, outcome.supplierId);
            entry.before = approvalJson(outcome.statusBefore, outcome.reasonBefore);
            entry.after = after;
            entries.push_back(std::move(entry));
        }
        _audit.recordAll(_transaction, entries);
    }

    Transaction& _transaction;
    AuditLog& _audit;
    const Actor& _actor;
    Approval _approval;
    const std::optional<std::string>& _reason;
};

/// All or none.
std::vector<ApprovalOutcome> decideAll(Decision decision, std::span<const std::int64_t> productIds) {
    std::set<std::int64_t> missing;
    std::vector<ApprovalOutcome> outcomes = decision.make(productIds, missing);
    requireNone(missing);
    return outcomes;
}

std::optional<std::string> checkedReason(std::string_view reason) {
    const std::string_view text = trimmed(reason);
    Details details;
    if (text.empty())
        details.add("reason", "required", "reason is required");
    else if (!isValidUtf8(text))
        details.add("reason", "type", "reason must be valid UTF-8");
    else if (codePoints(text) > Products::MAX_REASON)
        details.add("reason", "too_long",
                    "reason must have at most " + std::to_string(Products::MAX_REASON) + " characters");
    details.throwIfAny();
    return std::string(text);
}

} // namespace

std::vector<ApprovalOutcome> approveProducts(Transaction& transaction, AuditLog& audit,
                                             std::span<const std::int64_t> productIds, const Actor& actor) {
    return decideAll({transaction, audit, actor, Approval::Approved, std::nullopt}, productIds);
}

std::vector<ApprovalOutcome> rejectProducts(Transaction& transaction, AuditLog& audit,
                                            std::span<const std::int64_t> productIds, std::string_view reason,
                                            const Actor& actor) {
    const auto text = checkedReason(reason);
    return decideAll({transaction, audit, actor, Approval::Rejected, text}, productIds);
}

void submitProduct(Transaction& transaction, AuditLog& audit, std::int64_t productId, const Actor& actor) {
    decideAll({transaction, audit, actor, Approval::Pending, std::nullopt}, std::span(&productId, 1));
}

std::int64_t decideOnProducts(Transaction& transaction, AuditLog& audit, std::span<const std::int64_t> productIds,
                              const std::optional<std::string>& rejectionReason, const Actor& actor,
                              std::set<std::int64_t>& missing) {
    const Approval approval = rejectionReason ? Approval::Rejected : Approval::Approved;
    Decision decision(transaction, audit, actor, approval, rejectionReason);
    return static_cast<std::int64_t>(decision.make(productIds, missing).size());
}

std::vector<std::int64_t> waitingProducts(SqlSession& session, std::int64_t supplierId, std::int64_t after) {
    std::vector<std::int64_t> ids;
    Rows& rows = session.query(SELECT_WAITING, {supplierId, after, static_cast<std::int64_t>(APPROVAL_BATCH)});
    while (rows.next())
        ids.push_back(rows.integer(0));
    return ids;
}

} // namespace supplierd::catalog
