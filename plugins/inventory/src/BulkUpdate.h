#pragma once

#include "BulkInput.h"
#include "Targets.h"

#include <supplierd/Request.h>

#include <cstdint>

namespace supplierd::inventory {

/// One POST /stock or POST /prices: sets the stocks or prices of many products and variants. What is wrong with an item
/// is told in the answer and stops no other; the good items commit together.
///
/// The items are looked up before the catalogue's lock is taken, since all writers of the supplier wait for that: what
/// was read then is still so when nobody has changed the catalogue in between, which its number tells. Otherwise plain
/// values of products are set on the condition that those are still there, and everything else is read again.
class BulkUpdate {
public:
    BulkUpdate(Request& request, Subject subject);

    Response answer();

private:
    Response run(Transaction& transaction);
    /// Every item is a plain value of a product that is there and has another one.
    bool isBlind(const Targets& targets) const;
    /// Carries out all items on the targets, in order. Returns what is wrong with which of them.
    ItemErrors apply(Targets& targets) const;
    Response answer(const ItemErrors& errors) const;

    Request& _request;
    const std::int64_t _supplierId;
    const Subject _subject;
    const BulkInput _input;
};

} // namespace supplierd::inventory
