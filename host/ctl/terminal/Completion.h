#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace supplierd::host {

class ControlContext;

/// The word before which shells ask what could be typed next: `supplierctl __complete WORD... PREFIX`.
constexpr const char* COMPLETION_WORD = "__complete";

/// What could stand for the last of `words` (what was typed of it, may be empty), behind the others: lines
/// "value<TAB>what it is", and ":files" where a file is wanted. From the command line itself, so it is never older than
/// that. Reads ids of plugins from the folder of plugins; no database. Throws nothing for a wrong command line.
std::vector<std::string> completionsFor(const CLI::App& program, ControlContext& context,
                                        const std::vector<std::string>& words);

} // namespace supplierd::host
