#pragma once

#include <string>
#include <string_view>

// SQL by which the bundled plugins read a table of the host in statements of their own, for speed: they are built and
// released together. Plugins of third parties ask the service ChangeLog.

namespace supplierd {

/// The number of the supplier's last change, in the moment of the statement: an expression with one parameter, the
/// supplier's id. NULL when there is no such supplier.
inline constexpr std::string_view LAST_CHANGE = "(SELECT change_seq FROM supplier_state WHERE supplier_id = ?)";

/// Joins to a few rows of suppliers, `rows` in the statement's words, by their supplier_id, the number of the
/// supplier's last change as `s.change_seq`, and that of MARKETPLACE as `m.change_seq`. It takes the database half of
/// what LAST_CHANGE twice does.
inline std::string joinLastChanges(std::string_view rows) {
    return "\n    JOIN supplier_state s ON s.supplier_id = " + std::string(rows) +
           ".supplier_id\n    JOIN supplier_state m ON m.supplier_id = 0";
}

} // namespace supplierd
