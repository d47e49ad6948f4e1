#pragma once

#include "host/gate/Gate.h"
#include "host/gate/WorkerSocket.h"
#include "tests/support/Concurrency.h"
#include "tests/system/fixtures/RawConnection.h"

#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/ThreadPool.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace supplierd::tests {

/// A gate with workers behind it, on loopback. They answer:
///     /echo       the method, the target and the body
///     /client     the address of the client
///     /wait       as /echo, once let() was called
///     /file/N     N bytes of a file
///     /source/N   N bytes that are made piece by piece
///     /raw        as /echo, of a body of any size, which goes to a file beyond 256 KiB
///     /stranger   as /echo, of somebody who has not shown who he is; 503 when there is no room for the body
///     /large/N    N bytes from memory
///     /refused    404, without a look at the body
class GateServer {
public:
    /// `limits`: what a test sets of them.
    explicit GateServer(const host::GateSettings& settings);
    ~GateServer();
    GateServer(const GateServer&) = delete;
    GateServer& operator=(const GateServer&) = delete;

    RawConnection connect() const { return RawConnection("127.0.0.1", _listening.address().port()); }
    /// The whole response to a request on a connection of its own, which is closed after it.
    std::string ask(const std::string& head, const std::string& body = {}) const;

    host::Gate& gate() { return *_gate; }
    /// Requests that wait in /wait.
    int waiting() const { return _waiting; }
    void let();
    /// Responses that were told to have ended, and how.
    int sentWhole() const { return _whole; }
    int cutOff() const { return _cutOff; }
    /// Bytes of all responses that have ended, as was told.
    std::uint64_t sentBytes() const { return _sentBytes; }
    /// How often the gate refused something.
    int refused() const { return _refused; }
    /// Why connections of proxies were closed, in their order, each with a blank behind it.
    std::string proxyFailures() const;

private:
    class Handler;
    class HandlerFactory;
    class CountingRefusals;
    class Completion;

    void answer(host::RequestChannel& channel, const Poco::Net::IPAddress& client);
    void note(const host::SendResult& result);

    Poco::Net::ServerSocket _listening;
    Poco::ThreadPool _threads;
    std::atomic<int> _refused{0};
    std::atomic<int> _waiting{0};
    std::atomic<int> _whole{0};
    std::atomic<int> _cutOff{0};
    std::atomic<std::uint64_t> _sentBytes{0};
    mutable std::mutex _mutex;
    std::condition_variable _changed;
    bool _isLet = false;
    std::string _proxyFailures;
    std::unique_ptr<host::Refusals> _refusals;
    std::unique_ptr<host::Gate> _gate;
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

/// A single worker, so that whatever holds it is seen.
host::GateSettings oneWorker();
/// Letters without a rhythm, so that a part cannot be taken for another.
std::string letters(std::size_t size);
/// What follows the head of a single response.
std::string bodyOf(const std::string& response);

} // namespace supplierd::tests
