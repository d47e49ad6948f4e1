#include "batch/VariantBatch.h"

#include <map>

namespace supplierd::catalog {

void VariantBatch::write(const std::vector<PlannedVariant>& plan) {
    using Outcome = BatchedProduct::Outcome;
    std::map<std::int64_t, ProductInput> changes;
    for (const PlannedVariant& planned : plan)
        if (planned.result.outcome == Outcome::Created || planned.result.outcome == Outcome::Updated)
            changes[planned.result.productId].variants.push_back(planned.input);
    ProductWriter writer(_dependencies, _supplierId, _actor);
    for (const auto& [productId, input] : changes)
        writer.update(_transaction, productId, input);
}

} // namespace supplierd::catalog
