#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Decimal.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// A stock to be set. The item names a product by its id, or a product or a variant by its SKU; with both, the SKU must
/// be that of the product or of one of its variants.
struct SUPPLIERD_API StockItem {
    std::optional<std::int64_t> productId = std::nullopt;
    /// Trimmed; "": none.
    std::string sku = {};
    /// From 0 to Stock::MAX_STOCK; with `isAdjustment` it is added to the stock instead, and may be negative.
    std::int64_t quantity = 0;
    bool isAdjustment = false;
    /// Set it only if the stock is this one; looked at before `isAdjustment`.
    std::optional<std::int64_t> expected = std::nullopt;
    Reserved reserved = {};
};

/// A price to be set. It names what it is for as a StockItem does.
struct SUPPLIERD_API PriceItem {
    std::optional<std::int64_t> productId = std::nullopt;
    /// Trimmed; "": none.
    std::string sku = {};
    /// Nothing: a variant gets its product's price.
    std::optional<Decimal> price = std::nullopt;
    Reserved reserved = {};
};

/// Why an item was not done.
enum class ItemProblem {
    None,
    /// There is no such live product or variant, or id and SKU do not belong together.
    NotFound,
    /// The stock is not the expected one.
    Changed,
    /// The stock would be below 0 or above Stock::MAX_STOCK.
    OutOfRange,
    /// A product must have a price of its own.
    PriceRequired
};

/// What became of an item.
struct SUPPLIERD_API ItemResult {
    ItemProblem problem = ItemProblem::None;
    /// Of Changed: the present stock.
    std::int64_t stock = 0;
    Reserved reserved = {};
};

/// What became of all items.
struct SUPPLIERD_API BulkResult {
    /// One for each item, in their order.
    std::vector<ItemResult> items;
    /// Something was changed.
    bool isWritten = false;
    /// The number of the change; when nothing was to be changed, that of the supplier's last one, as of which the
    /// items are what they say. Answers carry it (CHANGE_SEQ_HEADER).
    std::int64_t changeSeq = 0;
    Reserved reserved = {};
};

/// A quantity that leaves a product's or a variant's stock, or comes back to it.
struct SUPPLIERD_API StockMove {
    /// Whose product it is.
    std::int64_t supplierId = 0;
    std::int64_t productId = 0;
    /// The variant whose stock it is; nothing: the product's own.
    std::optional<std::int64_t> variantId = std::nullopt;
    /// At least 1.
    std::int64_t quantity = 0;
    Reserved reserved = {};
};

/// A service of the plugin `catalog`: stocks and prices of products and variants. Everything happens within the
/// caller's transaction, in a number of statements that does not depend on how many items there are; changed products
/// are stamped and noted in the change of their supplier, the audit log is the caller's. Thread: any. Throws
/// DatabaseError. Since 1.0.
class SUPPLIERD_API Stock {
public:
    static constexpr std::string_view ID = "supplierd.stock/1";
    static constexpr std::int64_t MAX_STOCK = 1'000'000'000;
    /// Of setStocks() and setPrices().
    static constexpr std::size_t MAX_ITEMS = 500;

    /// Each item sees what the items before it did; a bad one stops no other. Takes the lock of the supplier's
    /// catalog when there is something to write (Transaction::change()). What has its value already is done and not
    /// written. Throws std::length_error beyond MAX_ITEMS.
    virtual BulkResult setStocks(Transaction& transaction, std::int64_t supplierId,
                                 std::span<const StockItem> items) = 0;
    /// As setStocks().
    virtual BulkResult setPrices(Transaction& transaction, std::int64_t supplierId,
                                 std::span<const PriceItem> items) = 0;

    /// Takes quantities of live products, of any number of suppliers, from stock. Their catalogs are locked
    /// (Transaction::change()), and the stocks were read since (Products::offers()): throws std::runtime_error, for the
    /// transaction to be rolled back, when something is not there or its stock would be below 0.
    virtual void take(Transaction& transaction, std::span<const StockMove> moves) = 0;
    /// Puts quantities back, in full, even beyond MAX_STOCK: they were there. What was deleted since is left out. The
    /// catalogs are locked.
    virtual void putBack(Transaction& transaction, std::span<const StockMove> moves) = 0;

protected:
    ~Stock() = default;
};

} // namespace supplierd
