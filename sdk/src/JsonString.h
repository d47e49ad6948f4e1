#pragma once

#include <cstddef>
#include <string_view>

namespace supplierd {

/// Copies `text` to `to` as far as it needs no escape and is ASCII; returns how many bytes that were.
std::size_t copyPlain(char* to, std::string_view text);

} // namespace supplierd
