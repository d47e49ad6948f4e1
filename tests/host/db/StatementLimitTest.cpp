#include "host/db/Connector.h"
#include "host/db/PooledDatabase.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <optional>
#include <string>

namespace supplierd::tests {

using host::PooledDatabase;
using host::PooledSession;
using host::PoolSettings;
using host::SessionPool;

/// A database that keeps no more than twenty prepared statements, those of all its clients together.
class StatementLimitTest : public CppUnit::TestFixture {
protected:
    static constexpr int LIMIT = 20;

    PrivateMariaDb _mariaDb;
    TestDatabase _server{_mariaDb};
    SessionPool _pool{_server.sessionSettings(), PoolSettings{.size = 4}};
    PooledDatabase _database{_pool};

public:
    void setUp() override {
        _server.exec("SET GLOBAL max_prepared_stmt_count = " + std::to_string(LIMIT) +
                     "; CREATE TABLE operations (id BINARY(16) PRIMARY KEY, abandoned TINYINT NOT NULL DEFAULT 0)");
    }

protected:
    static void select(SqlSession& session, int number) {
        // Twice: from then on it is kept.
        for (int time = 0; time < 2; ++time) {
            Rows& rows = session.query("SELECT " + std::to_string(number));
            CPPUNIT_ASSERT(rows.next());
            CPPUNIT_ASSERT_EQUAL(std::int64_t{number}, rows.integer(0));
        }
    }

    static void selectMany(SqlSession& session, int count) {
        for (int i = 0; i < count; ++i)
            select(session, i);
    }

    /// Two idle sessions: one keeps all that the database has room for, and the one that is lent next keeps nothing.
    void useUpTheLimit() {
        _database.withSession(
            [&](SqlSession&) { _database.withSession([](SqlSession& inner) { selectMany(inner, LIMIT); }); });
    }
};

TEST(StatementLimitTest, sessionGivesItsOwnStatementsUp) {
    _database.withSession([](SqlSession& session) { selectMany(session, 5 * LIMIT); });
}

TEST(StatementLimitTest, statementsOfIdleSessionsAreGivenUp) {
    useUpTheLimit();
    _database.withSession([](SqlSession& session) { select(session, 1'000); });
}

TEST(StatementLimitTest, transactionIsRepeatedWithoutTheIdleSessions) {
    useUpTheLimit();
    _database.withTransaction([](Transaction& transaction) { select(transaction, 1'000); });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _server.integer("SELECT COUNT(*) FROM operations"));
}

TEST(StatementLimitTest, nothingLeftIsUnavailableAndNoMistake) {
    std::optional<PooledSession> greedy(host::openSession(_server.sessionSettings()));
    selectMany(*greedy, LIMIT);
    const auto read = [&] { _database.withSession([](SqlSession& session) { select(session, 1); }); };
    CPPUNIT_ASSERT(isUnavailable(read));
    CPPUNIT_ASSERT(isUnavailable([&] { _database.withSnapshot([](SqlSession& s) { select(s, 1); }); }));
    CPPUNIT_ASSERT(isUnavailable([&] { _database.withTransaction([](Transaction&) {}); }));
    greedy.reset();
    while (_server.integer("SELECT VARIABLE_VALUE FROM information_schema.global_status WHERE variable_name = "
                           "'Prepared_stmt_count'") > 0)
        continue;
    read();
}

TEST(StatementLimitTest, refusalsLowerTheLimitOfThePool) {
    host::StatementLimit limit;
    CPPUNIT_ASSERT_EQUAL(host::StatementLimit::MOST, limit.current());
    limit.lower();
    limit.lower();
    CPPUNIT_ASSERT_EQUAL(host::StatementLimit::MOST / 2, limit.current());
}

} // namespace supplierd::tests
