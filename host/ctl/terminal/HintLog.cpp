#include "host/ctl/terminal/HintLog.h"

namespace supplierd::host {

void HintLog::write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (level < LogLevel::Warning)
        return;
    std::string line = (level == LogLevel::Error ? "error: plugin '" : "warning: plugin '") + _pluginId + "': ";
    line += message;
    for (const auto& field : fields)
        line.append(", ").append(field.name).append(": ").append(field.value);
    _out << line << "\n";
}

} // namespace supplierd::host
