#pragma once

#include "index/CatalogIndex.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Products, changes and queries by chance, the same ones for the same seed. Names are short and of few characters, so
/// that many are equal, and keys are small, so that many share them.
class RandomCatalog {
public:
    struct Change {
        std::vector<catalog::IndexedProduct> products;
        std::vector<std::int64_t> removed;
        std::int64_t changeSeq = 0;
    };

    explicit RandomCatalog(unsigned seed) : _random(seed) {}

    /// `fresh` new products and `changed` ones that are there, some of which become tombstones or come back. Some of
    /// the new ones have ids below others, as where several servers give ids.
    Change change(std::size_t fresh, std::size_t changed, std::size_t removed = 0);
    /// One of a few, so that the orders of most are there already.
    catalog::IndexFilter filter();
    catalog::IndexOrder order();
    catalog::IndexPosition position();
    std::int64_t number(std::int64_t from, std::int64_t to);
    std::int64_t changeSeq() const { return _changeSeq; }

private:
    catalog::IndexedProduct product(std::int64_t id, bool withTexts);
    std::string name();
    std::string text(std::size_t atLeast, std::size_t atMost);
    std::int64_t someId();
    bool chance(int inTen) { return number(0, 9) < inTen; }

    std::mt19937_64 _random;
    std::set<std::int64_t> _ids;
    std::int64_t _lastId = 0;
    std::int64_t _changeSeq = 0;
};

} // namespace supplierd::tests
