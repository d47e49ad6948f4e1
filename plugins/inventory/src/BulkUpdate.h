#pragma once

#include "BulkInput.h"
#include "Targets.h"

#include <supplierd/AuditLog.h>
#include <supplierd/Request.h>

#include <cstdint>

namespace supplierd::inventory {

class NamedProducts;

/// One POST /stock or POST /prices: sets the stocks or prices of many products and variants. What is wrong with an item
/// is told in the answer and stops no other; the good items commit together.
///
/// All writers of the supplier wait for the catalogue's lock, so as much as can be is done before it is taken. Plain
/// values of products are set without a look at what they were, on the condition that all those products are there. For
/// anything else the items are looked up: what was read is still so under the lock when nobody has changed the
/// catalogue in between, which its number tells; otherwise it is read again.
class BulkUpdate {
public:
    BulkUpdate(Request& request, Subject subject, AuditLog& audit);

    Response answer();

private:
    Response run(Transaction& transaction);
    Response set(Transaction& transaction, const NamedProducts& named);
    Response change(Transaction& transaction);
    /// Reads and writes with the catalogue's lock held.
    Response changeLocked(Transaction& transaction, std::int64_t changeSeq);
    /// Carries out all items on the targets, in order. Returns what is wrong with which of them.
    ItemErrors apply(Targets& targets) const;
    Response answer(const ItemErrors& errors) const;
    /// One entry for the whole request.
    void record(Transaction& transaction, const ItemErrors& errors) const;

    Request& _request;
    const std::int64_t _supplierId;
    const Subject _subject;
    AuditLog& _audit;
    const BulkInput _input;
};

} // namespace supplierd::inventory
