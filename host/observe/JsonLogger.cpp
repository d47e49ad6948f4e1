#include "host/observe/JsonLogger.h"

#include <supplierd/JsonWriter.h>

#include <fmt/format.h>

#include <ctime>
#include <iterator>

namespace supplierd::host {

namespace {

std::string_view levelName(LogLevel level) {
    switch (level) {
    case LogLevel::Debug:
        return "debug";
    case LogLevel::Information:
        return "information";
    case LogLevel::Warning:
        return "warning";
    case LogLevel::Error:
        break;
    }
    return "error";
}

} // namespace

void appendTimestamp(std::string& out) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    tm utc{};
    gmtime_r(&now.tv_sec, &utc);
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                   utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, now.tv_nsec / 1'000'000);
}

void JsonLogger::write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (level < _threshold)
        return;
    std::string time;
    appendTimestamp(time);
    std::string line;
    JsonWriter json(line);
    json.beginObject().field("time", time).field("level", levelName(level)).field("source", _source);
    json.field("message", message);
    for (const auto& field : fields) {
        if (field.isJson)
            json.key(field.name).raw(field.value);
        else
            json.field(field.name, field.value);
    }
    json.endObject();
    line += '\n';
    _writer.write(line);
}

} // namespace supplierd::host
