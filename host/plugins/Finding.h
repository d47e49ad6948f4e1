#pragma once

#include <string>
#include <vector>

namespace supplierd::host {

/// One thing that `supplierctl doctor` looked at.
struct Finding {
    enum class Level { Good, Warning, Error };

    Level level = Level::Good;
    std::string check;    ///< what was looked at: "database version"
    std::string message;  ///< what was found
    std::string fix = {}; ///< what to do; empty when all is good
};

using Findings = std::vector<Finding>;

} // namespace supplierd::host
