#pragma once

#include "host/config/ConfigProblem.h"
#include "host/config/Settings.h"

namespace supplierd::host {

/// What of the configuration this process, as the user that it runs as, would find out at its start only: files that it
/// is to write and cannot. Writes nothing.
void checkWritableFiles(const Settings& settings, ConfigProblems& problems);

} // namespace supplierd::host
