#pragma once

#include "ImageResult.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace supplierd::media {

/// The program supplierd-imageworker that belongs to this plugin: where the build puts it beside the plugin's file, or
/// where the installation does. Nothing when there is none.
std::optional<std::filesystem::path> findWorkerProgram();

/// The other end did not take or send what was due in time.
class ChannelTimeout : public std::runtime_error {
public:
    ChannelTimeout() : std::runtime_error("the image worker did not answer in time") {}
};

/// The other end is gone.
class ChannelClosed : public std::runtime_error {
public:
    ChannelClosed() : std::runtime_error("the image worker ended") {}
};

/// The server's end of the socket to a worker; owns the descriptor. Every transfer has a deadline. Used by one thread
/// at a time.
class WorkerChannel {
public:
    using Deadline = std::chrono::steady_clock::time_point;

    explicit WorkerChannel(int descriptor) : _descriptor(descriptor) {}
    ~WorkerChannel();
    WorkerChannel(const WorkerChannel&) = delete;
    WorkerChannel& operator=(const WorkerChannel&) = delete;

    /// Both throw ChannelTimeout, ChannelClosed, or std::system_error.
    void send(const void* from, std::size_t size, Deadline deadline) const;
    void receive(void* to, std::size_t size, Deadline deadline) const;
    /// Open, and nothing to read: what an idle worker looks like.
    bool isQuiet() const;
    /// The other end finds the conversation over, and so does a transfer of another thread. Thread-safe.
    void hangUp() const noexcept;

private:
    void waitFor(short events, Deadline deadline) const;

    int _descriptor;
};

/// An answer that no honest worker gives.
class WorkerNonsense : public std::runtime_error {
public:
    WorkerNonsense() : std::runtime_error("the image worker answered nonsense") {}
};

/// One running `supplierd-imageworker`. Nothing that it says is believed: sizes are bounded, kinds and dimensions
/// checked. The process is killed and collected with the object; behind a socket it is left instead, and ends then, or
/// at the limits of its unit. Used by one thread at a time, but for `kill`.
class WorkerProcess {
public:
    using Deadline = WorkerChannel::Deadline;

    /// Starts the program with one socket, the server's standard error and an empty environment. Throws
    /// std::system_error.
    explicit WorkerProcess(const std::filesystem::path& program);
    /// Connects to a Unix socket behind which every connection has a worker of its own, as systemd's Accept=yes makes
    /// them. Throws std::system_error. Since 1.0.
    static std::unique_ptr<WorkerProcess> behind(const std::filesystem::path& socket, std::chrono::seconds limit);
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    /// Waits until its sandbox is closed. Throws ChannelTimeout, ChannelClosed, WorkerNonsense.
    void awaitHello(Deadline deadline) const;
    /// Throws ChannelTimeout, ChannelClosed, WorkerNonsense: then the process is good for nothing any more.
    ImageResult process(std::string_view image, Deadline deadline) const;

    /// Still there, and waiting for work.
    bool isIdle() const { return _channel.isQuiet(); }
    /// -1 behind a socket.
    pid_t processId() const { return _processId; }
    /// What it holds in memory now; 0 when it is gone, and behind a socket, where its unit has a limit.
    std::size_t residentBytes() const;
    /// Thread-safe; a transfer in another thread ends with ChannelClosed.
    void kill() const noexcept;

private:
    struct Started {
        int descriptor;
        pid_t processId;
    };
    static Started start(const std::filesystem::path& program);
    bool isBehindSocket() const { return _processId < 0; }
    explicit WorkerProcess(Started started) : _channel(started.descriptor), _processId(started.processId) {}

    WorkerChannel _channel;
    pid_t _processId;
};

} // namespace supplierd::media
