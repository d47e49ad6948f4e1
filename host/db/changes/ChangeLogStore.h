#pragma once

#include "host/db/PooledSession.h"

#include <supplierd/services/ChangeLog.h>

#include <chrono>
#include <cstdint>

namespace supplierd::host {

/// The table `changes`, which transactions write (TransactionChanges): the service "supplierd.change-log/1", and what
/// the server's maintenance does. Thread: any. Errors: DatabaseError.
class ChangeLogStore final : public ChangeLog {
public:
    /// Stands for what is remembered of keys and of suppliers' status: its number says whether that still holds. It has
    /// a row as suppliers have, and no entries in the log.
    static constexpr std::int64_t ACCOUNTS = -1;

    std::int64_t committed(SqlSession& session, std::int64_t supplierId) override;
    ChangePage after(SqlSession& session, std::int64_t supplierId, std::int64_t seq, std::size_t limit) override;

    /// Deletes the oldest entries, a thousand at most, that are older than that; what a reader has not read yet
    /// (change_readers) stays for seven days at least. True: there may be more.
    bool purge(Database& database, std::chrono::milliseconds retention);

    /// Raises the last number of every supplier by more than can have been seen of commits that are gone. To who
    /// follows a number of those, the log is not complete. `isContinued`: to who follows one that is there, it goes on;
    /// else acknowledged commits may be gone, so that whatever was passed on is to be read again.
    static void skipNumbers(SqlSession& session, bool isContinued);
    /// How often the numbers had been raised when one was given.
    static std::int64_t raises(std::int64_t number);
    /// Makes the row of a new supplier. Its numbers are none that a supplier had who is gone, and whose id it has.
    static void addSupplier(SqlSession& session, std::int64_t supplierId);
    /// Raises the number of ACCOUNTS, in the transaction that ends a key or changes a supplier's status. Until its end
    /// nobody else can do so: it comes behind the locks of suppliers and keys, and little more than the audit log's
    /// entry follows it.
    static void changeAccounts(SqlSession& session);
};

} // namespace supplierd::host
