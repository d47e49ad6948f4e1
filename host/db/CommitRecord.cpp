#include "host/db/CommitRecord.h"

#include <sys/random.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace supplierd::host {

namespace {

constexpr std::string_view RECORD_SQL = R"sql(
INSERT INTO operations (id) VALUES (?)
)sql";

constexpr std::string_view CLAIM_SQL = R"sql(
INSERT INTO operations (id, abandoned) VALUES (?, 1)
)sql";

constexpr std::string_view LOOK_UP_SQL = R"sql(
SELECT abandoned FROM operations WHERE id = ?
)sql";

} // namespace

void OperationRecord::open(PooledSession& session) {
    // A new id for every attempt: the one before may have been given up for good.
    if (getentropy(_id.data(), _id.size()) != 0)
        throw std::system_error(errno, std::generic_category(), "getentropy");
    session.execute(RECORD_SQL, {std::string_view(_id.data(), _id.size())});
}

bool OperationRecord::isCommitted(PooledSession& fresh) {
    const std::string_view id(_id.data(), _id.size());
    try {
        // Waits for the lost transaction if that still runs. Once our own row is there, the transaction's cannot come.
        fresh.execute(CLAIM_SQL, {id});
        return false;
    } catch (const DatabaseError& error) {
        if (!error.isDuplicateKey())
            throw;
    }
    // The row may also be our own, from a look-up that was itself cut short.
    Rows& rows = fresh.query(LOOK_UP_SQL, {id});
    return rows.next() && !rows.boolean(0);
}

} // namespace supplierd::host
