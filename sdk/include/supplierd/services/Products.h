#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/Json.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/ProductOffer.h>
#include <supplierd/services/ProductRecord.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd {

/// How many products a supplier has, by `status`; deleted ones are not counted.
struct SUPPLIERD_API ProductCounts {
    std::int64_t pending = 0;
    std::int64_t active = 0;
    std::int64_t inactive = 0;
    Reserved reserved = {};
};

/// What became of one product that was approved or rejected.
struct SUPPLIERD_API ApprovalOutcome {
    std::int64_t productId = 0;
    std::int64_t supplierId = 0;
    std::string name;
    /// "pending", "approved" or "rejected".
    std::string statusBefore;
    std::optional<std::string> reasonBefore = std::nullopt;
    /// False when it was so before: nothing was written then.
    bool isChanged = false;
    Reserved reserved = {};
};

/// What became of one product of a batch, or of one variant, or would become of it.
struct SUPPLIERD_API BatchedProduct {
    enum class Outcome { Created, Updated, Unchanged, Failed };

    Outcome outcome = Outcome::Failed;
    /// 0 of one that failed before it was found, and of one that would be created. Of a variant its product.
    std::int64_t productId = 0;
    /// Why it failed.
    std::vector<Detail> details = {};
    /// Of a dry run: the name of its product as it is; "" where there is none.
    std::string name = {};
    /// Of a dry run that would write it: the fields that would become different, as in AuditEntry; those of a variant
    /// within `variant`.
    std::string before = {};
    std::string after = {};
    Reserved reserved = {};
};

/// A service of the plugin `catalog`: every supplier's products. What it says within a transaction stays true while the
/// suppliers' catalogs are locked. Thread: any. Throws DatabaseError. Since 1.0.
class SUPPLIERD_API Products {
public:
    static constexpr std::string_view ID = "supplierd.products/1";
    /// Of upsert(), upsertVariants() and their dry runs.
    static constexpr std::size_t MAX_BATCH = 500;
    /// Characters of a reason.
    static constexpr std::size_t MAX_REASON = 1'000;

    /// Products of every supplier, newest first; those of sandboxes when the query asks for them. `query`: that of `GET
    /// /api/v1/platform/products`; what it does not know is left out of account. Throws ApiError (Validation) with
    /// every problem of the query.
    virtual Listed<ProductRecord> list(Database& database, const QueryParameters& query) = 0;
    /// Nothing when there is no such product. To be called in a snapshot, or in a transaction that has changed it.
    virtual std::optional<ProductRecord> find(SqlSession& session, std::int64_t productId) = 0;
    /// Counts the rows: takes time in proportion to the supplier's products. All 0 for a supplier that does not exist.
    virtual ProductCounts count(SqlSession& session, std::int64_t supplierId) = 0;
    /// All products of a supplier's list. `rawQuery`: that of GET /products, its filters and its `sort`; what it does
    /// not know is left out of account. Each product that the list has now comes once. Takes 8 bytes of memory a
    /// product. Throws ApiError: Validation with every problem of the query, among them `page`, `per_page`, `cursor`,
    /// `changed_after` and `include_deleted` (`unsupported`); Unavailable when the products are not in memory yet.
    virtual std::unique_ptr<ProductWalk> walk(Database& database, std::int64_t supplierId,
                                              std::string_view rawQuery) = 0;

    /// One for each, in their order; of whatever suppliers. One statement.
    virtual std::vector<ProductOffer> offers(SqlSession& session, std::span<const ProductRef> products) = 0;
    /// The live products and variants of a supplier that have these SKUs (skuKey() says which are the same), in their
    /// order. One statement.
    virtual std::vector<std::optional<ProductRef>> bySku(SqlSession& session, std::int64_t supplierId,
                                                         std::span<const std::string> skus) = 0;
    /// A live product of this supplier, whatever its state; nothing when it has none of that id.
    std::optional<ProductOffer> offer(SqlSession& session, std::int64_t supplierId, std::int64_t productId) {
        const ProductRef wanted{productId};
        ProductOffer found = offers(session, {&wanted, 1}).front();
        return found.hasProduct && found.supplierId == supplierId ? std::optional(std::move(found)) : std::nullopt;
    }
    /// The same; throws ApiError (NotFound) when there is none.
    ProductOffer require(SqlSession& session, std::int64_t supplierId, std::int64_t productId) {
        if (auto found = offer(session, supplierId, productId))
            return *std::move(found);
        throw ApiError::notFound("Product not found");
    }

    /// Creates products, and changes those that there are. Each has the fields of the body of POST /products, and names
    /// its product by `sku`, or, where that is absent or null, by `id`. Refused is one with both, where the `id` is
    /// that of a product of the supplier's with another SKU or none (`unsupported`, of `sku`); an `id` that is no
    /// product's says nothing beside a `sku`. One that there is becomes what POST /products/{id} would make of it:
    /// fields that are not named stay as they are, and so does its SKU; one that would be the same afterwards is left
    /// alone. One that there is not is created, if it has a `sku`, also inactive
    /// (`is_active`). `variants` (see upsertVariants()) and `image_url` are refused, and so is a product that is named
    /// for the second time. Each stands for itself: those that fail do not keep others from being written. What is
    /// written has the rules and the details of the API, is in the audit log, and takes the lock of the supplier's
    /// catalog; nothing does when nothing changes. The results are in the order of the products. However many these
    /// are, it takes a constant number of statements. Throws std::length_error beyond MAX_BATCH.
    virtual std::vector<BatchedProduct> upsert(Transaction& transaction, std::int64_t supplierId,
                                               std::span<const JsonObject> products, const Actor& actor) = 0;
    /// What upsert() would do as things are; changes nothing.
    virtual std::vector<BatchedProduct> dryRun(SqlSession& session, std::int64_t supplierId,
                                               std::span<const JsonObject> products) = 0;
    /// Creates variants of products, and changes those that there are. Each names its product by `sku` or `id` as for
    /// upsert(), and has `variant`: an entry of `variants` of POST /products/{id}, which names its variant by `sku`,
    /// or, where that is absent or null, by `id`, or, where that is too, by `name`; a SKU that is not that of the
    /// variant with the `id` is refused likewise. One that there is becomes what POST /products/{id} would make of it,
    /// and keeps its SKU; one that would be the same afterwards is left alone. One that there is not is created, unless
    /// an `id` names it. What is written is a change of the product in every respect. Each stands for itself, as for
    /// upsert(); details are about fields like "variant.name". A few statements for all of them, and some more for each
    /// product of which any is written. Throws std::length_error beyond MAX_BATCH.
    virtual std::vector<BatchedProduct> upsertVariants(Transaction& transaction, std::int64_t supplierId,
                                                       std::span<const JsonObject> variants, const Actor& actor) = 0;
    /// What upsertVariants() would do as things are; changes nothing. Where an entry has a true `is_new_product`, and
    /// there is no such product, it is looked at as if that were about to be created.
    virtual std::vector<BatchedProduct> dryRunVariants(SqlSession& session, std::int64_t supplierId,
                                                       std::span<const JsonObject> variants) = 0;
    /// What POST /products/{id}/delete does, with the lock of the supplier's catalog and the audit log. The files of
    /// its images go once that is committed. Throws ApiError (NotFound).
    virtual void remove(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                        const Actor& actor) = 0;

    /// Approves products, all or none; the outcomes are in the order of suppliers, then products, each once. Takes the
    /// locks of their suppliers' catalogs, so it must be the first to do so in the transaction, and writes the audit
    /// log. Everything else of those suppliers waits meanwhile: of more than some 200 products make several
    /// transactions. Throws ApiError (NotFound) naming those that do not exist.
    virtual std::vector<ApprovalOutcome> approve(Transaction& transaction, std::span<const std::int64_t> productIds,
                                                 const Actor& actor) = 0;
    /// As approve(), with a reason for the supplier. Throws ApiError (Validation) too, when it is empty or too long.
    virtual std::vector<ApprovalOutcome> reject(Transaction& transaction, std::span<const std::int64_t> productIds,
                                                std::string_view reason, const Actor& actor) = 0;

protected:
    ~Products() = default;
};

} // namespace supplierd
