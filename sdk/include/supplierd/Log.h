#pragma once

#include <supplierd/Abi.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd {

enum class LogLevel { Debug, Information, Warning, Error };

/// A named value of a log line.
struct SUPPLIERD_API LogField {
    /// Not copied: it must live until the call returns.
    std::string_view name;
    std::string value;
    /// `value` is JSON, a number or a truth value, and is written as it is.
    bool isJson = false;

    LogField(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
    LogField(std::string_view n, std::integral auto v) : name(n), isJson(true) {
        if constexpr (std::same_as<decltype(v), bool>)
            value = v ? "true" : "false";
        else
            value = std::to_string(v);
    }
};

/// Writes one JSON line per call, with the plugin's id as `source`. Never log a secret. Thread: any. Since 1.0.
class SUPPLIERD_API Logger {
public:
    virtual void write(LogLevel level, std::string_view message, std::span<const LogField> fields) = 0;

    void debug(std::string_view m, std::initializer_list<LogField> f = {}) { write(LogLevel::Debug, m, f); }
    void information(std::string_view m, std::initializer_list<LogField> f = {}) { write(LogLevel::Information, m, f); }
    void warning(std::string_view m, std::initializer_list<LogField> f = {}) { write(LogLevel::Warning, m, f); }
    void error(std::string_view m, std::initializer_list<LogField> f = {}) { write(LogLevel::Error, m, f); }
    void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
        write(level, message, std::span<const LogField>(fields.begin(), fields.size()));
    }

protected:
    ~Logger() = default;
};

} // namespace supplierd
