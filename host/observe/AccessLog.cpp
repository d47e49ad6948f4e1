#include "host/observe/AccessLog.h"

#include "host/observe/JsonLogger.h"

#include <supplierd/JsonWriter.h>

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace supplierd::host {

void AccessLog::write(const AccessRecord& record) {
    thread_local std::string line;
    line.assign("{\"time\":\"");
    appendTimestamp(line);
    line += "\",\"request_id\":";
    appendJsonString(line, record.requestId);
    line += ",\"key\":";
    if (record.keyPrefix.empty())
        line += "null,\"supplier\":null";
    else {
        appendJsonString(line, record.keyPrefix);
        if (record.supplierId != 0)
            fmt::format_to(std::back_inserter(line), ",\"supplier\":{}", record.supplierId);
        else
            line += ",\"supplier\":null";
    }
    line += ",\"client\":";
    appendJsonString(line, record.client);
    line += ",\"method\":";
    appendJsonString(line, record.method);
    line += ",\"route\":";
    appendJsonString(line, record.route);
    fmt::format_to(std::back_inserter(line), ",\"status\":{},\"bytes\":{},{}\"ms\":{:.3f}}}\n", record.status,
                   record.bytes, record.cutOff ? "\"cut_off\":true," : "", record.milliseconds);
    _writer.write(line);
}

} // namespace supplierd::host
