#pragma once

#include "ListRequest.h"
#include "tests/plugins/catalog/index/NaiveCatalog.h"
#include "tests/support/Json.h"
#include "tests/system/fixtures/CommitLog.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A product as the database had it under some number.
struct ReplayedProduct {
    std::int64_t id = 0;
    Json values;
    std::map<std::int64_t, Json> variants;
    std::map<std::int64_t, std::string> skus; ///< 0: its own
    std::map<std::int64_t, std::string> images;

    std::int64_t number(const char* name) const { return values.at(name).get<std::int64_t>(); }
    std::int64_t change() const { return number("change"); }
    bool isDeleted() const { return number("deleted") == 1; }
};

/// One supplier's products in a plain map, commit by commit, and the lists of them.
class CatalogReplay {
public:
    /// Rows of one supplier in the order of commits, behind those that it has.
    void add(std::vector<CommitLog::Row> rows);
    /// Applies the commits up to that number, which never goes back.
    void advance(std::int64_t number);
    /// Of the last commit that it knows.
    std::int64_t last() const { return _rows.empty() ? _number : _rows.back().seq; }
    std::size_t commits() const { return _commits; }

    const ReplayedProduct* find(std::int64_t id) const;
    const NaiveCatalog& lists() const { return _lists; }
    std::int64_t greatestId() const { return _products.empty() ? 0 : _products.rbegin()->first; }

private:
    void apply(const CommitLog::Row& row);

    std::map<std::int64_t, ReplayedProduct> _products;
    NaiveCatalog _lists;
    std::vector<CommitLog::Row> _rows;
    std::size_t _applied = 0;
    std::int64_t _number = 0;
    std::size_t _commits = 0;
};

catalog::IndexFilter filterOf(const ListRequest& request);
catalog::IndexOrder orderOf(const ListRequest& request);

/// A product as lists show it, but for the name of its category; `request` says what beside.
Json shownInList(const ReplayedProduct& product, const ListRequest& request);
/// A product as GET /products/{id} shows it, but for the name of its category.
Json shownAlone(const ReplayedProduct& product);

} // namespace supplierd::tests
