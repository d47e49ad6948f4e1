#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace supplierd::host {

/// What became of one try to receive or to send without waiting.
struct Transfer {
    enum class Status {
        Done,      ///< `bytes` were moved, at least one
        WantRead,  ///< nothing now: again once the descriptor is readable
        WantWrite, ///< nothing now: again once it is writable
        Ended,     ///< of receiving: the other side sends no more
        Broken     ///< the connection is of no use any more
    };

    Status status = Status::Broken;
    std::size_t bytes = 0;
    bool hasMore = false; ///< of receiving: there may be more at once; otherwise epoll tells of it
};

/// The bytes of one connection as they travel: plain, or within TLS. Never waits. Thread: one at a time, the
/// connection's owner.
class Transport {
public:
    virtual ~Transport() = default;

    /// For epoll, edge-triggered. Lifetime: the Transport's, which closes it.
    virtual int descriptor() const = 0;
    /// What comes before the first byte: called until it is Done.
    virtual Transfer handshake() = 0;
    virtual Transfer receive(std::span<char> to) = 0;
    /// `more`: further bytes follow at once.
    virtual Transfer send(std::string_view bytes, bool more) = 0;
    /// Sends from a regular file; nothing when this file cannot be sent so, and has to be read. Done with 0 bytes: the
    /// file ends before `offset`. Throws std::system_error when the file cannot be read.
    virtual std::optional<Transfer> sendFile(int file, std::uint64_t offset, std::size_t size) = 0;
    /// Tells the other side that nothing follows.
    virtual void finishSending() = 0;
    virtual bool isSecure() const = 0;
};

/// A TCP connection as it is.
class PlainTransport final : public Transport {
public:
    /// Takes the descriptor over, which does not block.
    explicit PlainTransport(int descriptor) : _descriptor(descriptor) {}
    ~PlainTransport() override;
    PlainTransport(const PlainTransport&) = delete;
    PlainTransport& operator=(const PlainTransport&) = delete;

    int descriptor() const override { return _descriptor; }
    Transfer handshake() override { return {Transfer::Status::Done, 0}; }
    Transfer receive(std::span<char> to) override;
    Transfer send(std::string_view bytes, bool more) override;
    std::optional<Transfer> sendFile(int file, std::uint64_t offset, std::size_t size) override;
    void finishSending() override;
    bool isSecure() const override { return false; }

private:
    const int _descriptor;
};

} // namespace supplierd::host
