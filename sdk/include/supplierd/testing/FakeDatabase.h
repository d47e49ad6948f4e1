#pragma once

#include <supplierd/Database.h>
#include <supplierd/testing/FakeResult.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::testing {

/// A statement that the code under test ran.
struct FakeStatement {
    std::string sql;
    FakeRow parameters;
    bool inTransaction = false;
    bool inSnapshot = false;
};

/// What the code under test noted of a supplier in a transaction that committed (Transaction::change()).
struct FakeChange {
    std::int64_t supplierId = 0;
    std::int64_t seq = 0;
    /// Ids by kind, as the log keeps them.
    std::map<std::string, std::set<std::int64_t>, std::less<>> ids;
};

/// A Database without a server. Statements are answered by script:
///     database.whenQuery("FROM notes").thenRows({{1, "Roses", nullptr}});
///     database.whenExecute("INSERT INTO notes").thenAffects(1, 42);
///     database.whenExecute("DELETE").thenThrows(1213, "Deadlock found").thenAffects(1);
/// The last script whose text occurs in the statement answers it. A statement that no script knows throws
/// std::logic_error, as does a script of the other kind. Transactions are repeated as by the server: up to 5 times on
/// deadlock and lock time-out, and so is execute(); reading once more after a lost connection. What writes within a
/// snapshot fails with 1792, within withSession() with std::logic_error. Rows that another statement of their session
/// superseded throw std::logic_error. Thread: one. Since 1.0.
class FakeDatabase final : public Database {
public:
    FakeResult& whenQuery(std::string sqlPart);
    FakeResult& whenExecute(std::string sqlPart);

    /// Every statement that ran, oldest first. Transaction::change() is among them as "change" where it took the lock.
    const std::vector<FakeStatement>& statements() const { return _statements; }
    /// The last statement that contains `sqlPart`; throws std::logic_error when there is none.
    const FakeStatement& statement(std::string_view sqlPart) const;
    /// One for each supplier that a committed transaction changed; the numbers of each count from 1.
    const std::vector<FakeChange>& changes() const { return _changes; }
    int commits() const { return _commits; }
    int rollbacks() const { return _rollbacks; }

    using Database::execute;
    void withSession(const std::function<void(SqlSession&)>& work) override;
    std::int64_t execute(std::string_view sql, SqlParams params) override;
    void withTransaction(const std::function<void(Transaction&)>& work) override;
    void withSnapshot(const std::function<void(SqlSession&)>& work) override;
    /// The numbers of changes().
    CommittedNumbers committed(std::int64_t supplierId) override;

private:
    class Session;
    enum class Scope { Session, Writing, Transaction, Snapshot };
    struct Script {
        bool isQuery;
        std::string sqlPart;
        FakeResult answer;
    };

    const FakeResult::Step& answer(bool isQuery, std::string_view sql, SqlParams parameters, Scope scope);
    void readOnSession(const std::function<void(SqlSession&)>& work, Scope scope);
    FakeResult& add(bool isQuery, std::string sqlPart);

    std::deque<Script> _scripts; // a deque, because callers hold references
    std::vector<FakeStatement> _statements;
    std::map<std::int64_t, std::int64_t> _changeSeqs; // by supplier
    std::vector<FakeChange> _changes;
    int _commits = 0;
    int _rollbacks = 0;
};

} // namespace supplierd::testing
