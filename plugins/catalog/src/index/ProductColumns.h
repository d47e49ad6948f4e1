#pragma once

#include "IndexedProduct.h"
#include "NarrowColumn.h"
#include "RowSet.h"
#include "texts/ProductTexts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace supplierd::catalog {

/// What of a product became different, as bits: an order that depends on none of them stays as it is.
namespace difference {
enum : unsigned {
    Name = 1U << 0,
    BasePrice = 1U << 1,
    StockQty = 1U << 2,
    UpdatedAt = 1U << 3,
    ChangeSeq = 1U << 4,
    State = 1U << 5,
    Deleted = 1U << 6, ///< it became a tombstone, or no longer is one
    Type = 1U << 7,
    Category = 1U << 8,
    Skus = 1U << 9,
    All = ~0U
};
} // namespace difference

/// The products of one supplier, column by column, in the order in which they came.
///
/// Thread: const functions at the same time from any; the others alone.
class ProductColumns {
public:
    struct Applied {
        RowNumber row = 0;
        unsigned differences = 0;
    };

    void reserve(std::size_t rows);
    /// Adds and changes products, each at most once; returns the row of each and what became different. Throws
    /// std::invalid_argument for a product that is new and has no texts, or comes twice, std::length_error beyond 2^32
    /// products, 2^24 categories or 16 types; the columns are of no use then.
    std::vector<Applied> apply(std::span<const IndexedProduct> products);
    /// Nothing is changed, and nothing returned, unless all of them are live products that are there.
    std::optional<std::vector<Applied>> change(const NumbersChange& change, std::int64_t changeSeq);
    /// A product that the database no longer has at all: no list shows it. Nothing when it was not there.
    std::optional<RowNumber> remove(std::int64_t id);

    std::size_t rows() const { return _ids.size(); }
    /// Those of products that are gone: they take memory all the same.
    std::size_t removedRows() const { return _removed; }
    std::optional<RowNumber> find(std::int64_t id) const;
    /// 0 when there is none.
    std::int64_t greatestId() const;
    /// Whether the order of rows is that of ids.
    bool isInIdOrder() const { return _byId.empty(); }
    /// Puts rows (each at most once) in the order of their ids.
    void sortById(RowNumbers& rows) const;

    std::int64_t id(RowNumber row) const { return _ids[row]; }
    std::int64_t changeSeq(RowNumber row) const { return _changeSeqs[row]; }
    std::int64_t updatedAt(RowNumber row) const { return _updatedAts[row]; }
    bool isDeleted(RowNumber row) const { return (_traits[row] & DELETED) != 0; }
    bool isRemoved(RowNumber row) const { return (_traits[row] & REMOVED) != 0; }
    /// The key of an order but Name: that of Id is its id.
    std::int64_t number(OrderBy by, RowNumber row) const;
    const ProductTexts& texts() const { return _texts; }

    /// State, type and category of a row in one word, and what of it a list wants.
    struct TraitTest {
        std::uint32_t mask = 0;
        std::uint32_t value = 0;

        bool matches(std::uint32_t traits) const { return (traits & mask) == value; }
    };
    std::uint32_t traits(RowNumber row) const { return _traits[row]; }
    /// Of live products, and of tombstones. Nothing when none can match.
    std::optional<TraitTest> liveTest(const IndexFilter& filter) const;
    std::optional<TraitTest> deletedTest(const IndexFilter& filter) const;

    std::size_t bytes() const;

private:
    // The bits of a row's traits. The state is two of them, so that a test of one tells what is approved: 00 waits, 01
    // is rejected, 10 is active, 11 inactive. It is 00 where the product is deleted.
    static constexpr std::uint32_t STATE = 3;
    static constexpr std::uint32_t APPROVED = 2;
    static constexpr std::uint32_t REJECTED = 1;
    static constexpr std::uint32_t INACTIVE = 1;
    static constexpr std::uint32_t DELETED = 1U << 2;
    static constexpr std::uint32_t REMOVED = 1U << 3;
    static constexpr unsigned TYPE_SHIFT = 4;
    static constexpr std::uint32_t TYPES_AT_MOST = 16;
    static constexpr unsigned CATEGORY_SHIFT = 8;
    static constexpr std::uint32_t CATEGORIES_AT_MOST = 1U << 24;
    static constexpr std::uint32_t TYPE = (TYPES_AT_MOST - 1) << TYPE_SHIFT;
    static constexpr std::uint32_t CATEGORY = (CATEGORIES_AT_MOST - 1) << CATEGORY_SHIFT;

    void append(const IndexedProduct& product);
    unsigned update(RowNumber row, const IndexedProduct& product);
    struct Numbers {
        std::int64_t changeSeq;
        std::int64_t basePrice;
        std::int64_t stockQty;
        std::int64_t updatedAt;
    };
    unsigned setNumbers(RowNumber row, const Numbers& numbers);
    void orderNewIds();
    std::uint32_t traitsOf(const IndexedProduct& product);
    static std::uint32_t stateOf(const IndexedProduct& product);
    RowNumber rowById(std::size_t place) const;

    NarrowColumn _ids;
    NarrowColumn _changeSeqs;
    NarrowColumn _basePrices;
    NarrowColumn _stocks;
    std::vector<std::int64_t> _updatedAts;
    std::vector<std::uint32_t> _traits;
    ProductTexts _texts;
    /// The number that stands for a category in the traits.
    std::unordered_map<std::int64_t, std::uint32_t> _categories;
    /// Rows in the order of ids; empty as long as that is their own.
    RowNumbers _byId;
    /// So many rows can be found by their ids: all but those that are just coming.
    std::size_t _found = 0;
    std::size_t _removed = 0;
};

} // namespace supplierd::catalog
