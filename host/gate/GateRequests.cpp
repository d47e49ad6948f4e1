#include "host/gate/Gate.h"

#include <algorithm>
#include <limits>
#include <new>
#include <span>
#include <utility>

// How a request comes in. Thread: the gate's, which owns the connection.

namespace supplierd::host {

void Gate::advance(Connection& connection) {
    if (connection.pausedUntil != Clock::time_point{})
        return; // it stays the gate's until the pause was ended
    while (true) {
        auto step = Step::Given;
        switch (connection.phase) {
        case Connection::Phase::ProxyHeader:
            step = readProxyHeader(connection);
            break;
        case Connection::Phase::Handshake:
            step = shakeHands(connection);
            break;
        case Connection::Phase::Head:
            step = readHead(connection);
            break;
        case Connection::Phase::Body:
            step = readBody(connection);
            break;
        case Connection::Phase::Sending:
            step = send(connection);
            break;
        case Connection::Phase::Lingering:
            step = linger(connection);
            break;
        case Connection::Phase::Closed:
            step = close(connection);
            break;
        case Connection::Phase::Answering:
            break;
        }
        if (step == Step::Wait)
            connection.wait();
        if (step != Step::Again)
            return;
    }
}

Gate::Step Gate::shakeHands(Connection& connection) {
    const auto result = connection.transport->handshake();
    switch (result.status) {
    case Transfer::Status::Done:
        connection.phase = Connection::Phase::Head;
        return Step::Again;
    case Transfer::Status::WantRead:
    case Transfer::Status::WantWrite:
        return Step::Wait;
    default:
        return close(connection);
    }
}

Gate::Step Gate::readHead(Connection& connection) {
    /// Few heads are longer, and what comes behind one is kept although nobody knows yet whether it is wanted.
    constexpr std::size_t PIECE = std::size_t{8} << 10;
    while (true) {
        if (!connection.input.empty()) {
            const auto state = connection.check.check(connection.input);
            if (state == RequestHeadCheck::State::Complete)
                return beginBody(connection);
            if (state == RequestHeadCheck::State::Rejected)
                return refuse(connection, connection.check.rejection(), true);
        }
        const auto got = connection.transport->receive(std::span(_buffer).first(PIECE));
        switch (got.status) {
        case Transfer::Status::Done:
            if (!connection.check.hasBegun() && !_hasBegunDrain)
                connection.setDeadline(_now + _settings.headTimeout);
            connection.input.append(_buffer.data(), got.bytes);
            connection.hasMore = got.hasMore;
            break;
        case Transfer::Status::WantRead:
        case Transfer::Status::WantWrite:
            connection.hasMore = connection.isEnding = false;
            return connection.closesWhenSilent ? close(connection) : Step::Wait;
        default:
            return close(connection);
        }
    }
}

/// The head is whole.
Gate::Step Gate::beginBody(Connection& connection) {
    /// Bodies up to this are collected before a worker is asked whether the request is any good.
    constexpr std::uint64_t EARLY = 65'536;
    const auto& head = connection.head();
    connection.ahead.assign(connection.input, head.length, std::string::npos);
    connection.input.resize(head.length); // what the head's views point to stays where it is
    if (connection.isProxied && !countRequest(connection)) {
        connection.bodyState = Connection::BodyState::Pending; // there may be one, which nobody reads
        return refuse(connection, {503, "requests_per_address", "Too many requests at once from this address"}, false);
    }
    if (head.framing == BodyFraming::None || (head.framing == BodyFraming::Length && head.contentLength == 0)) {
        const auto* decided = _refusals.decide(head);
        return decided ? refuse(connection, *decided, false) : giveToWorker(connection);
    }
    if (head.framing == BodyFraming::Chunked)
        connection.chunks.emplace(std::numeric_limits<std::uint64_t>::max());
    connection.bodyState = Connection::BodyState::Pending;
    const bool isLarge = head.framing == BodyFraming::Length && head.contentLength > EARLY;
    if (isLarge || (head.expectsContinue && connection.ahead.empty()))
        return giveToWorker(connection);
    const auto size = head.framing == BodyFraming::Length ? head.contentLength : EARLY;
    if (size > HeldLedger::SMALL && !(connection.heldBody = _ledger.holdInMemory({connection.network()}, size)))
        return giveToWorker(connection); // much is held for strangers already: is this one?
    connection.bodyLimit = EARLY;
    connection.bodySince = connection.since = _now;
    connection.phase = Connection::Phase::Body;
    return Step::Again;
}

Gate::Step Gate::readBody(Connection& connection) {
    if (connection.bodyState == Connection::BodyState::Lost)
        return giveToWorker(connection);
    if (connection.suspended && connection.body.size() > connection.bodyLimit)
        return bodyEnded(connection, Connection::BodyState::TooLarge);
    try {
        const auto ahead = std::exchange(connection.ahead, {});
        if (!ahead.empty() && takeBody(connection, ahead))
            return bodyEnded(connection, connection.bodyState);
        for (std::size_t taken = 0;;) {
            if (connection.body.mustSpill())
                return haveBodySpilled(connection);
            if (taken >= RECEIVED_PER_TURN)
                return yieldTurn(connection);
            const auto got = connection.transport->receive(_buffer);
            taken += got.bytes;
            switch (got.status) {
            case Transfer::Status::Done:
                connection.since = _now;
                connection.hasMore = got.hasMore;
                if (takeBody(connection, {_buffer.data(), got.bytes}))
                    return bodyEnded(connection, connection.bodyState);
                break;
            case Transfer::Status::WantRead:
            case Transfer::Status::WantWrite:
                connection.hasMore = connection.isEnding = false;
                setBodyDeadline(connection);
                return Step::Wait;
            default:
                return bodyEnded(connection, Connection::BodyState::Broken);
            }
        }
    } catch (const std::bad_alloc&) {
        return bodyEnded(connection, Connection::BodyState::Lost);
    }
}

/// A disk may be slow: a worker waits for it, and the connection comes back to go on where it was.
Gate::Step Gate::haveBodySpilled(Connection& connection) {
    connection.giveToWorker();
    _queue.pushStarted(connection);
    return Step::Given;
}

/// True when a worker has to see it: it is whole, or cannot become so.
bool Gate::takeBody(Connection& connection, std::string_view bytes) {
    const auto& head = connection.head();
    std::size_t taken = 0;
    auto& state = connection.bodyState;
    if (head.framing == BodyFraming::Length) {
        taken = static_cast<std::size_t>(
            std::min<std::uint64_t>(bytes.size(), head.contentLength - connection.body.size()));
        connection.body.memory().append(bytes.substr(0, taken));
        if (connection.body.size() == head.contentLength)
            state = Connection::BodyState::Complete;
    } else {
        taken = connection.chunks->read(bytes, connection.body.memory());
        if (connection.chunks->state() == ChunkedReader::State::Rejected)
            state = Connection::BodyState::Rejected;
        else if (connection.suspended && connection.body.size() > connection.bodyLimit)
            state = Connection::BodyState::TooLarge;
        else if (connection.chunks->state() == ChunkedReader::State::Complete)
            state = Connection::BodyState::Complete;
    }
    connection.ahead.assign(bytes.substr(taken));
    return state != Connection::BodyState::Pending || connection.body.size() > connection.bodyLimit;
}

Gate::Step Gate::bodyEnded(Connection& connection, Connection::BodyState state) {
    connection.bodyState = state;
    return giveToWorker(connection);
}

void Gate::setBodyDeadline(Connection& connection) {
    /// A small body comes with its head, or right behind it. Who keeps it back is asked for his key first.
    constexpr auto EARLY_TIME = std::chrono::milliseconds(50);
    if (!connection.suspended) {
        connection.setDeadline(connection.bodySince + EARLY_TIME);
        return;
    }
    const auto allowance = std::chrono::seconds(connection.body.size() / _settings.bytesPerSecond);
    connection.setDeadline(
        std::min(connection.since + _settings.patience, connection.bodySince + _settings.patience + allowance));
}

Gate::Step Gate::giveToWorker(Connection& connection) {
    connection.phase = Connection::Phase::Answering;
    connection.queuedAt = Clock::now(); // and not before its last byte came: RequestDatabase
    connection.giveToWorker();
    if (_queue.push(connection))
        return Step::Given;
    connection.takeFromWorker();
    _hasShed = true;
    return refuse(connection, {503, "queue_full", "The server is busy; try again"}, false);
}

} // namespace supplierd::host
