#pragma once

#include "ProductChanges.h"
#include "SkuRegister.h"
#include "VariantInput.h"

#include <supplierd/Database.h>
#include <supplierd/Validation.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// The variants of one product and what a request does to them. Within a transaction that holds the catalog's lock,
/// or, to look for problems only, outside any.
class VariantWriter {
public:
    /// Reads the product's variants when the request names any; productId 0 is a product that is only being made.
    VariantWriter(SqlSession& session, std::int64_t supplierId, std::int64_t productId,
                  const std::vector<VariantInput>& inputs);

    /// Ids that are no variants of the product, and too many variants in the end.
    void findProblems(Details& details) const;
    /// Adds what the request wants to be called by a new SKU, and the variants whose SKUs it gives up.
    void collectSkus(std::vector<SkuClaim>& claims, std::set<std::int64_t>& released) const;
    /// Makes, changes and removes variants, in the request's order, and claims their SKUs.
    void apply(std::int64_t productId, SkuRegister& skus);
    /// What apply() did.
    void describe(ProductChanges& changes) const;

private:
    bool releasesSku(const VariantInput& input) const;
    std::int64_t insert(std::int64_t productId, const VariantInput& input);
    void update(const VariantInput& input);

    SqlSession& _session;
    const std::vector<VariantInput>& _inputs;
    StoredVariants _stored;
    std::vector<std::int64_t> _newIds;
};

} // namespace supplierd::catalog
