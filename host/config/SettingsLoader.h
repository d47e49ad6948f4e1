#pragma once

#include "host/config/Diagnostic.h"
#include "host/config/FileMark.h"
#include "host/config/Settings.h"

#include <filesystem>
#include <vector>

namespace supplierd::host {

/// Reads the configuration file, then `conf.d/*.toml` beside it in alphabetical order (a later file adds tables and
/// overrides keys), then the environment (SUPPLIERD_DATABASE_PASSWORD). Everything that is wrong is added to
/// `problems`; a setting with an error keeps its default, so that the rest can still be checked. Do not use the result
/// to serve when problems.hasErrors(). Of a copy, `original` is the file whose folder relative paths are taken from.
/// Throws nothing but std::bad_alloc.
Settings loadSettings(const std::filesystem::path& file, Diagnostics& problems,
                      const std::filesystem::path& original = {});

/// The tables of the same files as they stand there, each value with its place, nothing checked but that it is TOML.
/// They may hold secrets.
ConfigTable loadTables(const std::filesystem::path& file, Diagnostics& problems);

/// The files that settings would be read from now, with absolute paths and as they are now; the file itself first.
std::vector<MarkedFile> configurationFiles(const std::filesystem::path& file);

} // namespace supplierd::host
