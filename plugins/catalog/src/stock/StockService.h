#pragma once

#include "stock/BulkUpdate.h"

#include <supplierd/services/Stock.h>

namespace supplierd::catalog {

/// The service "supplierd.stock/1". Thread: any.
class StockService final : public Stock {
public:
    /// `indexes` are told what is changed; may be null, and outlive it.
    explicit StockService(CatalogCache* indexes = nullptr) : _indexes(indexes) {}

    BulkResult setStocks(Transaction& transaction, std::int64_t supplierId, std::span<const StockItem> items) override;
    BulkResult setPrices(Transaction& transaction, std::int64_t supplierId, std::span<const PriceItem> items) override;
    void take(Transaction& transaction, std::span<const StockMove> moves) override;
    void putBack(Transaction& transaction, std::span<const StockMove> moves) override;

private:
    CatalogCache* const _indexes;
    BulkUpdate::Hints _hints;
};

} // namespace supplierd::catalog
