#pragma once

#include <array>
#include <string_view>

namespace supplierd {

/// productUnits() as a constant. The place of each is the number by which the bundled plugins store it, so new ones go
/// to the end.
inline constexpr std::array<std::string_view, 8> PRODUCT_UNITS{"stem",  "bunch",    "box",   "pack",
                                                               "piece", "kilogram", "meter", "roll"};

} // namespace supplierd
