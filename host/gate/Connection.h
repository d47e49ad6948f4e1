#pragma once

#include "host/config/ClientNetwork.h"
#include "host/gate/ChunkedReader.h"
#include "host/gate/CollectedBody.h"
#include "host/gate/HeldLedger.h"
#include "host/gate/RequestHeadCheck.h"
#include "host/gate/ResponseOutput.h"
#include "host/gate/Transport.h"

#include <Poco/Net/SocketAddress.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace supplierd::host {

/// What a request that waits for its body was found to be before; the pipeline's.
struct SuspendedRequest {
    virtual ~SuspendedRequest() = default;
};

/// One connection, from its acceptance to its end. Who owns it may touch it, nobody else: the gate's thread, a worker,
/// or nobody while it waits for the client. The README of this folder has a picture of its phases.
class Connection {
public:
    using Clock = std::chrono::steady_clock;

    enum class Phase : std::uint8_t {
        ProxyHeader, ///< waits for a trusted proxy to say for whom it speaks
        Handshake,
        Head,      ///< waits for a request, or for the rest of its head
        Body,      ///< collects a request's body
        Answering, ///< waits for a worker, or has one
        Sending,   ///< sends a response
        Lingering, ///< the last response was sent; takes what still comes, so that closing does not reset it
        Closed     ///< nothing is left but this object
    };

    /// How far a request's body is collected.
    enum class BodyState : std::uint8_t {
        Complete,
        Pending,  ///< not all of it: it is collected when it is asked for
        TooLarge, ///< more than was asked for
        Broken,   ///< it ended early, or came too slowly
        Rejected, ///< see the ChunkedReader
        Lost      ///< it could not be kept
    };

    static constexpr std::size_t PHASES = 8;

    Connection(std::unique_ptr<Transport> transport_, const Poco::Net::SocketAddress& peer_)
        : transport(std::move(transport_)), peer(peer_) {}

    // Who owns it. Events come to the gate's thread at any time; while a worker owns the connection they are noted.

    /// Of the gate's thread: makes it the owner, unless a worker is, which is told then.
    bool takeOnEvent() noexcept {
        auto owner = _owner.load(std::memory_order_acquire);
        while (true) {
            if (owner == Owner::Gate)
                return true;
            if (owner == Owner::WorkerMissedEvent)
                return false;
            const auto next = owner == Owner::Nobody ? Owner::Gate : Owner::WorkerMissedEvent;
            if (_owner.compare_exchange_weak(owner, next, std::memory_order_acq_rel))
                return next == Owner::Gate;
        }
    }
    /// Of the gate's thread: takes it from nobody.
    bool takeIfWaiting() noexcept {
        auto expected = Owner::Nobody;
        return _owner.compare_exchange_strong(expected, Owner::Gate, std::memory_order_acq_rel);
    }
    /// Of the owner: a worker's from now on, or about to be.
    void giveToWorker() noexcept { _owner.store(Owner::Worker, std::memory_order_release); }
    /// Of the gate's thread as owner: nobody's until the next event.
    void wait() noexcept { _owner.store(Owner::Nobody, std::memory_order_release); }
    /// Of a worker: nobody's until the next event, and not to be touched any more. False when one came meanwhile: then
    /// it has to go back to the gate.
    bool waitAfterWork() noexcept {
        auto expected = Owner::Worker;
        return _owner.compare_exchange_strong(expected, Owner::Nobody, std::memory_order_acq_rel);
    }
    /// Of the gate's thread: takes what a worker gave back, or what no worker has begun with. True when an event came
    /// meanwhile.
    bool takeFromWorker() noexcept {
        return _owner.exchange(Owner::Gate, std::memory_order_acq_rel) == Owner::WorkerMissedEvent;
    }

    // When the gate looks at it although nothing came. Read by the gate's thread at any time.

    void setDeadline(Clock::time_point at) noexcept {
        _deadline.store(at.time_since_epoch().count(), std::memory_order_relaxed);
    }
    bool isOverdue(Clock::time_point now) const noexcept {
        return now.time_since_epoch().count() >= _deadline.load(std::memory_order_relaxed);
    }

    /// Begins with the next request: what came behind the last one is its first part.
    void beginRequest(Clock::time_point now) {
        input = std::exchange(ahead, {});
        check = RequestHeadCheck();
        body.clear();
        chunks.reset();
        suspended.reset();
        client.reset();
        bodyState = BodyState::Complete;
        phase = Phase::Head;
        since = now;
    }
    const CheckedHead& head() const { return check.head(); }
    /// Whose request it is, as far as the gate can see.
    ClientNetwork network() const { return ClientNetwork(client.value_or(peer.host())); }

    std::unique_ptr<Transport> transport; ///< null once closed
    Poco::Net::SocketAddress peer;        ///< or, by a PROXY header, whom the peer speaks for
    /// The user id of the process at the other end of a Unix socket, as the kernel says; `peer` is the loopback then.
    std::optional<unsigned> localUser;

    std::atomic<Phase> phase{Phase::Head}; ///< read by the gate's thread at any time
    BodyState bodyState = BodyState::Complete;
    Clock::time_point since = Clock::now(); ///< the phase began, or what is waited for last moved

    std::string input; ///< of the request's head; complete, it is the head alone
    std::string ahead; ///< came behind the head: of the body, then of the next request
    RequestHeadCheck check;

    std::uint64_t bodyLimit = 0;
    Clock::time_point bodySince;
    CollectedBody body;
    std::optional<Holding> heldBody; ///< room for it
    std::optional<ChunkedReader> chunks;
    std::unique_ptr<SuspendedRequest> suspended;

    Clock::time_point queuedAt;
    ResponseOutput output;
    std::optional<Holding> heldResponse; ///< room for what of it waits
    Clock::time_point sendingSince;
    std::uint64_t sentBefore = 0; ///< of the output, when sendingSince was
    std::size_t lingered = 0;     ///< bytes that were taken and thrown away
    bool closesAfter = false;     ///< the response
    bool lingers = false;         ///< something may still come that nobody reads
    bool hasMore = false;         ///< bytes may have come that no event will tell of
    bool isEnding = false;        ///< the client may have ended its half
    bool closesWhenSilent = false;
    bool isUnfinished = false;            ///< has another turn soon
    bool isPutOff = false;                ///< its request is refused because there is too much to do
    Clock::time_point pausedUntil{};      ///< its next request is not looked at before
    std::size_t index = 0;                ///< in the gate's list
    std::optional<ClientNetwork> counted; ///< the client that it is one more of
    bool isProxied = false;               ///< the peer is a trusted proxy: requests are counted, not the connection
    bool isTlsAtProxy = false;            ///< the client speaks TLS with the proxy that named it
    std::optional<Poco::Net::IPAddress> client; ///< whom a proxied request is from

private:
    enum class Owner : std::uint8_t { Gate, Nobody, Worker, WorkerMissedEvent };

    std::atomic<Owner> _owner{Owner::Gate};
    std::atomic<Clock::rep> _deadline{Clock::time_point::max().time_since_epoch().count()};
};

} // namespace supplierd::host
