#pragma once

#include <string>
#include <string_view>

namespace supplierd::host {

/// What is wrong with a text that is no TOML, and what to do, in the words of a configuration: from what the library
/// says of it, the whole text, and the line (from 1) at which the library stopped.
std::string describeTomlProblem(std::string_view said, std::string_view text, int line);

} // namespace supplierd::host
