#pragma once

#include "batch/BatchPlan.h"
#include "write/Sandboxes.h"

#include <supplierd/services/AuditLog.h>

#include <cstdint>
#include <vector>

namespace supplierd::catalog {

/// Writes what a plan says, within a transaction that holds the lock of the supplier's catalogue.
class BatchWriter {
public:
    BatchWriter(Transaction& transaction, AuditLog& audit, Sandboxes& sandboxes, std::int64_t supplierId,
                const Actor& actor)
        : _transaction(transaction), _audit(audit), _sandboxes(sandboxes), _supplierId(supplierId), _actor(actor) {}

    /// Puts the ids of new products into the plan. Throws DatabaseError.
    void write(std::vector<PlannedProduct>& plan);

private:
    using Planned = std::vector<PlannedProduct*>;

    void create(const Planned& products, Change& change);
    void claimSkus(const Planned& products);
    void update(const Planned& products, Change& change);
    void note(const Planned& updated, Change& change) const;
    void record(const Planned& created, const Planned& updated);

    Transaction& _transaction;
    AuditLog& _audit;
    Sandboxes& _sandboxes;
    std::int64_t _supplierId;
    const Actor& _actor;
};

} // namespace supplierd::catalog
