#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>

namespace supplierd::media {

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

} // namespace supplierd::media
