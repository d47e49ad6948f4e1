#pragma once

#include <supplierd/Abi.h>
#include <supplierd/AuditLog.h>
#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What became of one product.
struct SUPPLIERD_API ApprovalOutcome {
    std::int64_t productId = 0;
    std::int64_t supplierId = 0;
    std::string name;
    /// "pending", "approved" or "rejected".
    std::string statusBefore;
    std::optional<std::string> reasonBefore = std::nullopt;
    /// False when it was so before: nothing was written then.
    bool changed = false;
};

/// A service of the plugin `catalog`: the platform's side of products. Thread: any. Since 1.0.
class SUPPLIERD_API Catalogue {
public:
    static constexpr std::string_view ID = "supplierd.catalogue/1";
    static constexpr std::size_t MAX_BATCH = 200;

    /// Approves (no reason) or rejects (with one, of 1 to 1,000 characters) products, all or none; the outcomes are in
    /// the order of suppliers, then products, each once. Takes the locks of their suppliers' catalogues, so it must be
    /// the first to do so in the transaction, and writes the audit log. Everything else of those suppliers waits
    /// meanwhile: of many products make batches(), and a transaction for each. Throws ApiError (NotFound) naming those
    /// that do not exist.
    virtual std::vector<ApprovalOutcome> decide(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                                const std::optional<std::string>& rejectionReason,
                                                const AuditActor& actor) = 0;
    /// Writes the value of `product`, as its supplier reads it and with `supplier: { id, name }`. Writes nothing and
    /// returns false when there is none.
    virtual bool writeProduct(SqlSession& session, std::int64_t productId, JsonWriter& json) = 0;
    /// `{ products, pagination }` of every supplier, newest first, each product with `supplier: { id, name }` and
    /// `approval: { status, reason }`; query: `status`, `supplier_id`, `page`, `per_page`, `cursor`. Throws ApiError
    /// (Validation) with every problem of the query.
    virtual Response list(Request& request) = 0;
    /// The products, each once, in the order of suppliers, then products: at most MAX_BATCH of one supplier in each
    /// batch. Throws ApiError (NotFound) naming those that do not exist.
    virtual std::vector<std::vector<std::int64_t>> batches(SqlSession& session,
                                                           const std::vector<std::int64_t>& productIds) = 0;

protected:
    ~Catalogue() = default;
};

} // namespace supplierd
