#pragma once

namespace CLI {
class App;
}

namespace supplierd::host {

/// Puts examples of its own under the help of every command that does something. Throws std::logic_error when there are
/// some for a command that does not exist.
void addExamples(CLI::App& program);

} // namespace supplierd::host
