#pragma once

#include "host/base/OwnedDescriptor.h"
#include "host/gate/Gate.h"
#include "host/http/pipeline/Pipeline.h"

#include <Poco/Net/HTTPServer.h>
#include <Poco/ThreadPool.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace supplierd::host {

/// A Unix socket in the file system.
class ControlSocket {
public:
    /// Opens it under a name beside `path`. `group`: who may use it besides root; empty: the group of the process.
    /// Throws std::runtime_error that says what to do; also when another server answers at the path that did not start
    /// this process (HandOver), or something else than a socket is there.
    ControlSocket(const std::filesystem::path& path, const std::string& group);
    /// Removes it, unless a successor has taken the path.
    ~ControlSocket();
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

    /// Takes the path, also that of a server that has handed over to this one, without a moment in which there is no
    /// socket. Throws std::runtime_error, as the constructor.
    void publish();
    /// Whether the path leads here: from publish() on until a successor takes it.
    bool isPublished() const { return isOwn(_path.string()); }
    int descriptor() const { return _descriptor.get(); }

private:
    void open(const std::string& group);
    void requireFreePath() const;
    /// Whether the path, if it is one of a socket, is that of this one.
    bool isOwn(const std::string& name) const;

    const std::filesystem::path _path;
    const std::string _unfinished; ///< its path until it is ready
    const int _predecessor;        ///< the process that started this one: it may be the server that hands over
    OwnedDescriptor _descriptor;
    std::uint64_t _device = 0;
    std::uint64_t _inode = 0;
};

/// The operators' API for the people of this machine, over a Unix socket (host/http/README.md). Requests go through the
/// same gate and pipeline as all others. Thread: one, main's.
class ControlListener {
public:
    /// Connections wait until start(). Throws std::runtime_error.
    ControlListener(const ServerSettings& settings, Pipeline& pipeline);
    /// Lets what runs finish, for two seconds.
    ~ControlListener();

    void start();
    /// Serves on until a successor has taken the path, so that there is no moment without a server, or for `limit`.
    void waitForSuccessor(std::chrono::milliseconds limit) const;

private:
    Poco::ThreadPool _threads;
    ControlSocket _socket;
    std::unique_ptr<Refusals> _refusals;
    Gate _gate;
    std::unique_ptr<Poco::Net::HTTPServer> _server;
};

/// Whom the audit log names for the user with this id: "local: alice". Root may act for somebody else, who called
/// `sudo`: `onBehalfOf`, which is not believed of other users.
std::string localActor(unsigned user, std::string_view onBehalfOf);

} // namespace supplierd::host
