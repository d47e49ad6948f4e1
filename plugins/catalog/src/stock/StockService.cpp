#include "stock/StockService.h"

#include "stock/StockLedger.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::catalog {

namespace {

template <class Item, class Read>
BulkResult setAll(Transaction& transaction, std::int64_t supplierId, Subject subject, std::span<const Item> items,
                  BulkUpdate::Hints& hints, CatalogCache* indexes, const Read& read) {
    if (items.size() > Stock::MAX_ITEMS)
        throw std::length_error("at most " + std::to_string(Stock::MAX_ITEMS) + " items at once");
    std::vector<BulkItem> bulkItems;
    bulkItems.reserve(items.size());
    for (const Item& item : items)
        bulkItems.push_back(read(item));
    return BulkUpdate(transaction, supplierId, subject, bulkItems, hints, indexes).run();
}

} // namespace

BulkResult StockService::setStocks(Transaction& transaction, std::int64_t supplierId,
                                   std::span<const StockItem> items) {
    return setAll(transaction, supplierId, Subject::Stock, items, _hints, _indexes, [](const StockItem& item) {
        return BulkItem{item.productId, item.sku, item.quantity, item.isAdjustment, item.expected};
    });
}

BulkResult StockService::setPrices(Transaction& transaction, std::int64_t supplierId,
                                   std::span<const PriceItem> items) {
    return setAll(transaction, supplierId, Subject::Price, items, _hints, _indexes, [](const PriceItem& item) {
        const Amount amount = item.price ? Amount(item.price->tenThousandths()) : std::nullopt;
        return BulkItem{item.productId, item.sku, amount, false, std::nullopt};
    });
}

void StockService::take(Transaction& transaction, std::span<const StockMove> moves) {
    StockLedger ledger;
    for (const StockMove& move : moves)
        ledger.add(move, -move.quantity);
    ledger.apply(transaction, _indexes);
}

void StockService::putBack(Transaction& transaction, std::span<const StockMove> moves) {
    StockLedger ledger;
    for (const StockMove& move : moves)
        ledger.add(move, move.quantity);
    ledger.applyToWhatIsLeft(transaction, _indexes);
}

} // namespace supplierd::catalog
