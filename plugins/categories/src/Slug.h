#pragma once

#include <string>
#include <string_view>

namespace supplierd::categories {

inline constexpr std::size_t MAX_SLUG = 255;

/// A category's name in addresses: "Cut flowers & more" → "cut-flowers-more", "Übertöpfe" → "ubertopfe". Lower-case
/// ASCII letters, digits and single hyphens, at most MAX_SLUG of them; letters of other scripts are left out, so it can
/// be empty. A slug's slug is itself.
std::string slugOf(std::string_view name);

} // namespace supplierd::categories
