#include "host/http/pipeline/IdempotencyStore.h"

#include "host/base/Digest.h"
#include "host/base/Random.h"
#include "host/http/response/ErrorTable.h"

#include <supplierd/Errors.h>

#include <algorithm>
#include <thread>

namespace supplierd::host {

namespace {

constexpr std::string_view INSERT_CLAIM = R"sql(
INSERT IGNORE INTO idempotency_keys (scope_hash, body_hash, state, owner, server)
VALUES (?, ?, 'running', ?, ?)
)sql";

constexpr std::string_view FIND_CLAIM = R"sql(
SELECT k.body_hash, k.state, k.owner, k.status, k.headers, k.data, k.server,
       GREATEST(k.created_at, COALESCE(s.seen_at, k.created_at)) < NOW(6) - INTERVAL ? * 1000 MICROSECOND,
       k.created_at < NOW(6) - INTERVAL ? * 1000 MICROSECOND
FROM idempotency_keys k LEFT JOIN servers s ON s.id = k.server
WHERE k.scope_hash = ?
)sql";

// Only one of several requests that find the same dead claim can take it: the owner they saw must still be there.
constexpr std::string_view TAKE_OVER = R"sql(
UPDATE idempotency_keys
SET state = 'running', body_hash = ?, owner = ?, server = ?, created_at = NOW(6),
    status = NULL, headers = NULL, data = NULL
WHERE scope_hash = ? AND owner = ? AND state = ?
)sql";

constexpr std::string_view WRITE_OUTCOME = R"sql(
UPDATE idempotency_keys SET state = ?, status = ?, headers = ?, data = ?
WHERE scope_hash = ? AND owner = ? AND state = 'running'
)sql";

// A write, so that it waits for the lost transaction's lock, and so that that one can no longer find its claim.
constexpr std::string_view RENEW_OWNER = R"sql(
UPDATE idempotency_keys SET owner = ? WHERE scope_hash = ? AND owner = ? AND state = 'running'
)sql";

constexpr std::string_view RESTORE_OWNER = R"sql(
UPDATE idempotency_keys SET owner = ? WHERE scope_hash = ? AND owner = ?
)sql";

constexpr std::string_view OUTCOME_EXISTS = R"sql(
SELECT 1 FROM idempotency_keys WHERE scope_hash = ? AND owner = ? AND state <> 'running'
)sql";

constexpr std::string_view RELEASE_CLAIM = R"sql(
DELETE FROM idempotency_keys WHERE scope_hash = ? AND owner = ? AND state = 'running'
)sql";

// However short the retention is, no request runs for an hour.
constexpr std::string_view PURGE = R"sql(
DELETE FROM idempotency_keys
WHERE created_at < NOW(6) - INTERVAL ? * 1000 MICROSECOND
    AND (state <> 'running' OR created_at < NOW(6) - INTERVAL 1 HOUR)
ORDER BY created_at LIMIT 1000
)sql";

constexpr std::size_t MAX_KEY_LENGTH = 255;

std::string_view text(const std::array<char, 16>& owner) {
    return {owner.data(), owner.size()};
}

std::array<char, 16> randomOwner() {
    std::array<char, 16> owner{};
    fillRandom(reinterpret_cast<unsigned char*>(owner.data()), owner.size());
    return owner;
}

/// In the place of a header's name, which no header can have: the type of a payload without an envelope.
constexpr std::string_view TYPE_LINE = ":type";

/// "name: value" lines; values of ours never hold a line break.
std::string joinHeaders(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view contentType) {
    std::string joined;
    if (!contentType.empty())
        joined.append(TYPE_LINE).append(": ").append(contentType) += '\n';
    for (const auto& [name, value] : headers)
        joined += name + ": " + value + '\n';
    return joined;
}

std::vector<std::pair<std::string, std::string>> splitHeaders(std::string_view joined) {
    std::vector<std::pair<std::string, std::string>> headers;
    while (!joined.empty()) {
        const auto end = joined.find('\n');
        const auto line = joined.substr(0, end);
        const auto colon = line.find(": ");
        headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
        joined.remove_prefix(end + 1);
    }
    return headers;
}

void checkKey(std::string_view key) {
    const bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
    if (key.empty() || key.size() > MAX_KEY_LENGTH || !printable)
        throw ApiError::validation({{"Idempotency-Key", key.size() > MAX_KEY_LENGTH ? "too_long" : "type",
                                     "Idempotency-Key must be 1 to 255 printable ASCII characters"}});
}

/// False: the claim is not (or no longer) this request's running one.
bool writeResult(SqlSession& session, const IdempotencyClaim& claim, int status,
                 const std::vector<std::pair<std::string, std::string>>& headers, std::string_view payload, bool secret,
                 std::string_view contentType) {
    const std::string_view stored = secret ? std::string_view() : payload;
    return session.execute(WRITE_OUTCOME, {secret ? "secret" : "done", status, joinHeaders(headers, contentType),
                                           stored, asBytes(claim.scope), text(claim.owner)}) > 0;
}

bool resultExists(SqlSession& session, const IdempotencyClaim& claim) {
    return session.query(OUTCOME_EXISTS, {asBytes(claim.scope), text(claim.owner)}).next();
}

/// The repeat finds the result of the one that took over.
ApiError takenOver() {
    return ApiError::unavailable("Another request with this Idempotency-Key took over").withRetryAfter(1);
}

ApiError runsElsewhere() {
    return ApiError::unavailable("A request with this Idempotency-Key is still running on another server")
        .withRetryAfter(1);
}

constexpr std::chrono::milliseconds LOOK_PAUSE{100};

} // namespace

IdempotencyStore::Attempt::Attempt(IdempotencyStore& store, const Principal& principal, std::string_view method,
                                   std::string_view path, std::string_view key)
    : _store(store) {
    checkKey(key);
    const std::string owner = principal.isOperator ? "operator" : "supplier " + std::to_string(principal.supplierId);
    _claim.scope = sha256(owner + '\n' + std::string(method) + '\n' + std::string(path) + '\n' + std::string(key));
    _claim.owner = randomOwner();
    const std::lock_guard lock(_store._mutex);
    _store._running.emplace(text(_claim.owner), Clock::now());
}

IdempotencyStore::Attempt::~Attempt() {
    const std::lock_guard lock(_store._mutex);
    _store._running.erase(_store._running.find(text(_claim.owner)));
}

std::optional<HandlerResult> IdempotencyStore::claim(const Attempt& attempt, std::string_view body) {
    const IdempotencyClaim& claim = attempt.claim();
    const auto bodyHash = sha256(body);
    const auto until = Clock::now() + LONGEST_WAIT;
    for (;;) {
        std::optional<Settled> settled;
        _database.withWritingSession([&](SqlSession& session) {
            const auto inserted =
                session.execute(INSERT_CLAIM, {asBytes(claim.scope), asBytes(bodyHash), text(claim.owner), _server});
            settled = inserted > 0 ? Settled{} : examine(session, claim, bodyHash);
        });
        if (settled)
            return std::move(settled->result);
        waitForOther(until);
    }
}

std::optional<IdempotencyStore::Settled> IdempotencyStore::examine(SqlSession& session, const IdempotencyClaim& claim,
                                                                   const Sha256Digest& bodyHash) {
    auto& row =
        session.query(FIND_CLAIM, {std::int64_t{SILENCE.count()}, _settings.retention.count(), asBytes(claim.scope)});
    if (!row.next())
        return std::nullopt; // it was given up just now
    const bool sameBody = row.text(0) == asBytes(bodyHash);
    const std::string state(row.text(1));
    const std::string previousOwner(row.text(2));
    if (state == "running" && previousOwner == text(claim.owner))
        return Settled{}; // the insert was repeated after a lost connection: it is ours
    const bool isOfThisServer = row.text(6) == _server;
    const bool isCutOff = isOfThisServer ? !isRunning(previousOwner) : row.boolean(7);
    const bool outdated = row.boolean(8);
    const bool mayTakeOver = state == "running" ? isCutOff : outdated;
    if (!sameBody && !outdated)
        throw ApiError::validation(
            {{"Idempotency-Key", "duplicate", "This Idempotency-Key was used before with another body"}});
    if (mayTakeOver) {
        if (session.execute(TAKE_OVER, {asBytes(bodyHash), text(claim.owner), _server, asBytes(claim.scope),
                                        previousOwner, state}) > 0)
            return Settled{};
        return std::nullopt;
    }
    if (state == "running") {
        if (isOfThisServer)
            throw ApiError::conflict("A request with this Idempotency-Key is still running");
        return std::nullopt;
    }
    if (state == "secret")
        throw ApiError::validation({{"Idempotency-Key", "duplicate",
                                     "This request was answered before with a key that is shown only once; revoke "
                                     "that key and create another with a new Idempotency-Key"}});
    HandlerResult result{static_cast<int>(row.integer(3)), splitHeaders(row.text(4)), std::string(row.text(5))};
    if (!result.headers.empty() && result.headers.front().first == TYPE_LINE) {
        result.contentType = std::move(result.headers.front().second);
        result.headers.erase(result.headers.begin());
    }
    return Settled{std::move(result)};
}

bool IdempotencyStore::isRunning(std::string_view owner) {
    const std::lock_guard lock(_mutex);
    return _running.contains(owner);
}

void IdempotencyStore::waitForOther(Clock::time_point until) {
    const bool hasPlace = _waiting.fetch_add(1) < _mostWaiting;
    const bool mayWait = hasPlace && Clock::now() < until;
    if (mayWait)
        std::this_thread::sleep_for(LOOK_PAUSE);
    _waiting.fetch_sub(1);
    if (!mayWait)
        throw runsElsewhere();
}

bool IdempotencyStore::needsSignOfLife() {
    const auto since = Clock::now() - SIGN_OF_LIFE;
    const std::lock_guard lock(_mutex);
    return std::any_of(_running.begin(), _running.end(), [since](const auto& run) { return run.second <= since; });
}

void IdempotencyStore::finish(const IdempotencyClaim& claim, const HandlerResult& result) {
    try {
        _database.withWritingSession([&](SqlSession& session) {
            // It may be there already: this runs twice when the answer to the first was lost.
            if (!writeResult(session, claim, result.status, result.headers, result.payload, result.secret,
                             result.contentType) &&
                !resultExists(session, claim))
                throw takenOver();
        });
    } catch (const std::exception&) {
        defer(claim);
        throw;
    }
}

void IdempotencyStore::release(const IdempotencyClaim& claim) {
    try {
        deleteClaim(claim);
    } catch (const std::exception&) {
        // The request failed already, and that is what its client is to hear.
        defer(claim);
    }
}

void IdempotencyStore::releaseDeferred() {
    std::vector<IdempotencyClaim> claims;
    {
        const std::lock_guard lock(_mutex);
        claims.swap(_deferred);
    }
    while (!claims.empty()) {
        try {
            deleteClaim(claims.back());
        } catch (const std::exception&) {
            for (const auto& claim : claims)
                defer(claim);
            throw;
        }
        claims.pop_back();
    }
}

void IdempotencyStore::deleteClaim(const IdempotencyClaim& claim) {
    _database.withWritingSession([&](SqlSession& session) {
        session.execute(RELEASE_CLAIM, {asBytes(claim.scope), text(claim.owner)});
    });
}

void IdempotencyStore::defer(const IdempotencyClaim& claim) {
    const std::lock_guard lock(_mutex);
    _deferred.push_back(claim);
}

bool IdempotencyStore::purge() {
    return _database.execute(PURGE, {_settings.retention.count()}) == 1000;
}

IdempotencyRecord::IdempotencyRecord(const IdempotencyClaim& claim, const Response& response,
                                     const std::vector<Detail>& warnings)
    : _claim(claim), _response(response), _warnings(warnings), _guard(randomOwner()) {}

void IdempotencyRecord::write(PooledSession& session) {
    const std::string payload =
        _response.contentType.empty() ? successPayload(_response.data, _response.warnings, _warnings) : _response.data;
    if (!writeResult(session, _claim, _response.status, _response.headers, payload, _response.secret,
                     _response.contentType))
        throw takenOver();
}

bool IdempotencyRecord::isCommitted(PooledSession& fresh) {
    fresh.execute(RENEW_OWNER, {text(_guard), asBytes(_claim.scope), text(_claim.owner)});
    // Found: not committed, and it cannot be any more; the claim goes back to its owner for the repeat. Both statements
    // may run again when an answer to them was lost too.
    if (fresh.execute(RESTORE_OWNER, {text(_claim.owner), asBytes(_claim.scope), text(_guard)}) > 0)
        return false;
    return resultExists(fresh, _claim);
}

} // namespace supplierd::host
