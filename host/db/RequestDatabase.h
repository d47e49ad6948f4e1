#pragma once

#include "host/db/PooledDatabase.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace supplierd::host {

/// The database of one request. Whatever was committed before the request came has to be in its response; so what the
/// database said after that moment is as good as what it would say now, unless the request has asked or changed
/// something since. The number of accounts, by which its key is believed, is asked for first, and committed() takes
/// that answer. Thread: any; the request's threads share what they have learned.
class RequestDatabase final : public Database {
public:
    using Clock = CommittedQuestions::Clock;

    RequestDatabase(PooledDatabase& database, Clock::time_point arrivedAt)
        : _database(database), _arrivedAt(arrivedAt) {}

    using Database::execute;

    void withSession(const std::function<void(SqlSession&)>& work) override { atPresent().withSession(work); }
    void withSnapshot(const std::function<void(SqlSession&)>& work) override { atPresent().withSnapshot(work); }
    std::int64_t execute(std::string_view sql, SqlParams params) override { return atPresent().execute(sql, params); }
    void withTransaction(const std::function<void(Transaction&)>& work) override { atPresent().withTransaction(work); }
    CommittedNumbers committed(std::int64_t supplierId) override {
        const auto since = _arrivedAt.exchange(PRESENT);
        if (since != PRESENT && _answer && _supplierId == supplierId)
            return _answer->numbers;
        return _database.ask(supplierId, std::min(since, Clock::now())).numbers;
    }
    /// That of ChangeLogStore::ACCOUNTS, with those of this supplier for the first committed(). Before the request has
    /// threads of its own.
    std::int64_t accounts(std::int64_t supplierId) {
        _supplierId = supplierId;
        _answer = _database.ask(supplierId, std::min(_arrivedAt.load(), Clock::now()));
        return _answer->accounts;
    }

    /// For the request's own transaction. From now on, what the request is told of the database is of the present: it
    /// has learned something of it, or is about to.
    PooledDatabase& atPresent() {
        _arrivedAt = PRESENT;
        return _database;
    }

private:
    static constexpr Clock::time_point PRESENT = Clock::time_point::max();

    PooledDatabase& _database;
    std::atomic<Clock::time_point> _arrivedAt;
    std::int64_t _supplierId = 0;
    std::optional<CommittedAnswer> _answer; ///< about that supplier
};

} // namespace supplierd::host
