#pragma once

#include "host/db/PooledSession.h"
#include "host/db/changes/CommittedQuestions.h"

#include <supplierd/services/ChangeLog.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace supplierd::host {

/// The table `changes`, which transactions write (TransactionChanges): the service "supplierd.change-log/1", and what
/// the server's maintenance does. Thread: any. Errors: DatabaseError.
class ChangeLogStore final : public ChangeLog {
public:
    ChangeLogStore() = default;
    /// With now(), which asks that; the other functions use the sessions that they get.
    explicit ChangeLogStore(Database& database, bool hasSeveralNodes = false)
        : _questions(std::in_place, database, hasSeveralNodes) {}

    std::int64_t committed(SqlSession& session, std::int64_t supplierId) override;
    ChangePage after(SqlSession& session, std::int64_t supplierId, std::int64_t seq, std::size_t limit) override;
    CommittedNumbers now(std::int64_t supplierId) override { return _questions.value().ask(supplierId); }
    /// Of now().
    CommittedQuestions::Counts questions() const { return _questions.value().counts(); }

    /// Deletes the oldest entries, a thousand at most, that are older than that; what a reader has not read yet
    /// (change_readers) stays for seven days at least. True: there may be more.
    bool purge(Database& database, std::chrono::milliseconds retention);

    /// Raises the last number of every supplier by more than can have been lost with a primary, so that no number that
    /// was given there means something else, and whoever remembers one sees that there is a gap. Where it throws, its
    /// COMMIT may have taken effect all the same, and numbers are not without end: `before` is for the next try.
    static void skipNumbers(PooledSession& session, std::optional<std::int64_t>& before);

private:
    std::optional<CommittedQuestions> _questions;
};

} // namespace supplierd::host
