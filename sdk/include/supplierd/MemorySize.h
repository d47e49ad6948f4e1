#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Config.h>

#include <cstddef>
#include <string_view>

namespace supplierd {

/// The value of a ConfigType::Size that says how much memory to use. Throws ConfigError when that is more than this
/// machine has. Since 1.0.
SUPPLIERD_API std::size_t memorySize(const Config& config, std::string_view key);

} // namespace supplierd
