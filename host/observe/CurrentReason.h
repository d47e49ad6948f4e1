#pragma once

#include <string>

namespace supplierd::host {

/// What left a plugin's function, as text. Within `catch (...)` only.
std::string currentReason();

} // namespace supplierd::host
