#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace supplierd {

/// Turns "2026-11-20T14:48:00.5+01:00" into "2026-11-20 13:48:00.500000" (UTC, as DATETIME(6) has it). The zone must be
/// there; digits beyond microseconds are dropped; a time before or
/// after the range of DATETIME, the years 1000 to 9999, is the first or the last of it.
std::optional<std::string> isoTimeToUtc(std::string_view text);

} // namespace supplierd
