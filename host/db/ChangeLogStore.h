#pragma once

#include "host/db/CommittedQuestions.h"

#include <supplierd/ChangeLog.h>

#include <chrono>

namespace supplierd::host {

/// The table `changes`, which transactions write (TransactionChanges): the service "supplierd.change-log/1", and what
/// the server's maintenance does. Thread: any. Errors: DatabaseError.
class ChangeLogStore final : public ChangeLog {
public:
    explicit ChangeLogStore(Database& database) : _questions(database) {}

    std::int64_t committed(SqlSession& session, std::int64_t supplierId) override;
    ChangePage after(SqlSession& session, std::int64_t supplierId, std::int64_t seq, std::size_t limit) override;
    CommittedNumbers now(std::int64_t supplierId) override { return _questions.ask(supplierId); }

    /// Deletes the oldest entries, a thousand at most, that are older than that. True: there may be more.
    static bool purge(Database& database, std::chrono::milliseconds retention);

private:
    CommittedQuestions _questions;
};

} // namespace supplierd::host
