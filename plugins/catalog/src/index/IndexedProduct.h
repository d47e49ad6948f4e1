#pragma once

#include "ProductTerms.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// A SKU of a product or of one of its variants.
struct IndexedSku {
    /// WEIGHT_STRING(sku COLLATE utf8mb4_unicode_520_ci): what `search` looks at.
    std::string weights;
    /// hashOfSkuKey(): what `sku` looks at.
    std::uint64_t keyHash = 0;
};

struct IndexedTexts {
    /// WEIGHT_STRING(name).
    std::string nameWeights;
    /// The product's own first, if it has one.
    std::vector<IndexedSku> skus;
};

/// A product as the database has it under the number of its last change.
struct IndexedProduct {
    std::int64_t id = 0;
    std::int64_t changeSeq = 0;
    ProductState state = ProductState::Pending;
    std::int64_t type = 0;
    std::int64_t categoryId = 0;
    std::int64_t basePrice = 0; ///< of 1/10,000
    std::int64_t stockQty = 0;
    std::int64_t updatedAt = 0; ///< microseconds since 1970
    bool isRejected = false;    ///< only where the state is Pending
    /// Nothing where only numbers changed: the texts stay as they were.
    std::optional<IndexedTexts> texts = std::nullopt;
};

/// The numbers of a live product that a change sets; what it does not name stays.
struct ChangedNumbers {
    std::int64_t id = 0;
    std::optional<std::int64_t> stockQty = std::nullopt;
    std::int64_t addedStock = 0;                          ///< where `stockQty` is not set
    std::optional<std::int64_t> basePrice = std::nullopt; ///< of 1/10,000
};

/// What one statement of a transaction sets of a supplier's products.
struct NumbersChange {
    std::int64_t updatedAt = 0; ///< microseconds since 1970
    /// In the order of their ids, each once.
    std::vector<ChangedNumbers> products;
};

/// Of what skuKey() gives. Two different keys of a supplier have the same with a probability of 2^-64; a `sku` filter
/// would then show one product too many.
std::uint64_t hashOfSkuKey(std::string_view key);

/// Which products a list shows. Without includeDeleted only live ones; with it tombstones too, whatever the state or
/// approval asked for. `state` and `approval` are not used together.
struct IndexFilter {
    std::optional<ProductState> state;
    std::optional<Approval> approval;
    std::optional<std::int64_t> type;
    std::optional<std::int64_t> categoryId;
    std::optional<std::int64_t> updatedSince; ///< microseconds since 1970
    /// WEIGHT_STRINGs of the term as it may be written: name or SKU contain one of them. Empty when it is not asked
    /// for; a term that has no weights (zero-width characters alone) is contained in every text.
    std::vector<std::string> searchWeights;
    /// Of the keys asked for; empty when no SKU is.
    std::vector<std::uint64_t> skuHashes;
    bool includeDeleted = false;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 in what the compiler writes here
    friend auto operator<=>(const IndexFilter&, const IndexFilter&) = default;
};

/// The first five as SortKey.
enum class OrderBy : std::uint8_t { Id, Name, BasePrice, StockQty, UpdatedAt, ChangeSeq };

struct IndexOrder {
    OrderBy by = OrderBy::Id;
    bool descending = true;
};

/// A place in an order, whether a product is there or not: where a page ended.
struct IndexPosition {
    /// The key of all orders but Id and Name.
    std::int64_t number = 0;
    std::string nameWeights;
    std::int64_t id = 0;
};

} // namespace supplierd::catalog
