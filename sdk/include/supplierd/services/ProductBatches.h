#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/Json.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Catalogue.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace supplierd {

/// What became of one product of a batch, or of one variant, or would become of it.
struct SUPPLIERD_API BatchedProduct {
    enum class Outcome { Created, Updated, Unchanged, Failed };

    Outcome outcome = Outcome::Failed;
    /// 0 of one that failed before it was found, and of one that would be created. Of a variant its product.
    std::int64_t productId = 0;
    /// Why it failed.
    std::vector<Detail> details = {};
    Reserved reserved = {};
};

/// The products of a list, a part at a time. Thread: one at a time. Lifetime: not beyond the stop of who asked for it.
/// Since 1.0.
class SUPPLIERD_API ProductWalk {
public:
    virtual ~ProductWalk() = default;

    /// How many the list had when the walk began.
    virtual std::int64_t total() const = 0;
    /// The next ones, at most `limit`, as a single read shows them now, without the supplier's name; those that were
    /// deleted since are left out. Empty: that was all. A constant number of statements. Throws DatabaseError.
    virtual std::vector<ProductRecord> next(std::size_t limit) = 0;
};

/// A service of the plugin `catalog`: a supplier's products, many at a time, for imports and exports. However many
/// products a call has, it takes a constant number of statements. Thread: any. Since 1.0.
class SUPPLIERD_API ProductBatches {
public:
    static constexpr std::string_view ID = "supplierd.product-batches/1";
    /// Of upsert(), upsertVariants() and their dry runs.
    static constexpr std::size_t MAX_BATCH = 500;

    /// Creates products, and changes those that there are. Each has the fields of the body of POST /products, and names
    /// its product by `sku`, or, where that is absent or null, by `id`. Refused is one with both, where the `id` is
    /// that of a product of the supplier's with another SKU or none (`unsupported`, of `sku`); an `id` that is no
    /// product's says nothing beside a `sku`. One that there is becomes what POST /products/{id} would make of it:
    /// fields that are not named stay as they are, and so does its SKU; one that would be the same afterwards is left
    /// alone. One that there is not is created, if it has a `sku`, also inactive
    /// (`is_active`). `variants` (see upsertVariants()) and `image_url` are refused, and so is a product that is named
    /// for the second time. Each stands for itself: those that fail do not keep others from being written. What is
    /// written has the rules and the details of the API, is in the audit log, and takes the lock of the supplier's
    /// catalogue; nothing does when nothing changes. The results are in the order of the products. Throws
    /// std::length_error beyond MAX_BATCH, DatabaseError.
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
    /// product of which any is written. Throws std::length_error beyond MAX_BATCH, DatabaseError.
    virtual std::vector<BatchedProduct> upsertVariants(Transaction& transaction, std::int64_t supplierId,
                                                       std::span<const JsonObject> variants, const Actor& actor) = 0;
    /// What upsertVariants() would do as things are; changes nothing. Where an entry has a true `is_new_product`, and
    /// there is no such product, it is looked at as if that were about to be created.
    virtual std::vector<BatchedProduct> dryRunVariants(SqlSession& session, std::int64_t supplierId,
                                                       std::span<const JsonObject> variants) = 0;

    /// All products of a list. `rawQuery`: that of GET /products, its filters and its `sort`; what it does not know is
    /// left out of account. Each product that the list has now comes once. Takes 8 bytes of memory a product. Throws
    /// ApiError: Validation with every problem of the query, among them `page`, `per_page`, `cursor`, `changed_after`
    /// and `include_deleted` (`unsupported`); Unavailable when the products are not in memory yet.
    virtual std::unique_ptr<ProductWalk> walk(Database& database, std::int64_t supplierId,
                                              std::string_view rawQuery) = 0;

protected:
    ~ProductBatches() = default;
};

} // namespace supplierd
