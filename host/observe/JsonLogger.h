#pragma once

#include "host/observe/LogWriter.h"

#include <supplierd/Log.h>

#include <string>

namespace supplierd::host {

/// Logger that writes one JSON object per line: time, level, source, message, then the fields.
class JsonLogger final : public Logger {
public:
    JsonLogger(LogWriter& writer, std::string source, LogLevel threshold)
        : _writer(writer), _source(std::move(source)), _threshold(threshold) {}

    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override;

private:
    LogWriter& _writer;
    std::string _source;
    LogLevel _threshold;
};

/// "2026-11-20T14:48:00.123Z", appended.
void appendTimestamp(std::string& out);

} // namespace supplierd::host
