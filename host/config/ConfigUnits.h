#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// "250ms", "5s", "2m", "1h", "7d": a whole number and its unit, nothing between; or "0". Empty when it is none.
std::optional<std::chrono::milliseconds> parseDuration(std::string_view text);
/// In the largest unit that keeps it whole.
std::string formatDuration(std::chrono::milliseconds duration);

/// "512", "64KiB", "5MiB", "1GiB", in bytes. Empty when it is none.
std::optional<std::int64_t> parseSize(std::string_view text);
std::string formatSize(std::int64_t bytes);

} // namespace supplierd::host
