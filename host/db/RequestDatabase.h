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
/// something since. Thread: any; the request's threads share what they have learned.
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
        return _database.committed(supplierId, std::min(_arrivedAt.exchange(PRESENT), Clock::now()));
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
};

} // namespace supplierd::host
