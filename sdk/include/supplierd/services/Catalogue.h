#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/JsonBody.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/ImageIngest.h>

#include <cstddef>
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
    Reserved reserved = {};
};

/// How many products a supplier has, by `status`; deleted ones are not counted.
struct SUPPLIERD_API ProductCounts {
    std::int64_t pending = 0;
    std::int64_t active = 0;
    std::int64_t inactive = 0;
    Reserved reserved = {};
};

/// A product as the API shows it: `json` is the object that the API's reference calls Product, where it comes from a
/// list, or else ProductDetail. Read the members that you know, by their names: the plugin `catalog` may add some at
/// any time, and keeps what there is, as the API does. Since 1.0.
struct SUPPLIERD_API ProductRecord {
    std::int64_t id = 0;
    std::int64_t supplierId = 0;
    std::string supplierName = {};
    /// As its supplier sees it; from a list of operators with `approval` too.
    std::string json = {};
    Reserved reserved = {};

    JsonDocument read() const { return parseJson(json); }
};

/// What the API shows, as a value; to operators with `supplier: { id, name }`.
SUPPLIERD_API void writeJson(JsonWriter& json, const ProductRecord& product, Audience audience = Audience::Operator);
SUPPLIERD_API void writeJson(JsonWriter& json, const ProductImage& image);

/// A service of the plugin `catalog`: products: the operators' side, and for those who write them in a supplier's name
/// (imports). Thread: any. Since 1.0.
class SUPPLIERD_API Catalogue {
public:
    static constexpr std::string_view ID = "supplierd.catalogue/1";
    static constexpr std::size_t MAX_BATCH = 200;
    /// Characters of a reason.
    static constexpr std::size_t MAX_REASON = 1'000;

    /// Approves products, all or none; the outcomes are in the order of suppliers, then products, each once. Takes the
    /// locks of their suppliers' catalogues, so it must be the first to do so in the transaction, and writes the audit
    /// log. Everything else of those suppliers waits meanwhile: of many products make batches(), and a transaction for
    /// each. Throws ApiError (NotFound) naming those that do not exist.
    virtual std::vector<ApprovalOutcome> approve(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                                 const Actor& actor) = 0;
    /// As approve(), with a reason for the supplier. Throws ApiError (Validation) too, when it is empty or too long.
    virtual std::vector<ApprovalOutcome> reject(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                                std::string_view reason, const Actor& actor) = 0;
    /// The products, each once, in the order of suppliers, then products: at most MAX_BATCH of one supplier in each
    /// batch. Throws ApiError (NotFound) naming those that do not exist.
    virtual std::vector<std::vector<std::int64_t>> batches(SqlSession& session,
                                                           const std::vector<std::int64_t>& productIds) = 0;

    /// Products of every supplier, newest first; those of sandboxes when the query asks for them. `query`: that of `GET
    /// /api/v1/platform/products`; what it does not know is left out of account. Throws ApiError (Validation) with
    /// every problem of the query.
    virtual Listed<ProductRecord> list(Database& database, const QueryParameters& query) = 0;
    /// Nothing when there is no such product. To be called in a snapshot, or in a transaction that has changed it.
    virtual std::optional<ProductRecord> find(SqlSession& session, std::int64_t productId) = 0;
    /// Counts the rows: takes time in proportion to the supplier's products. All 0 for a supplier that does not exist.
    virtual ProductCounts count(SqlSession& session, std::int64_t supplierId) = 0;

    /// What POST /products does, with its rules and its `details`: `fields` are its body, without `image_url`
    /// (ImageIngest fetches images, outside of transactions). Takes the lock of the supplier's catalogue and writes the
    /// audit log. Throws ApiError (Validation) with every problem.
    virtual ProductRecord create(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                                 const Actor& actor) = 0;
    /// What POST /products/{id} does, likewise: fields that are not named stay as they are, none at all change nothing.
    /// Throws ApiError: NotFound, Validation with every problem.
    virtual ProductRecord change(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                                 const JsonObject& fields, const Actor& actor) = 0;
    /// What POST /products/{id}/delete does, likewise. Returns the files of its images: hand them to
    /// ImageIngest::removeFiles() once that has committed. Throws ApiError (NotFound).
    virtual std::vector<std::string> remove(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                                            const Actor& actor) = 0;

protected:
    ~Catalogue() = default;
};

} // namespace supplierd
