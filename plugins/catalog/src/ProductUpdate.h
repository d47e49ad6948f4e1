#pragma once

#include <string>
#include <string_view>

namespace supplierd::catalog {

/// The statement by which products change: it stamps each of its rows with the number of the change, a new version and
/// the time. Nothing else writes products.change_seq of a row that is there. The pieces are constants.
struct ProductUpdate {
    std::string_view rows = "products FORCE INDEX (PRIMARY)";
    /// What stands for the number that the lock of the catalogue gave.
    std::string_view changeSeq = "?";
    /// Rows for which this holds are not stamped; `changeSeq` then stands there three times. It is evaluated once a
    /// row, before `set`.
    std::string_view unless = {};
    /// Further assignments.
    std::string_view set = {};
    std::string_view where;

    /// The parameters follow the members but the first: change number, `set`, `where`; with `unless`, that and three
    /// times the change number.
    std::string sql() const;
};

} // namespace supplierd::catalog
