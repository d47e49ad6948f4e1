#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace supplierd::host {

/// Takes whole numbers from 1; for anything else: "'x' is no supplier id".
CLI::Validator idOf(const std::string& what);

} // namespace supplierd::host
