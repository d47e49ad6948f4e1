#pragma once

#include "host/config/Settings.h"
#include "host/http/ApiServerSocket.h"
#include "host/http/Pipeline.h"

#include <Poco/Net/HTTPServer.h>
#include <Poco/ThreadPool.h>

#include <chrono>
#include <memory>
#include <string>

namespace supplierd::host {

/// Where a listener listens.
struct ListenPlace {
    Poco::Net::SocketAddress address;
    std::string setting; ///< the key that says so
    int passed = -1;     ///< a socket that somebody else opened and that is used instead; -1: none
};

/// Binds and listens, alone on its address, or takes the passed socket over. Throws std::runtime_error that names the
/// address and the setting.
ApiServerSocket listenOn(const ListenPlace& place, std::shared_ptr<ConnectionDrain> drain);

/// The API's listener: Poco's HTTPServer, whose requests all go through the pipeline. Thread: one, main's.
class ApiListener {
public:
    /// Opens the socket, or takes `passed` (-1: none); connections wait until start().
    ApiListener(const ServerSettings& settings, Pipeline& pipeline, int passed);
    ~ApiListener();

    void start();
    Poco::Net::SocketAddress address() const { return _socket.address(); }
    int descriptor() const { return _socket.descriptor(); }
    using Clock = std::chrono::steady_clock;

    /// Stops accepting; what is in the backlog is accepted first unless it is left to another process. From now on
    /// every answer closes its connection, and an idle one may bring a last request within server.drain_grace. Once;
    /// returns the connections that there are.
    int drain(Clock::time_point until, ConnectionDrain::Backlog backlog);
    /// After drain(): lets running requests finish. False when `until` came first: what still ran then is cut off, and
    /// when a handler runs on regardless (Pipeline::running()), this object must not be destroyed any more.
    bool stop(Clock::time_point until);

private:
    bool waitUntilServed(Clock::time_point until) const;

    ServerSettings _settings;
    Pipeline& _pipeline;
    Poco::ThreadPool _threads;
    std::shared_ptr<ConnectionDrain> _drain;
    ApiServerSocket _socket;
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

} // namespace supplierd::host
