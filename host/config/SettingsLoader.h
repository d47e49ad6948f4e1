#pragma once

#include "host/config/ConfigProblem.h"
#include "host/config/Settings.h"

#include <filesystem>

namespace supplierd::host {

/// Reads the configuration file, then `conf.d/*.toml` beside it in alphabetical order (a later file adds tables and
/// overrides keys), then the environment (SUPPLIERD_DATABASE_PASSWORD). Everything that is wrong is added to
/// `problems`; a setting with an error keeps its default, so that the rest can still be checked. Do not use the result
/// to serve when problems.hasErrors(). Throws nothing but std::bad_alloc.
Settings loadSettings(const std::filesystem::path& file, ConfigProblems& problems);

} // namespace supplierd::host
