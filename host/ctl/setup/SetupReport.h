#pragma once

#include <supplierd/JsonWriter.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

class ControlContext;

/// What `supplierctl setup` did and found, step by step. Never holds a secret. Thread: one.
class SetupReport {
public:
    enum class State { Done, Already, Skipped };

    explicit SetupReport(ControlContext& context) : _context(context) {}

    /// Tells people at once.
    void add(std::string_view step, State state, std::string text);
    void appendJson(JsonWriter& json) const;

private:
    struct Step {
        std::string name;
        State state;
        std::string text;
    };

    ControlContext& _context;
    std::vector<Step> _steps;
};

} // namespace supplierd::host
