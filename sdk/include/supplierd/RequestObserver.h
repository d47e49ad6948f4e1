#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Host.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd {

/// What an observer wants to be told of each request beside the facts. Copying it takes time and memory, so that it is
/// made only where somebody asks for it, and only for requests whose caller is known. It is what clients sent, with
/// whatever secrets are in it.
struct SUPPLIERD_API ObserverOptions {
    /// So many bytes of a request's body.
    std::size_t requestBody = 0;
    /// So many bytes of the body of a response with a status from 400 on.
    std::size_t errorBody = 0;
    /// The names of request headers, in any case. Authorization, Proxy-Authorization and Cookie are told to nobody.
    std::vector<std::string> headers = {};
    Reserved reserved = {};
};

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
    std::string query; ///< raw, without the '?'
    /// Of a request with a body that came whole: how many bytes, of which `requestBody` has the first.
    std::uint64_t requestBodySize = 0;
    /// As it came, see ObserverOptions. Of a route with Body::Raw what its handler has read.
    std::string requestBody;
    std::string errorBody; ///< before it was compressed
    /// Those of ObserverOptions::headers that came, as they were named there; of each the first line.
    std::vector<std::pair<std::string, std::string>> headers;
    Reserved reserved;
};

/// What an observer knows of a request when it is asked whether it wants to be told of it. Lifetime: the call's.
struct SUPPLIERD_API RequestSummary {
    std::string_view method; ///< as it came
    std::string_view route;  ///< as AnsweredRequest::route
    int status = 0;
    std::int64_t supplierId = 0;
    std::int64_t keyId = 0;
    bool isOperator = false;
    std::chrono::microseconds took{0};
    std::chrono::system_clock::time_point answeredAt;
    Reserved reserved;
};

/// Is told of requests after they were answered. Registered by Host::addObserver(). Each has a queue and a thread of
/// the host's, so that it delays no request: when it is slower than requests come and QUEUE of them wait, or
/// QUEUE_BODIES bytes of their bodies, further ones are dropped for it, which the metric
/// `supplierd_observer_dropped_total` counts. What comes within a few hundredths of a second is told at once.
///
/// Thread: one, the observer's. Lifetime: until the plugin's drain() is called; what waits then was told before. An
/// exception costs what was being told, and a line in the log. Since 1.0.
class SUPPLIERD_API RequestObserver {
public:
    static constexpr std::size_t QUEUE = 8'192;
    static constexpr std::size_t QUEUE_BODIES = std::size_t{16} << 20;

    /// In the order in which they were answered; several at once when many wait.
    virtual void answered(std::span<const AnsweredRequest> requests) = 0;

    /// Whether it is told of this one. Thread: any, several at once: the request's own, behind its answer, so it has to
    /// be quick. What nobody wants costs nothing more than this question. An exception means no. Since 1.0.
    virtual bool wants(const RequestSummary& facts) {
        static_cast<void>(facts);
        return true;
    }

protected:
    ~RequestObserver() = default;
};

inline void Host::addObserver(RequestObserver& observer) {
    addObserver(observer, ObserverOptions());
}

} // namespace supplierd
