#pragma once

#include <supplierd/Log.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::testing {

struct FakeLogLine {
    LogLevel level;
    std::string message;
    std::vector<LogField> fields;
};

/// Keeps what is logged. Thread: one. Since 1.0.
class FakeLogger final : public Logger {
public:
    using Logger::write;
    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
        _lines.push_back({level, std::string(message), {fields.begin(), fields.end()}});
    }

    const std::vector<FakeLogLine>& lines() const { return _lines; }
    bool contains(std::string_view messagePart) const;

private:
    std::vector<FakeLogLine> _lines;
};

} // namespace supplierd::testing
