#pragma once

#include "batch/VariantPlan.h"
#include "write/ProductWriter.h"

#include <cstdint>
#include <vector>

namespace supplierd::catalog {

/// Writes what a plan of variants says, product by product, within a transaction that holds the lock of the supplier's
/// catalogue.
class VariantBatch {
public:
    VariantBatch(Transaction& transaction, const ProductWriter::Dependencies& dependencies, std::int64_t supplierId,
                 const Actor& actor)
        : _transaction(transaction), _dependencies(dependencies), _supplierId(supplierId), _actor(actor) {}

    /// Throws DatabaseError.
    void write(const std::vector<PlannedVariant>& plan);

private:
    Transaction& _transaction;
    const ProductWriter::Dependencies _dependencies;
    std::int64_t _supplierId;
    const Actor& _actor;
};

} // namespace supplierd::catalog
