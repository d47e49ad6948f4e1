#pragma once

#include "host/config/Settings.h"
#include "host/observe/AccessLog.h"
#include "host/observe/JsonLogger.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace supplierd::host {

/// The server's log and its access log. Each reports what the other one cannot say of itself. Thread: any.
class ServerLogs {
public:
    explicit ServerLogs(const LogSettings& settings);
    ~ServerLogs();
    ServerLogs(const ServerLogs&) = delete;
    ServerLogs& operator=(const ServerLogs&) = delete;

    LogWriter& writer() { return _writer; }
    Logger& log() { return _log; }
    /// Null: off.
    AccessLog* accessLog() { return _accessLog ? &*_accessLog : nullptr; }

    void reopen();
    /// Waits for each of them at most so long.
    void flush(std::chrono::milliseconds limit);
    std::uint64_t droppedLines() const;

private:
    LogWriter _writer;
    std::unique_ptr<LogWriter> _accessWriter;
    std::optional<AccessLog> _accessLog;
    JsonLogger _log;
    std::optional<JsonLogger> _accessNotes; ///< what the server's log cannot say of itself
};

} // namespace supplierd::host
