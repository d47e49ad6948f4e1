#pragma once

#include "index/CatalogView.h"
#include "list/ListQuery.h"

#include <cstdint>
#include <limits>

namespace supplierd::catalog {

/// Where a delta (changed_after, and the cursors of its pages) goes on, in the order of changes. Thread: a value.
struct DeltaPlace {
    /// As the id of `after`: behind all products of the change.
    static constexpr std::int64_t END = std::numeric_limits<std::int64_t>::max();

    ChangePosition after;
    /// Of a copy, which begins with changed_after=0: the number of its first page. Up to there the order of changes is
    /// that of the copy, for the most part older than the change log. 0: of any other delta, and of the rest of one.
    std::int64_t copyOf = 0;

    /// Of a query with changed_after, or with a cursor of Phase::Delta.
    static DeltaPlace of(const ListQuery& query, const IndexFilter& filter, const CatalogView& view);

    /// Whether all deletions that who stands here does not know of yet are still there.
    bool isTold(const CatalogView& view) const;
    /// What last_change_seq says of it. Where there is no number for it, that of something before it: then only the
    /// cursor leads on.
    std::int64_t number(const IndexFilter& filter, const CatalogView& view) const;
};

} // namespace supplierd::catalog
