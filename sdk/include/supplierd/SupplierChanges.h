#pragma once

#include <string_view>

namespace supplierd {

/// For statements of one's own that must see, in one and the same moment, what they read and the number of the
/// supplier's last change: an expression with one parameter, the supplier's id. NULL when there is no such supplier.
/// Since 1.0.
inline constexpr std::string_view LAST_CHANGE = "(SELECT change_seq FROM supplier_state WHERE supplier_id = ?)";

} // namespace supplierd
