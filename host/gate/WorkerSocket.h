#pragma once

#include "host/gate/Gate.h"

#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/ServerSocket.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace supplierd::host {

/// The connection of the request that a worker has, as far as it is the worker's business. Each function that gives the
/// connection back is the last that may be called. Thread: the worker's.
class RequestChannel {
public:
    explicit RequestChannel(Gate& gate) : _gate(gate) {}

    /// Of a request that came through a WorkerServerSocket.
    static RequestChannel& of(Poco::Net::HTTPServerRequest& request);

    const CheckedHead& head() const { return _connection->head(); }
    Connection::Clock::time_point queuedAt() const { return _connection->queuedAt; }
    bool isDraining() const { return _gate.isDraining(); }
    /// See Connection::localUser.
    std::optional<unsigned> localUser() const { return _connection->localUser; }
    bool isSecure() const { return _connection->transport->isSecure() || _connection->isTlsAtProxy; }

    Connection::BodyState bodyState() const { return _connection->bodyState; }
    CollectedBody& body() { return _connection->body; }
    /// Of BodyState::Rejected.
    const Rejection& bodyRejection() const { return _connection->chunks->rejection(); }
    /// Of BodyState::Pending: see Gate::makeRoomForBody(). `supplierId`: 0 for none; `isKnown`: the caller has shown
    /// who it is.
    bool makeRoomForBody(std::uint64_t limit, bool isStreamed, std::int64_t supplierId, bool isKnown) {
        return _gate.makeRoomForBody(*_connection, limit, isStreamed, {_connection->network(), supplierId, isKnown});
    }
    /// With room for it: has the rest collected and gives the connection back. The request comes again, to any worker,
    /// with what was found so far.
    void collectBody(std::uint64_t limit, std::unique_ptr<SuspendedRequest> found);
    std::unique_ptr<SuspendedRequest> takeSuspended() { return std::move(_connection->suspended); }

    /// See Gate::respond(); gives the connection back.
    std::optional<SendResult> respond(OutgoingResponse response,
                                      const std::function<std::unique_ptr<SendCompletion>()>& completion);

private:
    friend class WorkerSocketImpl;

    Gate& _gate;
    Connection* _connection = nullptr;
};

/// Where Poco's HTTPServer gets its connections: one for each worker that is wanted, over which the requests of all
/// clients come, one at a time. A request is replayed from the bytes that the gate has checked, and nothing else can be
/// read. Lifetime: the gate's.
class WorkerServerSocket : public Poco::Net::ServerSocket {
public:
    explicit WorkerServerSocket(Gate& gate);
};

} // namespace supplierd::host
