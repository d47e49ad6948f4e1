#include "ProductMatcher.h"

#include <algorithm>

namespace supplierd::catalog {

ProductMatcher::ProductMatcher(const ProductColumns& columns, const IndexFilter& filter)
    : _columns(columns),
      _live(columns.liveTest(filter)),
      _updatedSince(filter.updatedSince),
      _skuHashes(filter.skuHashes) {
    if (filter.includeDeleted)
        _deleted = columns.deletedTest(filter);
    const auto& weights = filter.searchWeights;
    if (std::none_of(weights.begin(), weights.end(), [](const std::string& one) { return one.empty(); }))
        for (const std::string& one : weights)
            _terms.push_back(columns.texts().termOf(one));
    std::sort(_skuHashes.begin(), _skuHashes.end());
}

bool ProductMatcher::matches(RowNumber row) const {
    return matchesButTexts(row) && (_skuHashes.empty() || _columns.texts().hasSku(row, _skuHashes)) && hasTerm(row);
}

RowNumbers ProductMatcher::all(ChunkedScan& scan) const {
    RowNumbers rows;
    const auto add = [&](RowNumber row) {
        if (matchesButTexts(row))
            rows.push_back(row);
    };
    const auto end = static_cast<RowNumber>(_columns.rows());
    const auto inPieces = [&](const auto& work) {
        for (RowNumber first = 0; first < end;) {
            const RowNumber last = first + std::min(ChunkedScan::CHUNK, end - first);
            work(first, last);
            first = last;
            if (first < end)
                scan.pause();
        }
    };
    RowSet found(end);
    if (!_skuHashes.empty()) {
        _columns.texts().findSkus(_skuHashes, found);
        found.forEach([&](RowNumber row) {
            if (hasTerm(row))
                add(row);
        });
    } else if (!_terms.empty()) {
        inPieces([&](RowNumber first, RowNumber last) {
            for (const ProductTexts::Term& term : _terms)
                _columns.texts().search(term, first, last, found);
        });
        found.forEach(add);
    } else if (_live || _deleted) {
        inPieces([&](RowNumber first, RowNumber last) {
            for (RowNumber row = first; row < last; ++row)
                add(row);
        });
    }
    return rows;
}

bool ProductMatcher::matchesButTexts(RowNumber row) const {
    const std::uint32_t traits = _columns.traits(row);
    return ((_live && _live->matches(traits)) || (_deleted && _deleted->matches(traits))) &&
           (!_updatedSince || _columns.number(OrderBy::UpdatedAt, row) >= *_updatedSince);
}

bool ProductMatcher::hasTerm(RowNumber row) const {
    return _terms.empty() || std::any_of(_terms.begin(), _terms.end(), [&](const ProductTexts::Term& term) {
               return _columns.texts().contains(row, term);
           });
}

unsigned dependencies(const IndexFilter& filter) {
    unsigned bits = difference::Deleted;
    if (filter.state || filter.approval)
        bits |= difference::State;
    if (filter.type)
        bits |= difference::Type;
    if (filter.categoryId)
        bits |= difference::Category;
    if (filter.updatedSince)
        bits |= difference::UpdatedAt;
    if (!filter.searchWeights.empty())
        bits |= difference::Name | difference::Skus;
    if (!filter.skuHashes.empty())
        bits |= difference::Skus;
    return bits;
}

} // namespace supplierd::catalog
