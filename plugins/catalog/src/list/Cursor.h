#pragma once

#include "ListSort.h"
#include "index/IndexedProduct.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::catalog {

/// Where a walk through a list stands. The walk first follows the list's order; what other clients changed meanwhile
/// may have moved behind it, so it then goes through the products changed since it began. By their ids, which nothing
/// changes: in the order of changes, a product that is changed again and again would stay ahead of it for ever.
///
/// A walk through changes follows their order instead, (change_seq, id).
struct Cursor {
    enum class Phase : std::uint8_t { Order = 1, LateChanges = 2, Delta = 3 };

    Phase phase = Phase::Order;
    ListSort sort;
    std::uint64_t fingerprint = 0;
    /// How many products the walk has delivered before the page that this cursor leads to. Where the changes begin it
    /// is rounded up to whole pages, so that they have a page number of their own.
    std::int64_t position = 1;
    /// supplier_state.change_seq when the walk began. Of Delta: when the copy began that it is of (changed_after=0); 0
    /// when it is of none, or has come to its end.
    std::int64_t startSeq = 0;
    /// The last product delivered: its id and, by phase, its sort key or its change_seq.
    IndexPosition last;
    /// Where the products changed meanwhile end, so that the walk does: the newest one when it came to them. Of
    /// LateChanges alone.
    std::int64_t endId = 0;
    /// The change_seq of the page before: none of an earlier one follows, or what was changed between would be missed.
    /// 0: of a release that did not tell.
    std::int64_t shownSeq = 0;

    /// By number, at so many products a page, whatever the pages before had.
    std::int64_t pageNumber(std::int64_t perPage) const { return position / perPage + 1; }

    /// Opaque text of [A-Za-z0-9_-].
    std::string encode() const;
    /// Nothing for a text that encode() cannot have made.
    static std::optional<Cursor> decode(std::string_view text);
};

} // namespace supplierd::catalog
