#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Appends ids, ascending and each once, as their number, the first one and the distances between them: whole numbers
/// of 7 bits a byte, the lowest first, with the top bit set on all bytes but the last. Nothing instead of ids is the
/// number 0, and stands for "more than are kept".
void packIds(std::string& out, const std::optional<std::vector<std::int64_t>>& ids);

/// Takes what packIds() appended from the front of `packed`. Nothing too for what it cannot have appended, and then
/// nothing of `packed` is left.
std::optional<std::vector<std::int64_t>> unpackIds(std::string_view& packed);

} // namespace supplierd::host
