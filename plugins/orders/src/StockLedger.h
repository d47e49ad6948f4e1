#pragma once

#include "OrderInput.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::orders {

/// What an order line refers to, as the catalogue has it now.
struct Offer {
    bool hasProduct = false; ///< there is such a live product; nothing else is set when not
    bool hasVariant = false; ///< the line's variant is one of that product
    bool productOnSale = false;
    std::string supplierStatus; ///< "verified", or why nothing of the supplier is on sale
    bool variantOnSale = false;
    std::int64_t supplierId = 0;
    std::string name;
    std::optional<std::string> sku;
    std::int64_t unit = 0; ///< as stored in products.unit
    Decimal vatRate;
    Decimal basePrice;
    std::int64_t stock = 0;
};

/// One for each line, in one statement. What it says stays true while the catalogues of the suppliers are locked.
std::vector<Offer> readOffers(SqlSession& session, const std::vector<OrderLine>& lines);

/// The quantities that a transaction takes from stock or puts back. Collects first, so that everything of one product
/// is one change of its row, and two statements serve any number of them.
class StockLedger {
public:
    /// Of the variant when there is one, else of the product. `changeSeq` is what lockCatalogue() of its supplier gave.
    void take(std::int64_t productId, const std::optional<std::int64_t>& variantId, std::int64_t quantity,
              std::int64_t changeSeq);
    void putBack(std::int64_t productId, const std::optional<std::int64_t>& variantId, std::int64_t quantity,
                 std::int64_t changeSeq);
    /// Collects what a cancelled order group took, leaving out what was deleted since.
    void putBackGroup(SqlSession& session, std::int64_t supplierId, std::int64_t groupId, std::int64_t changeSeq);

    /// Never below 0. What is put back is kept in full, beyond what a supplier may set as well: it was there. Throws
    /// std::runtime_error, for the transaction to be rolled back, when a row is not what was read of it under the lock.
    void apply(Transaction& transaction) const;

private:
    struct Change {
        std::int64_t delta = 0;
        std::int64_t changeSeq = 0;
    };

    void add(std::int64_t productId, const std::optional<std::int64_t>& variantId, std::int64_t delta,
             std::int64_t changeSeq);

    std::map<std::int64_t, Change> _products;
    std::map<std::int64_t, Change> _variants;
};

} // namespace supplierd::orders
