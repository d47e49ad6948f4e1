#pragma once

#include <string>

namespace CLI {
class App;
}

namespace supplierd::host {

/// "there is no command 'suplier'; did you mean 'supplier'?" for the first word that is no command where one is
/// expected; empty when the words are all known. Likewise for an unknown option of a known command.
std::string describeMistypedCommand(const CLI::App& program, int argc, const char* const* argv);

} // namespace supplierd::host
