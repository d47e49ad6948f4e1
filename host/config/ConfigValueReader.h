#pragma once

#include "host/config/ConfigValue.h"
#include "host/config/Diagnostic.h"

#include <supplierd/Config.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace supplierd::host {

/// A value of the type that its key asks for: sizes are integers (bytes).
using TypedConfigValue = std::variant<bool, std::int64_t, std::string, std::vector<std::string>,
                                      std::chrono::milliseconds, std::vector<std::int64_t>>;

/// The value as `key`, which is no list of tables, wants it; empty, with a problem at the value's place, when it is of
/// another type, malformed or out of range. The message names what is wanted and what was found, but never the value of
/// a secret.
std::optional<TypedConfigValue> readConfigValue(const ConfigKey& key, const ConfigValue& value, Diagnostics& problems);

} // namespace supplierd::host
