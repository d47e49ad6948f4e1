#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace supplierd::host {

/// How many letters differ: inserted, left out, replaced, or two neighbours swapped.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The name that was probably meant; empty when none is near. Of two equally near, the first.
std::string nearestName(std::string_view typed, std::span<const std::string> names);

/// "; did you mean 'pool_size'?", or nothing.
std::string suggestion(std::string_view typed, std::span<const std::string> names);

} // namespace supplierd::host
