#pragma once

#include "host/outbound/HttpTransport.h"
#include "host/outbound/TimeLimit.h"

#include <curl/curl.h>

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace supplierd::host {

/// What libcurl has of one connection, which can outlive the request on it. Thread: one at a time.
class HttpConnection {
public:
    /// `place`: scheme, host, port and checked address; what was agreed on with one name is not for another one.
    explicit HttpConnection(std::string place);
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    const std::string& place() const { return _place; }
    TimeLimit::Clock::time_point opened() const { return _opened; }
    CURLM* handle() const { return _handle.get(); }
    /// For one request after the other.
    CURL* request() const { return _request.get(); }

    /// Libcurl's; CURL_SOCKET_BAD while there is none.
    curl_socket_t socket = CURL_SOCKET_BAD;
    /// TLS's own good-bye has come.
    bool hasTlsEnded = false;
    TimeLimit::Clock::time_point idleSince;

    /// Whether nothing has come that nobody asked for: bytes, or the end.
    bool isQuiet() const;

private:
    struct Free {
        void operator()(CURLM* handle) const { ::curl_multi_cleanup(handle); }
    };
    struct FreeRequest {
        void operator()(CURL* request) const { ::curl_easy_cleanup(request); }
    };

    const std::string _place;
    const TimeLimit::Clock::time_point _opened = TimeLimit::Clock::now();
    const std::unique_ptr<CURLM, Free> _handle;
    const std::unique_ptr<CURL, FreeRequest> _request;
};

/// Connections without a request, for the next one to the same place. Thread: any.
class IdleConnections {
public:
    explicit IdleConnections(const IdleLimits& limits) : _limits(limits) {}
    IdleConnections(const IdleConnections&) = delete;
    IdleConnections& operator=(const IdleConnections&) = delete;

    /// The one that was used last, as far as it can be told by looking; null: there is none.
    std::unique_ptr<HttpConnection> take(const std::string& place);
    /// Keeps it for the next; where there are too many, the oldest are closed.
    void put(std::unique_ptr<HttpConnection> connection);

private:
    using Connections = std::list<std::unique_ptr<HttpConnection>>;

    bool isOver(const HttpConnection& connection, TimeLimit::Clock::time_point now) const;
    void closeIdle(const std::stop_token& stop);

    const IdleLimits _limits;
    std::mutex _mutex;
    std::condition_variable_any _changed;
    bool _wasUsed = false; ///< since _closer looked
    Connections _idle;     ///< the oldest first
    std::jthread _closer;  ///< where nobody asks any more, nobody else would close them
};

} // namespace supplierd::host
