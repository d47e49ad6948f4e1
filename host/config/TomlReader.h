#pragma once

#include "host/config/ConfigValue.h"
#include "host/config/Diagnostic.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace supplierd::host {

/// Reads a TOML file. Empty, with a problem, when it cannot be read or is no TOML.
std::optional<ConfigTable> readTomlFile(const std::filesystem::path& file, Diagnostics& problems);

/// One value as it would stand behind `key =`; empty when it is none.
std::optional<ConfigValue> readTomlValue(std::string_view text);

} // namespace supplierd::host
