#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A GET /products.
struct ListRequest {
    static constexpr const char* SORTS[] = {"id",          "-id",       "name",       "-name",      "base_price",
                                            "-base_price", "stock_qty", "-stock_qty", "updated_at", "-updated_at"};

    std::optional<std::int64_t> state; ///< 0 pending, 1 active, 2 inactive
    std::optional<std::int64_t> type;
    std::optional<std::int64_t> category;
    std::string search;
    std::vector<std::string> skus;
    std::string updatedSince; ///< "2026-11-22T11:12:13"
    bool includeDeleted = false;
    std::size_t sort = 1; ///< of SORTS
    std::int64_t page = 1;
    std::int64_t perPage = 10;
    std::string cursor;
    std::optional<std::int64_t> changedAfter;
    bool variants = false;
    bool images = false;
    bool description = false;

    bool hasFilter() const {
        return state || type || category || !search.empty() || !skus.empty() || !updatedSince.empty();
    }
    /// Shows all live products then, and deleted ones as before.
    void clearFilter();
    std::string path() const;
    /// As it is sent with a cursor of a walk by changes.
    ListRequest afterCursor() const {
        ListRequest sent = *this;
        sent.changedAfter.reset();
        sent.sort = 1;
        return sent;
    }

    /// Any, with one of these categories.
    static ListRequest random(std::mt19937& random, const std::vector<std::int64_t>& categories);
};

/// Words of which names and SKUs are made, and some of them searched: in lower case ASCII, whose order is that of their
/// bytes.
std::string randomName(std::mt19937& random);
std::string randomSku(std::mt19937& random);

} // namespace supplierd::tests
