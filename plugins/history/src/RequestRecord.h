#pragma once

#include "RecordedBody.h"

#include <cstdint>
#include <string>

namespace supplierd::history {

/// A request as it is kept: without secrets, and all texts UTF-8.
struct RequestRecord {
    std::int64_t supplierId = 0;
    /// When it was answered, in microseconds since 1970; unique among the supplier's.
    std::int64_t id = 0;
    std::int64_t keyId = 0;
    std::string keyPrefix;
    std::string method;
    std::string path;
    std::string query;
    std::int64_t status = 0;
    std::string errorCode; ///< empty without one
    std::string errorMessage;
    std::string requestId;
    std::string clientAddress;
    std::int64_t tookMicroseconds = 0;
    std::string headers = "{}"; ///< a JSON object
    std::int64_t bodySize = 0;
    RecordedBody body;
    std::string response; ///< the body of an error

    bool isError() const { return isError(status); }
    static bool isError(std::int64_t status) { return status >= 400; }
    /// What it takes, roughly.
    std::int64_t size() const {
        constexpr std::size_t ROW = 256;
        return static_cast<std::int64_t>(ROW + path.size() + query.size() + errorMessage.size() + headers.size() +
                                         body.text.size() + response.size());
    }
};

} // namespace supplierd::history
