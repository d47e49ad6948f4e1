#pragma once

#include "host/ctl/terminal/CommandFailure.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace supplierd::host {

/// Takes whole numbers from 1; for anything else: "'x' is no supplier id".
CLI::Validator idOf(const std::string& what);

CommandFailure noSuchSupplier(std::int64_t id);

} // namespace supplierd::host
