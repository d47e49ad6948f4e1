#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace supplierd::tests {

/// By their numbers, as the specification has them.
constexpr std::array<const char*, 7> ORDER_STATUSES{"pending",   "confirmed", "processing", "shipped",
                                                    "delivered", "completed", "cancelled"};

/// A GET /orders.
struct OrderRequest {
    std::string status;
    std::string createdFrom; ///< "2026-11-22T11:12:13"
    std::string updatedSince;
    std::int64_t page = 1;
    std::int64_t perPage = 10;
    std::string cursor;
    std::optional<std::int64_t> changedAfter;

    /// Its total is counted, and a walk carries it along.
    bool isCounted() const { return !createdFrom.empty() || !updatedSince.empty(); }
    /// In the order of creation times; else of ids.
    bool isByCreation() const { return !createdFrom.empty() && updatedSince.empty() && status.empty(); }
    void clearFilter();
    std::string path() const;
    /// As it is sent with a cursor of a walk by changes.
    OrderRequest afterCursor() const {
        OrderRequest sent = *this;
        sent.changedAfter.reset();
        return sent;
    }

    static OrderRequest random(std::mt19937& random);
};

} // namespace supplierd::tests
