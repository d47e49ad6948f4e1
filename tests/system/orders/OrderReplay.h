#pragma once

#include "OrderRequest.h"
#include "tests/support/Json.h"
#include "tests/system/fixtures/CommitLog.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

/// What is written down of order groups, their items and their history.
std::span<const CommitLog::Table> orderTables();

/// An order group as the database had it under some number.
struct ReplayedOrder {
    std::int64_t id = 0;
    Json values;
    std::map<std::int64_t, Json> items;
    std::map<std::int64_t, Json> history;

    std::int64_t change() const { return values.at("change").get<std::int64_t>(); }
    std::string status() const;
    std::string created() const { return values.at("created").get<std::string>(); }
};

/// One supplier's order groups in a plain map, commit by commit.
class OrderReplay {
public:
    using Found = std::vector<const ReplayedOrder*>;

    /// Rows of one supplier in the order of commits, behind those that it has.
    void add(std::vector<CommitLog::Row> rows);
    /// Applies the commits up to that number, which never goes back.
    void advance(std::int64_t number);
    std::size_t commits() const { return _commits; }

    const ReplayedOrder* find(std::int64_t id) const;
    /// All that the filter shows, newest first.
    Found list(const OrderRequest& request) const;
    /// In (change, id) order.
    Found byChange(const OrderRequest& request) const;

private:
    void apply(const CommitLog::Row& row);

    std::map<std::int64_t, ReplayedOrder> _orders;
    std::vector<CommitLog::Row> _rows;
    std::size_t _applied = 0;
    std::int64_t _number = 0;
    std::size_t _commits = 0;
};

/// As lists show it, and as GET /orders/{id} does.
Json shownInList(const ReplayedOrder& order);
Json shownAlone(const ReplayedOrder& order);

} // namespace supplierd::tests
