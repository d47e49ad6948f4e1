#include "host/http/pipeline/RequestContext.h"

#include "host/db/HostTransaction.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeRequest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::PooledDatabase;
using host::RequestContext;
using host::SessionPool;

/// What a handler gets of the host, over a real database.
class RequestContextTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _server.exec("CREATE TABLE operations (id BINARY(16) PRIMARY KEY, abandoned TINYINT NOT NULL DEFAULT 0);"
                     "CREATE TABLE n (id INT PRIMARY KEY, v BIGINT NOT NULL); INSERT INTO n VALUES (1, 0)");
    }

protected:
    std::int64_t value() { return _server.integer("SELECT v FROM n"); }

    Response transact(const std::function<Response(Transaction&)>& work) {
        testing::FakeRequest request(_database, Method::Post, "/n");
        host::RoutedHandler handler;
        handler.route.method = Method::Post;
        host::RouteMatch match;
        match.handler = &handler;
        const Principal principal;
        const host::RateLimitState rate;
        const std::vector<Detail> warnings;
        const host::ResponseSample sample(1);
        const std::shared_ptr<void> admission;
        host::RequestDatabase database(_database, host::RequestDatabase::Clock::now());
        std::string buffer;
        RequestContext context({request.head(),
                                match,
                                principal,
                                rate,
                                {},
                                std::nullopt,
                                nullptr,
                                nullptr,
                                admission,
                                warnings,
                                database,
                                nullptr,
                                sample,
                                buffer});
        return context.transact(work);
    }

    TestDatabase _server;
    SessionPool _pool{_server.sessionSettings(), host::PoolSettings{.size = 2}};
    PooledDatabase _database{_pool};
};

TEST(RequestContextTest, whatIsForAfterTheCommitComesBehindIt) {
    std::int64_t seen = -1;
    transact([&](Transaction& transaction) {
        host::afterCommit(transaction, [&] { seen = value(); });
        transaction.execute("UPDATE n SET v = 7");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{-1}, seen);
        return Response(200);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, seen);
}

TEST(RequestContextTest, whatIsForAfterTheCommitNeverComesWithoutOne) {
    bool came = false;
    const auto note = [&](Transaction& transaction) { host::afterCommit(transaction, [&] { came = true; }); };
    CPPUNIT_ASSERT_THROW(transact([&](Transaction& transaction) -> Response {
                             note(transaction);
                             throw ApiError::notFound();
                         }),
                         ApiError);
    // The work is fine, and what goes along with it is not.
    _server.exec("CREATE TRIGGER refuse BEFORE INSERT ON operations FOR EACH ROW "
                 "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'");
    CPPUNIT_ASSERT_THROW(transact([&](Transaction& transaction) {
                             note(transaction);
                             transaction.execute("UPDATE n SET v = 7");
                             return Response(200);
                         }),
                         DatabaseError);
    CPPUNIT_ASSERT(!came);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value());
}

TEST(RequestContextTest, transactionThatDoesNotSayWhenItIsCommittedIsRefused) {
    testing::FakeDatabase fake;
    bool came = false;
    CPPUNIT_ASSERT_THROW(
        fake.withTransaction([&](Transaction& transaction) { host::afterCommit(transaction, [&] { came = true; }); }),
        std::logic_error);
    CPPUNIT_ASSERT(!came);
}

} // namespace supplierd::tests
