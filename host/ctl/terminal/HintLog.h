#pragma once

#include <supplierd/Log.h>

#include <ostream>
#include <string>

namespace supplierd::host {

/// What a plugin that runs within supplierctl logs: warnings and errors, one line each, for people. Thread: one.
class HintLog final : public Logger {
public:
    HintLog(std::ostream& out, std::string pluginId) : _out(out), _pluginId(std::move(pluginId)) {}

    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override;

private:
    std::ostream& _out;
    std::string _pluginId;
};

} // namespace supplierd::host
