#pragma once

#include <supplierd/services/Operations.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

/// One thing that `supplierctl doctor` looked at.
struct Finding {
    using Level = CheckResult::Level;

    Level level = Level::Good;
    std::string check;    ///< what was looked at: "database version"
    std::string message;  ///< what was found
    std::string fix = {}; ///< what to do; empty when all is good
};

constexpr std::string_view nameOf(Finding::Level level) {
    return level == Finding::Level::Good ? "good" : level == Finding::Level::Warning ? "warning" : "error";
}

/// In the order in which they were found.
struct Findings : std::vector<Finding> {
    using std::vector<Finding>::vector;

    void good(std::string check, std::string message) {
        push_back({Finding::Level::Good, std::move(check), std::move(message)});
    }
    void warn(std::string check, std::string message, std::string fix) {
        push_back({Finding::Level::Warning, std::move(check), std::move(message), std::move(fix)});
    }
    void fail(std::string check, std::string message, std::string fix) {
        push_back({Finding::Level::Error, std::move(check), std::move(message), std::move(fix)});
    }
    /// Good, or of this level: then with what follows from it behind the message.
    void judge(bool isGood, Finding::Level otherwise, std::string check, std::string message, const std::string& then,
               std::string fix) {
        push_back({isGood ? Finding::Level::Good : otherwise, std::move(check), isGood ? message : message + then,
                   isGood ? std::string() : std::move(fix)});
    }
    void add(const Findings& others) { insert(end(), others.begin(), others.end()); }
    /// Whether there is nothing but warnings.
    bool isHealthy() const {
        return std::none_of(begin(), end(), [](const Finding& one) { return one.level == Finding::Level::Error; });
    }
};

} // namespace supplierd::host
