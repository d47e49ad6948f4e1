#pragma once

#include <cstdint>
#include <string_view>

namespace supplierd::demo {

/// A number from `min` to `max` that looks like chance and comes out the same on every machine and in every run.
std::int64_t between(std::string_view object, std::string_view purpose, std::int64_t min, std::int64_t max);

} // namespace supplierd::demo
