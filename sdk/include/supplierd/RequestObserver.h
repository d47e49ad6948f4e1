#pragma once

#include <supplierd/Abi.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace supplierd {

/// A request that was answered.
struct SUPPLIERD_API AnsweredRequest {
    std::string requestId;
    std::string method; ///< as it came
    std::string path;   ///< raw, without the query
    /// The route's pattern with its base path; empty when the request never got to one.
    std::string route;
    int status = 0;
    /// Of an error, such as "NOT_FOUND"; empty otherwise, and for a replayed one.
    std::string errorCode;
    std::string clientAddress;
    std::int64_t supplierId = 0; ///< 0 for operators and unknown callers
    std::int64_t keyId = 0;
    std::string keyPrefix;
    bool isOperator = false;
    std::uint64_t bytesSent = 0; ///< of the body
    std::chrono::microseconds took{0};
    std::chrono::system_clock::time_point answeredAt;
    Reserved reserved;
};

/// Is told of requests after they were answered. Registered by Host::addObserver(). Each has a queue and a thread of
/// the host's, so that it delays no request: when it is slower than requests come and QUEUE of them wait, further ones
/// are dropped for it, which the metric `supplierd_observer_dropped_total` counts.
///
/// Thread: one, the observer's. Lifetime: until the plugin's drain() is called; what waits then was told before. An
/// exception costs what was being told, and a line in the log. Since 1.0.
class SUPPLIERD_API RequestObserver {
public:
    static constexpr std::size_t QUEUE = 8'192;

    /// In the order in which they were answered; several at once when many wait.
    virtual void answered(std::span<const AnsweredRequest> requests) = 0;

protected:
    ~RequestObserver() = default;
};

} // namespace supplierd
