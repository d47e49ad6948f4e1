#pragma once

#include "host/observe/LogWriter.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace supplierd::host {

/// What the access log says of one request. Route is the pattern, never the path: a path may hold what a client pasted.
struct AccessRecord {
    std::string_view requestId;
    std::string_view keyPrefix; ///< empty: no valid key
    std::int64_t supplierId = 0;
    std::string_view client;
    std::string_view method;
    std::string_view route;
    int status = 0;
    std::size_t bytes = 0;
    bool cutOff = false; ///< fewer than the answer's head promised
    double milliseconds = 0;
};

/// One JSON line per request.
class AccessLog {
public:
    explicit AccessLog(LogWriter& writer) : _writer(writer) {}
    void write(const AccessRecord& record);

private:
    LogWriter& _writer;
};

} // namespace supplierd::host
