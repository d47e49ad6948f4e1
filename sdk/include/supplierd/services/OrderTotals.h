#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// A number that is kept beside the rows that it counts, and is not theirs.
struct SUPPLIERD_API TotalsDifference {
    /// What is counted, for people: "orders pending".
    std::string what;
    std::int64_t kept = 0;
    std::int64_t counted = 0;
    Reserved reserved = {};
};

/// A service of the plugin `orders`: the totals of order groups, which lists answer with instead of counting. Thread:
/// any. Since 1.0.
class SUPPLIERD_API OrderTotals {
public:
    static constexpr std::string_view ID = "supplierd.order-totals/1";

    /// What differs for one supplier; nothing when all is right. The totals are read in one statement with their rows,
    /// so that writers cause no difference. Takes time in proportion to the supplier's rows.
    virtual std::vector<TotalsDifference> compare(SqlSession& session, std::int64_t supplierId) = 0;
    /// Counts anew and keeps that, with the lock of the supplier's catalogue (Transaction::change()). Throws
    /// DatabaseError when the supplier does not exist.
    virtual void recount(Transaction& transaction, std::int64_t supplierId) = 0;

protected:
    ~OrderTotals() = default;
};

} // namespace supplierd
