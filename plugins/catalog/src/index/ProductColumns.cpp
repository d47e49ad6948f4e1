#include "ProductColumns.h"

#include "ColumnMemory.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace supplierd::catalog {

std::uint64_t hashOfSkuKey(std::string_view key) {
    return std::hash<std::string_view>{}(key);
}

void ProductColumns::reserve(std::size_t rows) {
    for (NarrowColumn* column : {&_ids, &_changeSeqs, &_basePrices, &_stocks})
        column->reserve(rows);
    _updatedAts.reserve(rows);
    _traits.reserve(rows);
}

std::vector<ProductColumns::Applied> ProductColumns::apply(std::span<const IndexedProduct> products) {
    std::vector<Applied> applied;
    applied.reserve(products.size());
    for (const IndexedProduct& product : products) {
        const auto row = find(product.id);
        if (row) {
            applied.push_back({*row, update(*row, product)});
        } else {
            applied.push_back({static_cast<RowNumber>(rows()), difference::All});
            append(product);
        }
    }
    orderNewIds();
    return applied;
}

std::optional<std::vector<ProductColumns::Applied>> ProductColumns::change(const NumbersChange& change,
                                                                           std::int64_t changeSeq) {
    std::vector<Applied> applied;
    applied.reserve(change.products.size());
    for (const ChangedNumbers& product : change.products) {
        const auto row = find(product.id);
        if (!row || isDeleted(*row) || isRemoved(*row))
            return std::nullopt;
        applied.push_back({*row, 0});
    }
    auto next = applied.begin();
    for (const ChangedNumbers& product : change.products) {
        auto& [row, differences] = *next++;
        differences = setNumbers(row, {changeSeq, product.basePrice.value_or(_basePrices[row]),
                                       product.stockQty.value_or(_stocks[row] + product.addedStock), change.updatedAt});
    }
    return applied;
}

std::optional<RowNumber> ProductColumns::remove(std::int64_t id) {
    const auto row = find(id);
    if (row && !isRemoved(*row)) {
        _traits[*row] |= REMOVED;
        ++_removed;
    }
    return row;
}

std::optional<RowNumber> ProductColumns::find(std::int64_t id) const {
    std::size_t first = 0;
    for (std::size_t count = _found; count > 0;) {
        const std::size_t half = count / 2;
        if (_ids[rowById(first + half)] < id) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    if (first == _found || _ids[rowById(first)] != id)
        return std::nullopt;
    return rowById(first);
}

std::int64_t ProductColumns::greatestId() const {
    return _found == 0 ? 0 : _ids[rowById(_found - 1)];
}

void ProductColumns::sortById(RowNumbers& rows) const {
    // From so large a part of all on, going through all is less work than sorting.
    constexpr std::size_t PART = 32;
    if (isInIdOrder()) {
        if (!std::is_sorted(rows.begin(), rows.end()))
            std::sort(rows.begin(), rows.end());
    } else if (rows.size() > this->rows() / PART) {
        RowSet wanted(this->rows());
        for (const RowNumber row : rows)
            wanted.add(row);
        std::copy_if(_byId.begin(), _byId.end(), rows.begin(), [&](RowNumber row) { return wanted.has(row); });
    } else {
        std::sort(rows.begin(), rows.end(), [this](RowNumber a, RowNumber b) { return _ids[a] < _ids[b]; });
    }
}

std::int64_t ProductColumns::number(OrderBy by, RowNumber row) const {
    switch (by) {
    case OrderBy::BasePrice:
        return _basePrices[row];
    case OrderBy::StockQty:
        return _stocks[row];
    case OrderBy::UpdatedAt:
        return _updatedAts[row];
    case OrderBy::ChangeSeq:
        return _changeSeqs[row];
    case OrderBy::Id:
    case OrderBy::Name:
        break;
    }
    return _ids[row];
}

std::optional<ProductColumns::TraitTest> ProductColumns::liveTest(const IndexFilter& filter) const {
    auto test = deletedTest(filter);
    if (!test)
        return std::nullopt;
    test->value &= ~DELETED;
    if (filter.state) {
        // Whatever waits or is rejected is Pending.
        test->mask |= *filter.state == ProductState::Pending ? APPROVED : STATE;
        test->value |= stateOf({.state = *filter.state});
    } else if (filter.approval) {
        test->mask |= *filter.approval == Approval::Approved ? APPROVED : STATE;
        test->value |= *filter.approval == Approval::Approved   ? APPROVED
                       : *filter.approval == Approval::Rejected ? REJECTED
                                                                : 0;
    }
    return test;
}

std::optional<ProductColumns::TraitTest> ProductColumns::deletedTest(const IndexFilter& filter) const {
    TraitTest test{DELETED | REMOVED, DELETED};
    if (filter.type) {
        if (*filter.type < 0 || *filter.type >= TYPES_AT_MOST)
            return std::nullopt;
        test.mask |= TYPE;
        test.value |= static_cast<std::uint32_t>(*filter.type) << TYPE_SHIFT;
    }
    if (filter.categoryId) {
        const auto category = _categories.find(*filter.categoryId);
        if (category == _categories.end())
            return std::nullopt;
        test.mask |= CATEGORY;
        test.value |= category->second << CATEGORY_SHIFT;
    }
    return test;
}

std::size_t ProductColumns::bytes() const {
    // A node of the map: its link, key and value, and what malloc adds.
    constexpr std::size_t BYTES_PER_CATEGORY = 48;
    return _ids.bytes() + _changeSeqs.bytes() + _basePrices.bytes() + _stocks.bytes() + bytesOf(_updatedAts) +
           bytesOf(_traits) + bytesOf(_byId) + _texts.bytes() + _categories.size() * BYTES_PER_CATEGORY;
}

void ProductColumns::append(const IndexedProduct& product) {
    if (!product.texts)
        throw std::invalid_argument("product " + std::to_string(product.id) + " is not in the index and has no texts");
    if (rows() == std::numeric_limits<RowNumber>::max())
        throw std::length_error("more than 2^32 products in the index of one supplier");
    _ids.append(product.id);
    _changeSeqs.append(product.changeSeq);
    _basePrices.append(product.basePrice);
    _stocks.append(product.stockQty);
    makeRoom(_updatedAts, 1);
    _updatedAts.push_back(product.updatedAt);
    makeRoom(_traits, 1);
    _traits.push_back(traitsOf(product));
    _texts.append(*product.texts);
}

unsigned ProductColumns::update(RowNumber row, const IndexedProduct& product) {
    unsigned differences = setNumbers(row, {product.changeSeq, product.basePrice, product.stockQty, product.updatedAt});
    const std::uint32_t traits = traitsOf(product);
    const std::uint32_t changed = traits ^ _traits[row];
    if ((changed & STATE) != 0)
        differences |= difference::State;
    if ((changed & (DELETED | REMOVED)) != 0)
        differences |= difference::Deleted;
    if ((changed & REMOVED) != 0)
        --_removed; // it is there again
    if ((changed & TYPE) != 0)
        differences |= difference::Type;
    if ((changed & CATEGORY) != 0)
        differences |= difference::Category;
    _traits[row] = traits;

    if (product.texts) {
        const auto texts = _texts.replace(row, *product.texts);
        differences |= (texts.name ? difference::Name : 0U) | (texts.skus ? difference::Skus : 0U);
    }
    return differences;
}

unsigned ProductColumns::setNumbers(RowNumber row, const Numbers& numbers) {
    unsigned differences = 0;
    const auto set = [&](NarrowColumn& column, std::int64_t value, unsigned difference) {
        if (column[row] == value)
            return;
        column.set(row, value);
        differences |= difference;
    };
    set(_changeSeqs, numbers.changeSeq, difference::ChangeSeq);
    set(_basePrices, numbers.basePrice, difference::BasePrice);
    set(_stocks, numbers.stockQty, difference::StockQty);
    if (_updatedAts[row] != numbers.updatedAt)
        differences |= difference::UpdatedAt;
    _updatedAts[row] = numbers.updatedAt;
    return differences;
}

/// Puts the rows that came last among those that are found by id.
void ProductColumns::orderNewIds() {
    const auto isBefore = [this](RowNumber a, RowNumber b) { return _ids[a] < _ids[b]; };
    const std::size_t before = _found;
    _found = rows();
    bool ascends = _byId.empty();
    for (std::size_t row = std::max<std::size_t>(before, 1); ascends && row < _found; ++row)
        ascends = _ids[row - 1] < _ids[row];
    if (ascends || before == _found)
        return;
    const std::size_t first = _byId.size();
    makeRoom(_byId, _found - first);
    for (std::size_t row = first; row < _found; ++row)
        _byId.push_back(static_cast<RowNumber>(row));
    const auto middle = _byId.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(middle, _byId.end(), isBefore);
    if (before > 0 && isBefore(*middle, *(middle - 1)))
        std::inplace_merge(_byId.begin(), middle, _byId.end(), isBefore);
    if (std::adjacent_find(_byId.begin(), _byId.end(),
                           [this](RowNumber a, RowNumber b) { return _ids[a] == _ids[b]; }) != _byId.end())
        throw std::invalid_argument("a product comes twice in one change of the index");
}

std::uint32_t ProductColumns::traitsOf(const IndexedProduct& product) {
    if (product.type < 0 || product.type >= TYPES_AT_MOST)
        throw std::length_error("the index has no room for a product's type " + std::to_string(product.type));
    const auto category =
        _categories.emplace(product.categoryId, static_cast<std::uint32_t>(_categories.size())).first->second;
    if (category >= CATEGORIES_AT_MOST)
        throw std::length_error("more categories than the index has room for");
    return stateOf(product) | static_cast<std::uint32_t>(product.type) << TYPE_SHIFT | category << CATEGORY_SHIFT;
}

std::uint32_t ProductColumns::stateOf(const IndexedProduct& product) {
    switch (product.state) {
    case ProductState::Active:
        return APPROVED;
    case ProductState::Inactive:
        return APPROVED | INACTIVE;
    case ProductState::Deleted:
        return DELETED;
    case ProductState::Pending:
        break;
    }
    return product.isRejected ? REJECTED : 0;
}

RowNumber ProductColumns::rowById(std::size_t place) const {
    return _byId.empty() ? static_cast<RowNumber>(place) : _byId[place];
}

} // namespace supplierd::catalog
