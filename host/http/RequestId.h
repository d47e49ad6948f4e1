#pragma once

#include <string>
#include <string_view>

namespace supplierd::host {

/// 1 to 64 of [A-Za-z0-9._-].
bool isValidRequestId(std::string_view text);
/// Unique among all hosts for all practical purposes; no secret.
std::string newRequestId();

} // namespace supplierd::host
