#pragma once

#include "host/config/Settings.h"
#include "host/http/Pipeline.h"

#include <Poco/Net/HTTPServer.h>
#include <Poco/ThreadPool.h>

#include <chrono>
#include <memory>

namespace supplierd::host {

/// Binds and listens, alone on its address. Throws std::runtime_error that names the address and the setting.
Poco::Net::ServerSocket listenOn(const Poco::Net::SocketAddress& address, const std::string& setting);

/// The API's listener: Poco's HTTPServer, whose requests all go through the pipeline. Thread: one, main's.
class ApiListener {
public:
    /// Opens the socket; connections wait until start().
    ApiListener(const ServerSettings& settings, Pipeline& pipeline);
    ~ApiListener();

    void start();
    Poco::Net::SocketAddress address() const { return _socket.address(); }
    /// Stops accepting, lets running requests finish, closes idle connections. False when the deadline came first: what
    /// still ran then is cut off, and when a handler runs on regardless (Pipeline::running()), this object must not be
    /// destroyed any more.
    bool stop(std::chrono::milliseconds deadline);

private:
    using Clock = std::chrono::steady_clock;

    bool waitForQuiet(Clock::time_point until) const;

    ServerSettings _settings;
    Pipeline& _pipeline;
    Poco::ThreadPool _threads;
    Poco::Net::ServerSocket _socket;
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

} // namespace supplierd::host
