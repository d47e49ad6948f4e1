#pragma once

#include "host/base/Digest.h"
#include "host/config/Settings.h"
#include "host/db/PooledDatabase.h"

#include <supplierd/Request.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

/// The result of a request as it is stored and replayed: a success's payload, or an error's fragment (ErrorTable.h).
struct HandlerResult {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string payload;
    bool secret = false; ///< the payload is for this one answer: never stored
    /// The payload is sent as it is, as this; empty: in the envelope.
    std::string contentType = {};
};

/// The right to run the request of one Idempotency-Key, as long as this server lives and works on it.
struct IdempotencyClaim {
    Sha256Digest scope{};
    std::array<char, 16> owner{};
};

/// Rows of idempotency_keys. A claim is committed before the handler runs; the result is written by the business
/// transaction (IdempotencyRecord), or by finish() for requests that had none. A claim belongs to a server: another one
/// takes it over when that server has been silent for SILENCE. A server that was only paused then finds that its claim
/// has another owner, and its transaction fails. Thread: any.
class IdempotencyStore {
public:
    /// After so long without a claim or a sign of life of its server, the request of a claim counts as cut off.
    static constexpr std::chrono::milliseconds SILENCE{2'500};
    /// How often a server shows that it lives, while needsSignOfLife().
    static constexpr std::chrono::milliseconds SIGN_OF_LIFE{500};
    /// So long a repeat waits for another server's request, on its thread.
    static constexpr std::chrono::milliseconds LONGEST_WAIT{3'000};

    /// `server`: this one's id among the rows of `servers`. `mostWaiting`: requests that may wait at a time.
    IdempotencyStore(PooledDatabase& database, const IdempotencySettings& settings, std::string server, int mostWaiting)
        : _database(database), _settings(settings), _server(std::move(server)), _mostWaiting(mostWaiting) {}

    /// A request with a key that this server works on, while the object lives.
    class Attempt {
    public:
        /// Throws ApiError: Validation (a malformed key).
        Attempt(IdempotencyStore& store, const Principal& principal, std::string_view method, std::string_view path,
                std::string_view key);
        ~Attempt();
        Attempt(const Attempt&) = delete;
        Attempt& operator=(const Attempt&) = delete;

        const IdempotencyClaim& claim() const { return _claim; }

    private:
        IdempotencyStore& _store;
        IdempotencyClaim _claim;
    };

    /// Claims the key for the attempt; or else the first result, to replay. Throws ApiError: Validation (the same key
    /// with another body, or the response held a secret), Conflict (this server still works on the first request),
    /// Unavailable (another server still works on it).
    std::optional<HandlerResult> claim(const Attempt& attempt, std::string_view body);

    /// Whether a request takes so long that the others have to see a sign of life, by ServerPresence.
    bool needsSignOfLife();

    /// Stores the result of a request that recorded none in a transaction.
    void finish(const IdempotencyClaim& claim, const HandlerResult& result);
    /// Gives the claim up, so that the same key may be tried again at once; when the database cannot be reached now, by
    /// releaseDeferred().
    void release(const IdempotencyClaim& claim);
    /// Gives up the claims that release() and finish() could not. Throws ApiError while the database is away.
    void releaseDeferred();
    /// Deletes what is older than the retention, a bounded number of rows at a time. True: there may be more.
    bool purge();

private:
    using Clock = std::chrono::steady_clock;
    /// `result`: the stored one; nothing: the claim is ours. No value at all: somebody else is at work.
    struct Settled {
        std::optional<HandlerResult> result;
    };

    std::optional<Settled> examine(SqlSession& session, const IdempotencyClaim& claim, const Sha256Digest& bodyHash);
    bool isRunning(std::string_view owner);
    void waitForOther(Clock::time_point until);
    void deleteClaim(const IdempotencyClaim& claim);
    void defer(const IdempotencyClaim& claim);

    PooledDatabase& _database;
    const IdempotencySettings _settings;
    const std::string _server;
    const int _mostWaiting;
    std::atomic<int> _waiting{0};
    std::mutex _mutex; ///< of the following
    std::vector<IdempotencyClaim> _deferred;
    std::map<std::string, Clock::time_point, std::less<>> _running; ///< since when, by owner
};

/// Writes the result in the business transaction, and tells after a lost COMMIT whether it is there.
class IdempotencyRecord final : public CommitRecord {
public:
    /// `response` is what the transaction's work returned, by the time write() runs; `warnings` are sent with it.
    IdempotencyRecord(const IdempotencyClaim& claim, const Response& response, const std::vector<Detail>& warnings);

    void write(PooledSession& session) override;
    bool isCommitted(PooledSession& fresh) override;

private:
    const IdempotencyClaim& _claim;
    const Response& _response;
    const std::vector<Detail>& _warnings;
    std::array<char, 16> _guard; ///< the claim's owner for the moment in which a lost transaction is shut out
};

} // namespace supplierd::host
