#pragma once

#include "ProductFields.h"
#include "ProductInput.h"
#include "RequestedImages.h"
#include "Sandboxes.h"

#include <supplierd/services/AuditLog.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// A product that is to be created or changed.
struct ProductWrite {
    std::int64_t id = 0; ///< 0: a new one, which gets its id when it is written
    ProductInput input;
    /// Of one that there is. May lack fields that `input` does not name.
    ProductValues stored;
    /// Null: it gets no images.
    RequestedImages* images = nullptr;
};

/// Writes products of a supplier, a single one as well as many, within a transaction that holds the lock of the
/// supplier's catalog: their rows, SKUs, variants and images, what the change log notes, and the audit log. That
/// takes a constant number of statements, and some more for each product with variants, images or another SKU. What is
/// wrong with a product was found before. Made per transaction.
class ProductWriter {
public:
    struct Dependencies {
        ImageIngest* images; ///< null: products have none here
        AuditLog& audit;
        Sandboxes& sandboxes;
    };
    /// What it is made with outlives it.
    ProductWriter(Transaction& transaction, const Dependencies& dependencies, std::int64_t supplierId,
                  const Actor& actor)
        : _transaction(transaction), _dependencies(dependencies), _supplierId(supplierId), _actor(actor) {}

    /// Of several products at once the new ones have SKUs. Throws DatabaseError, and ApiError (Validation) when a SKU
    /// is taken after all.
    void write(std::span<ProductWrite* const> products);

private:
    using Products = std::vector<ProductWrite*>;

    void create(const Products& products, Change& change);
    void insertOne(ProductWrite& product, std::int64_t seq, bool isOfSandbox);
    void insertAll(const Products& products, std::int64_t seq, bool areOfSandbox);
    void claimSkus(const Products& products);
    void update(const Products& products, Change& change);
    void updateOne(const ProductWrite& product, std::int64_t seq);
    void updateAll(const Products& products, std::int64_t seq);
    static void note(const Products& updated, Change& change);
    /// All but the product's row: SKUs, variants, images. Returns the entry for the audit log.
    AuditEntry complete(ProductWrite& product, bool isNew);

    Transaction& _transaction;
    const Dependencies _dependencies;
    std::int64_t _supplierId;
    const Actor& _actor;
};

} // namespace supplierd::catalog
