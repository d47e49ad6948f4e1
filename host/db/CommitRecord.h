#pragma once

#include "host/db/PooledSession.h"

#include <array>

namespace supplierd::host {

/// What a transaction leaves behind so that, after a COMMIT whose answer was lost, it can be told whether it committed.
/// Lifetime: one PooledDatabase::run(). Thread: the caller's.
class CommitRecord {
public:
    virtual ~CommitRecord() = default;

    /// Runs in the transaction, before its work, at every attempt: what need not wait for the outcome is best written
    /// here, since others wait for the locks that the work takes. What it throws ends the attempt.
    virtual void open(PooledSession& session) { static_cast<void>(session); }
    /// Runs in the transaction, just before COMMIT, at every attempt. What it throws ends the attempt.
    virtual void write(PooledSession& session) { static_cast<void>(session); }

    /// Asked on a fresh session outside any transaction. False means more than "not there yet": the lost transaction
    /// can never commit any more. So the answer must come from a statement that waits for the lock which the lost
    /// transaction still holds, and should itself write, so that a cluster's other node refuses the late one.
    virtual bool isCommitted(PooledSession& fresh) = 0;
};

/// The record of a transaction that has no Idempotency-Key: a row of `operations` with a random id.
class OperationRecord final : public CommitRecord {
public:
    void open(PooledSession& session) override;
    bool isCommitted(PooledSession& fresh) override;

private:
    std::array<char, 16> _id{};
};

} // namespace supplierd::host
