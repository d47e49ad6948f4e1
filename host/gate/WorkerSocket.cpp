#include "host/gate/WorkerSocket.h"

#include "host/base/EventDescriptor.h"

#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/ServerSocketImpl.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace supplierd::host {

namespace {

constexpr auto PARKED = std::chrono::milliseconds(5);

std::chrono::milliseconds millisecondsOf(const Poco::Timespan& time) {
    return std::chrono::milliseconds(time.totalMilliseconds());
}

} // namespace

/// Thread: the worker's.
class WorkerSocketImpl final : public Poco::Net::StreamSocketImpl {
public:
    /// Poco takes only a socket with a descriptor for one that is open.
    explicit WorkerSocketImpl(Gate& gate) : StreamSocketImpl(newEventDescriptor()), _gate(gate), channel(gate) {
        _gate.queue().add(_worker);
    }

    /// Poco asks where it awaits the next request.
    bool poll(const Poco::Timespan& timeout, int) override {
        endRequest(true);
        const bool hasRequest = takeRequest(millisecondsOf(timeout));
        noteUse();
        return hasRequest;
    }

    int receiveBytes(void* buffer, int length, int) override {
        const auto size = std::min(_head.size(), static_cast<std::size_t>(length));
        std::memcpy(buffer, _head.data(), size);
        _head.remove_prefix(size);
        noteUse();
        return static_cast<int>(size);
    }

    /// Of handlers that write through Poco's streams.
    int sendBytes(const void* buffer, int length, int) override {
        _written.append(static_cast<const char*>(buffer), static_cast<std::size_t>(length));
        noteUse();
        return length;
    }

    Poco::Net::SocketAddress address() override { return _gate.address(); }
    Poco::Net::SocketAddress peerAddress() override {
        return channel._connection ? channel._connection->peer : _gate.address();
    }
    void shutdown() override {}
    void shutdownSend() override {}
    void shutdownReceive() override {}
    void setReceiveTimeout(const Poco::Timespan&) override {}
    void setSendTimeout(const Poco::Timespan&) override {}
    void setRawOption(int, int, const void*, poco_socklen_t) override {}

protected:
    ~WorkerSocketImpl() override {
#ifdef __SANITIZE_THREAD__
        __tsan_acquire(this);
#endif
        endRequest(false);
        _gate.queue().remove(_worker);
    }

private:
    /// Poco's accepting thread may drop the last reference. ThreadSanitizer does not see that Poco counts them, in a
    /// library that is not built for it.
    void noteUse() noexcept {
#ifdef __SANITIZE_THREAD__
        __tsan_release(this);
#endif
    }

    bool takeRequest(std::chrono::milliseconds timeout) {
        while (auto* connection = _gate.queue().next(_worker, timeout)) {
            if (connection->phase == Connection::Phase::Sending) {
                _gate.produce(*connection);
                continue;
            }
            if (connection->phase == Connection::Phase::Body) {
                _gate.spillBody(*connection);
                continue;
            }
            channel._connection = connection;
            _head = connection->head().bytes;
            return true;
        }
        return false;
    }

    /// Sends what was written through Poco's streams, if the request was answered so.
    void endRequest(bool keepsAlive) noexcept {
        auto* connection = std::exchange(channel._connection, nullptr);
        if (!connection)
            return;
        if (_written.empty()) {
            _gate.abandon(*connection);
            return;
        }
        OutgoingResponse response;
        response.bytes = _written;
        response.closes = !keepsAlive;
        _gate.respond(*connection, std::move(response), [] { return std::unique_ptr<SendCompletion>(); });
        _written.clear();
    }

    Gate& _gate;
    WorkerQueue::Worker _worker;
    std::string_view _head; ///< what Poco has not read of it yet
    std::string _written;

public:
    RequestChannel channel;
};

namespace {

/// Thread: Poco's accepting one.
class WorkerServerSocketImpl final : public Poco::Net::ServerSocketImpl {
public:
    explicit WorkerServerSocketImpl(Gate& gate) : _gate(gate) {}

    bool poll(const Poco::Timespan& timeout, int) override {
        if (_gate.queue().waitUntilWorkerIsWanted(millisecondsOf(timeout)))
            return true;
        if (_gate.queue().isClosed())
            std::this_thread::sleep_for(PARKED); // Poco's loop asks again until the server is stopped
        return false;
    }
    Poco::Net::SocketImpl* acceptConnection(Poco::Net::SocketAddress& clientAddress) override {
        clientAddress = _gate.address();
        return new WorkerSocketImpl(_gate); // Poco counts its references
    }
    Poco::Net::SocketAddress address() override { return _gate.address(); }

protected:
    ~WorkerServerSocketImpl() override = default;

private:
    Gate& _gate;
};

} // namespace

WorkerServerSocket::WorkerServerSocket(Gate& gate) : ServerSocket(new WorkerServerSocketImpl(gate), true) {}

RequestChannel& RequestChannel::of(Poco::Net::HTTPServerRequest& request) {
    auto& implementation = dynamic_cast<Poco::Net::HTTPServerRequestImpl&>(request);
    return dynamic_cast<WorkerSocketImpl&>(*implementation.socket().impl()).channel;
}

void RequestChannel::collectBody(std::uint64_t limit, std::unique_ptr<SuspendedRequest> found) {
    auto& connection = *std::exchange(_connection, nullptr);
    connection.suspended = std::move(found);
    _gate.collectBody(connection, limit);
}

std::optional<SendResult> RequestChannel::respond(OutgoingResponse response,
                                                  const std::function<std::unique_ptr<SendCompletion>()>& completion) {
    return _gate.respond(*std::exchange(_connection, nullptr), std::move(response), completion);
}

} // namespace supplierd::host
