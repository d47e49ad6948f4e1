#include "list/DeltaPlace.h"

#include "list/CopyPlace.h"

#include <supplierd/internal/ChangePlace.h>

#include <algorithm>

namespace supplierd::catalog {

DeltaPlace DeltaPlace::of(const ListQuery& query, const IndexFilter& filter, const CatalogView& view) {
    if (!query.changedAfter)
        return {{query.cursor->last.number, query.cursor->last.id}, query.cursor->startSeq};
    const std::int64_t number = *query.changedAfter;
    if (number == 0)
        return {{0, END}, view.changeSeq()};
    if (const auto place = CopyPlace::decode(number, view.changeSeq()))
        return {view.positionBeforeRest(filter, 0, place->seq, place->rest).value_or(ChangePosition{}), place->seq};
    if (const auto place = ChangePlace::decode(number))
        return {view.positionBeforeRest(filter, place->seq, place->seq, place->rest)
                    .value_or(ChangePosition{place->seq, 0})};
    return {{number, END}};
}

/// A copy needs the deletions since it began: what was deleted before is in none of its pages.
bool DeltaPlace::isTold(const CatalogView& view) const {
    const std::int64_t whole = after.id == END ? after.seq : std::max<std::int64_t>(after.seq - 1, 0);
    const std::int64_t known = copyOf > 0 ? copyOf : whole;
    return known >= view.logBegin();
}

std::int64_t DeltaPlace::number(const IndexFilter& filter, const CatalogView& view) const {
    if (copyOf > 0 && view.logBegin() > 0)
        if (const auto place = CopyPlace{copyOf, view.countChanges(filter, after, copyOf)}.encode(view.changeSeq()))
            return *place;
    if (after.id == END)
        return after.seq;
    const ChangePlace place{after.seq, view.countChanges(filter, after, after.seq)};
    return place.encode().value_or(after.seq - 1);
}

} // namespace supplierd::catalog
