#pragma once

#include "batch/ProductName.h"
#include "write/ProductChanges.h"
#include "write/VariantInput.h"

#include <supplierd/Database.h>
#include <supplierd/services/Products.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// One variant of a batch: what is asked for, and what that would do.
struct PlannedVariant {
    BatchedProduct result;
    /// `id` is that of the variant that there is.
    VariantInput input;
};

/// What a batch of variants comes to, as things are: three statements, however many there are.
class VariantPlan {
public:
    VariantPlan(SqlSession& session, std::int64_t supplierId) : _session(session), _supplierId(supplierId) {}

    using Plan = std::vector<PlannedVariant>;

    /// In the order of `entries`. Throws DatabaseError.
    Plan make(std::span<const JsonObject> entries);
    /// Puts into the results of a plan of make() what would become different.
    void describe(Plan& plan) const;

private:
    void findProducts(const std::vector<ProductName>& names, std::span<const JsonObject> entries, Plan& plan);
    void readStored(const Plan& plan);
    void planOne(const JsonObject& entry, PlannedVariant& planned);
    /// The id of the variant that is named; nothing for a new one. Adds a detail where that cannot be said.
    std::optional<std::int64_t> find(const JsonObject& variant, std::int64_t productId, Details& details) const;
    void findTakenSkus(Plan& plan);
    void findTooMany(Plan& plan) const;

    SqlSession& _session;
    std::int64_t _supplierId;
    std::map<std::int64_t, StoredVariants> _stored; ///< by product
    std::set<std::string> _seen;                    ///< what was named, so that nothing is named twice
};

} // namespace supplierd::catalog
