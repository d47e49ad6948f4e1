#pragma once

#include <string_view>

// SQL by which the bundled plugins read a table of the plugin `categories` in statements of their own, for speed: they
// are built and released together. Plugins of third parties ask the service CategoryTree.

namespace supplierd {

/// Joins to rows `p`, by `p.category_id`, their category as `c`, of which `c.name` and `c.version` may be used.
inline constexpr std::string_view JOIN_CATEGORY = R"(
    STRAIGHT_JOIN categories c FORCE INDEX (PRIMARY) ON c.id = p.category_id)";

} // namespace supplierd
