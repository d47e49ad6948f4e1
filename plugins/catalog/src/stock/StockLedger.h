#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/Stock.h>

#include <cstdint>
#include <map>

namespace supplierd::catalog {

class CatalogCache;

/// The quantities that leave stocks or come back. Collects first, so that everything of one product is one change of
/// its row, and two statements serve any number of them. Within a transaction that has the locks of the catalogs.
/// Indexes, which may be null, are told what is changed.
class StockLedger {
public:
    void add(const StockMove& move, std::int64_t delta);

    /// Never below 0. Throws std::runtime_error, for the transaction to be rolled back, when a row is not what was read
    /// of it under the lock.
    void apply(Transaction& transaction, CatalogCache* indexes) const;
    /// Leaves out what is deleted, for which it needs a third statement where that is a variant.
    void applyToWhatIsLeft(Transaction& transaction, CatalogCache* indexes);

private:
    struct ProductChange {
        std::int64_t supplierId = 0;
        std::int64_t delta = 0;
        bool isItself = false; ///< the change is not only one of its variants'
    };
    struct VariantChange {
        std::int64_t productId = 0;
        std::int64_t delta = 0;
    };

    std::int64_t changeVariants(Transaction& transaction) const;
    /// Stamps them, and notes them in the changes of their suppliers.
    std::int64_t changeProducts(Transaction& transaction, CatalogCache* indexes) const;
    void forgetLostVariants(SqlSession& session);

    std::map<std::int64_t, ProductChange> _products;
    std::map<std::int64_t, VariantChange> _variants;
};

} // namespace supplierd::catalog
