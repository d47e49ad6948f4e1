#pragma once

#include <ostream>

namespace supplierd::host {

/// supplierctl: reads the arguments, runs the command, returns the exit code (see CommandFailure.h). Results go to
/// `out`, hints and errors to `errors`; with --json an error is an object on `out` too.
int runControlProgram(int argc, const char* const* argv, std::ostream& out, std::ostream& errors);

} // namespace supplierd::host
