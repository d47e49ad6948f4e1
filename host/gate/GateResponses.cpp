#include "host/gate/Gate.h"

#include <algorithm>
#include <utility>

// How a response goes out: from a worker at once, as far as the client takes it, the rest from the gate's thread.

namespace supplierd::host {

Gate::Step Gate::send(Connection& connection) {
    switch (connection.output.proceed(*connection.transport, false)) {
    case ResponseOutput::Progress::Sent:
        connection.output.end(true);
        if (!endResponse(connection))
            return connection.isPutOff ? pause(connection) : Step::Wait;
        return connection.isPutOff && connection.phase == Connection::Phase::Head ? pause(connection) : Step::Again;
    case ResponseOutput::Progress::Blocked:
        setSendDeadline(connection);
        return Step::Wait;
    case ResponseOutput::Progress::Unfinished:
        return yieldTurn(connection);
    case ResponseOutput::Progress::NeedsWorker:
        connection.giveToWorker();
        _queue.pushStarted(connection);
        return Step::Given;
    default:
        connection.output.end(false);
        return close(connection);
    }
}

/// How long it may take nothing: the patience; and all in all no less than the rate beyond that.
void Gate::setSendDeadline(Connection& connection) {
    const auto sent = connection.output.sent() - connection.sentBefore;
    const auto allowance = std::chrono::seconds(sent / _settings.bytesPerSecond);
    const auto now = Clock::now();
    connection.setDeadline(
        std::min(now + _settings.patience, connection.sendingSince + _settings.patience + allowance));
}

bool Gate::endResponse(Connection& connection) {
    const auto now = Clock::now();
    release(connection.heldResponse);
    if (!connection.closesAfter) {
        if (connection.isProxied)
            uncount(connection);
        connection.beginRequest(now);
        connection.setDeadline(now + (isDraining() ? _grace : _settings.keepAliveTimeout));
        return !connection.input.empty() || connection.hasMore || connection.isEnding;
    }
    if (!connection.lingers) {
        closeTransport(connection);
        return true;
    }
    constexpr auto LINGER_TIME = std::chrono::milliseconds(2'000);
    constexpr auto LAST_LINGER_TIME = std::chrono::milliseconds(300);
    connection.transport->finishSending();
    std::string().swap(connection.input); // nobody looks at the request any more
    std::string().swap(connection.ahead);
    connection.phase = Connection::Phase::Lingering;
    connection.setDeadline(now + (isDraining() ? LAST_LINGER_TIME : LINGER_TIME));
    return true;
}

/// Takes what the client still sends, for a bounded time and size, so that closing does not reset the connection before
/// the response was read. Clients may send a whole body before they look: the largest that any route takes, and more.
Gate::Step Gate::linger(Connection& connection) {
    constexpr std::size_t MOST = std::size_t{64} << 20;
    for (const auto before = connection.lingered; connection.lingered < MOST;) {
        if (connection.lingered - before >= RECEIVED_PER_TURN)
            return yieldTurn(connection);
        const auto got = connection.transport->receive(_buffer);
        if (got.status == Transfer::Status::WantRead || got.status == Transfer::Status::WantWrite)
            return Step::Wait;
        if (got.status != Transfer::Status::Done)
            break;
        connection.lingered += got.bytes;
    }
    return close(connection);
}

Gate::Step Gate::refuse(Connection& connection, const Rejection& rejection, bool closes) {
    Refusal refusal{rejection.status, rejection.reason, rejection.message, nullptr,
                    connection.client.value_or(connection.peer.host())};
    const bool isWhole = connection.check.state() == RequestHeadCheck::State::Complete;
    if (isWhole)
        refusal.head = &connection.head();
    const auto response = _refusals.respond(refusal);
    const bool hasUnread = connection.bodyState != Connection::BodyState::Complete;
    connection.closesAfter = closes || hasUnread || !isWhole || !connection.head().keepsAlive || isDraining();
    connection.lingers = true;
    connection.isPutOff = rejection.status == 503;
    const auto bytes = refusalBytes(refusal, response, connection.closesAfter);
    connection.phase = Connection::Phase::Sending;
    connection.sendingSince = _now;
    connection.sentBefore = 0;
    OutgoingResponse outgoing;
    outgoing.bytes = bytes;
    const auto progress = connection.output.begin(std::move(outgoing), *connection.transport);
    if (progress == ResponseOutput::Progress::Broken) {
        connection.output.end(false);
        return close(connection);
    }
    return Step::Again;
}

// Workers.

/// `isUrgent`: the gate has to look at it now, not only when it looks around anyway.
void Gate::giveBack(Connection& connection, bool isUrgent) {
    {
        std::unique_lock lock(_mutex);
        if (_hasEnded) {
            lock.unlock();
            endAtOnce(connection);
            return;
        }
        _returned.push_back(&connection);
    }
    if (isUrgent)
        wake();
}

std::optional<SendResult> Gate::respond(Connection& connection, OutgoingResponse response,
                                        const std::function<std::unique_ptr<SendCompletion>()>& completion) {
    const bool isRead = connection.bodyState == Connection::BodyState::Complete && connection.ahead.empty();
    connection.body.clear(); // here, and not by the gate's thread: freeing a large file takes its time
    release(connection.heldBody);
    const auto supplierId = response.supplierId;
    const bool isForKnown = response.isForKnown;
    connection.closesAfter = response.closes;
    connection.lingers = !isRead || connection.head().keepsAlive;
    auto progress = ResponseOutput::Progress::Broken;
    if (!_isCutOff) {
        connection.sendingSince = Clock::now();
        connection.sentBefore = 0;
        progress = connection.output.begin(std::move(response), *connection.transport);
    }
    if (progress == ResponseOutput::Progress::Blocked &&
        !makeRoomForResponse(connection, {connection.network(), supplierId, isForKnown}))
        progress = ResponseOutput::Progress::Broken;
    if (progress == ResponseOutput::Progress::Blocked) {
        connection.output.readAhead();
        connection.output.onEnd(completion());
        connection.phase = Connection::Phase::Sending;
        giveBack(connection, true);
        return std::nullopt;
    }
    const bool isWhole = progress == ResponseOutput::Progress::Sent;
    SendResult result{connection.output.sent(), isWhole, connection.output.failure()};
    connection.output.end(isWhole);
    if (!isWhole)
        abandon(connection);
    else if (endResponse(connection) || !connection.waitAfterWork())
        giveBack(connection, connection.phase != Connection::Phase::Closed);
    return result;
}

bool Gate::makeRoomForResponse(Connection& connection, const HeldLedger::Holder& holder) {
    auto& output = connection.output;
    if (output.isUnmade()) {
        connection.heldResponse = _ledger.holdWindow(holder, output.waiting());
    } else {
        connection.heldResponse = _ledger.holdInMemory(holder, output.waiting());
        if (!connection.heldResponse && (connection.heldResponse = _ledger.holdInFile(holder, output.waiting())) &&
            !output.moveToFile())
            release(connection.heldResponse);
    }
    if (!connection.heldResponse)
        _ledger.noteRefused();
    return connection.heldResponse.has_value();
}

bool Gate::makeRoomForBody(Connection& connection, std::uint64_t limit, bool isStreamed,
                           const HeldLedger::Holder& holder) {
    /// Of a body that is read in pieces, so much at most is in memory.
    constexpr std::uint64_t STREAMED_IN_MEMORY = std::uint64_t{256} << 10;
    const auto& head = connection.head();
    const auto size = head.framing == BodyFraming::Length ? head.contentLength : limit;
    release(connection.heldBody);
    if (!isStreamed || size <= STREAMED_IN_MEMORY)
        connection.heldBody = _ledger.holdInMemory(holder, size);
    if (connection.heldBody) {
        connection.body.memory().reserve(static_cast<std::size_t>(size)); // growing would take twice as much
        return true;
    }
    connection.heldBody = _ledger.holdInFile(holder, size);
    if (connection.heldBody)
        connection.body.mayUseFile(HeldLedger::WINDOW / 2); // what comes before it is written is of the same size
    else
        _ledger.noteRefused();
    return connection.heldBody.has_value();
}

void Gate::release(std::optional<Holding>& held) {
    if (!held)
        return;
    const auto memory = held->amount().memory;
    held.reset();
    _refusals.noteFreed(memory);
}

void Gate::collectBody(Connection& connection, std::uint64_t limit) {
    connection.bodyLimit = limit;
    connection.bodySince = connection.since = Clock::now();
    connection.phase = Connection::Phase::Body;
    const bool isAwaited = connection.head().expectsContinue && connection.ahead.empty() && connection.body.size() == 0;
    if (isAwaited)
        connection.transport->send("HTTP/1.1 100 Continue\r\n\r\n",
                                   false); // nothing else is in the connection's buffer
    giveBack(connection, true);
}

void Gate::spillBody(Connection& connection) {
    try {
        connection.body.spill();
    } catch (const std::exception&) { // no room on the disk
        connection.bodyState = Connection::BodyState::Lost;
    }
    const auto waited = Clock::now() - connection.since; // not the client's time
    connection.since += waited;
    connection.bodySince += waited;
    giveBack(connection, true);
}

void Gate::produce(Connection& connection) {
    connection.sendingSince = Clock::now();
    connection.sentBefore = connection.output.sent();
    const auto progress =
        _isCutOff ? ResponseOutput::Progress::Broken : connection.output.proceed(*connection.transport, true);
    if (progress == ResponseOutput::Progress::Blocked) {
        giveBack(connection, true);
        return;
    }
    const bool isWhole = progress == ResponseOutput::Progress::Sent;
    connection.output.end(isWhole);
    if (!isWhole)
        abandon(connection);
    else if (endResponse(connection) || !connection.waitAfterWork())
        giveBack(connection, connection.phase != Connection::Phase::Closed);
}

void Gate::abandon(Connection& connection) {
    closeTransport(connection);
    giveBack(connection, false);
}

} // namespace supplierd::host
