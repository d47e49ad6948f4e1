#include "host/server/ServerLogs.h"

#include <string>

namespace supplierd::host {

namespace {

void report(const LogFailure& failure, const std::string& log, Logger& other) {
    switch (failure.kind) {
    case LogFailure::Kind::LosingLines:
        other.error("lines of " + log + " are being lost", {{"target", failure.target}, {"reason", failure.reason}});
        break;
    case LogFailure::Kind::Recovered:
        other.warning(log + " is written again",
                      {{"target", failure.target}, {"lines_lost", static_cast<std::int64_t>(failure.lines)}});
        break;
    case LogFailure::Kind::ReopenFailed:
        other.error("SIGUSR1: " + failure.reason + "; the old file is written on");
        break;
    }
}

} // namespace

ServerLogs::ServerLogs(const LogSettings& settings)
    : _writer(settings.file == "-" ? "stderr" : settings.file), _log(_writer, "supplierd", settings.level) {
    _writer.onFailure([this](const LogFailure& failure) {
        if (failure.kind == LogFailure::Kind::ReopenFailed)
            report(failure, "the server's log", _log);
        else if (_accessNotes)
            report(failure, "the server's log", *_accessNotes);
    });
    if (settings.accessLog == "off")
        return;
    _accessWriter = std::make_unique<LogWriter>(settings.accessLog);
    _accessLog.emplace(*_accessWriter);
    _accessNotes.emplace(*_accessWriter, "supplierd", settings.level);
    _accessWriter->onFailure([this](const LogFailure& failure) { report(failure, "the access log", _log); });
}

ServerLogs::~ServerLogs() {
    for (LogWriter* writer : {&_writer, _accessWriter.get()})
        if (writer)
            writer->onFailure({});
}

void ServerLogs::reopen() {
    _writer.reopen();
    if (_accessWriter)
        _accessWriter->reopen();
}

void ServerLogs::flush(std::chrono::milliseconds limit) {
    _writer.flush(limit);
    if (_accessWriter)
        _accessWriter->flush(limit);
}

std::uint64_t ServerLogs::droppedLines() const {
    return _writer.droppedLines() + (_accessWriter ? _accessWriter->droppedLines() : 0);
}

} // namespace supplierd::host
