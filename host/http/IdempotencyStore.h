#pragma once

#include "host/auth/ApiKey.h"
#include "host/config/Settings.h"
#include "host/db/PooledDatabase.h"

#include <supplierd/Request.h>

#include <array>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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

/// The right to run the request of one Idempotency-Key, until its lease ends.
struct IdempotencyClaim {
    Sha256Digest scope{};
    std::array<char, 16> owner{};
};

/// A claim whose request is being worked on.
struct RunningClaim {
    IdempotencyClaim claim;
    std::chrono::steady_clock::time_point renewedAt;
};

/// Rows of idempotency_keys. A claim is committed before the handler runs; the result is written by the business
/// transaction (IdempotencyRecord), or by finish() for requests that had none. Thread: any.
class IdempotencyStore {
public:
    IdempotencyStore(PooledDatabase& database, const IdempotencySettings& settings)
        : _database(database), _settings(settings) {}

    /// The claim to go on with, or the first result to replay. Throws ApiError: Validation (a malformed key, or the
    /// same key with another body), Conflict (the first request still runs, or its answer held a secret).
    std::variant<IdempotencyClaim, HandlerResult> claim(const Principal& principal, std::string_view method,
                                                        std::string_view path, std::string_view key,
                                                        std::string_view body);

    /// While it lives, renewLeases() renews the claim's lease.
    class Running {
    public:
        Running(IdempotencyStore& store, const IdempotencyClaim& claim);
        ~Running();
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        IdempotencyStore& _store;
        std::list<RunningClaim>::iterator _place;
    };

    /// Renews the leases of running requests, a third of a lease after the last time: a repeat of a request that takes
    /// long must not take over from it. Called at least four times within a lease. Throws what the database throws.
    void renewLeases();

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

    std::vector<IdempotencyClaim> takeDue();
    std::optional<HandlerResult> examine(SqlSession& session, IdempotencyClaim& claim, const Sha256Digest& bodyHash);
    void deleteClaim(const IdempotencyClaim& claim);
    void defer(const IdempotencyClaim& claim);

    PooledDatabase& _database;
    IdempotencySettings _settings;
    std::mutex _mutex;
    std::vector<IdempotencyClaim> _deferred;
    std::list<RunningClaim> _running;
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
