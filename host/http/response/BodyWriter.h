#pragma once

#include <Poco/Net/StreamSocket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>

namespace supplierd::host {

/// How slow a client may be with what it asked for.
struct OutputLimits {
    /// For how long it may take nothing at all, and how long it has whatever the size.
    std::chrono::milliseconds patience{30'000};
    /// Beyond that, all of it at no less than this.
    std::uint64_t bytesPerSecond = 16'384;
};

/// The client went away, or took too little for too long.
class ClientGone : public std::exception {
public:
    const char* what() const noexcept override { return "the client is gone or too slow"; }
};

/// A plain connection while a large answer goes out on it: a client that stalls cannot hold the worker for ever.
/// Thread: one. The socket is blocking again afterwards.
class BodyWriter {
public:
    /// `bytes`: how many will be sent, as far as that is known.
    BodyWriter(Poco::Net::StreamSocket& socket, const OutputLimits& limits, std::uint64_t bytes);
    ~BodyWriter();
    BodyWriter(const BodyWriter&) = delete;
    BodyWriter& operator=(const BodyWriter&) = delete;

    /// From now on so many bytes will be sent, in a time of their own.
    void expect(std::uint64_t bytes);
    /// Sends all of it. `more`: further bytes follow at once. Throws ClientGone.
    void send(std::string_view bytes, bool more);
    /// Lets the kernel send up to `size` bytes of a file and returns how many went out, 0 at its end; nothing when the
    /// kernel cannot send this file. Throws ClientGone, and std::system_error when the file cannot be read.
    std::optional<std::size_t> sendFile(int file, std::uint64_t offset, std::size_t size);

    /// How many bytes the kernel has taken.
    std::uint64_t sent() const { return _sent; }

private:
    using Clock = std::chrono::steady_clock;

    void setNonBlocking(bool on) const;
    void waitForRoom() const;

    const int _descriptor;
    const OutputLimits _limits;
    Clock::time_point _deadline;
    std::uint64_t _sent = 0;
};

} // namespace supplierd::host
