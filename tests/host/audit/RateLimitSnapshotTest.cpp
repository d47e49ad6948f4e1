#include "host/auth/Authenticator.h"
#include "host/auth/LocalRateLimiter.h"
#include "host/db/changes/ChangeLogStore.h"
#include "tests/host/audit/MigratedDatabase.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeCacheMemory.h>

#include <memory>
#include <string>

namespace supplierd::tests {

namespace {

/// One server as far as rate limits go.
struct Counter {
    explicit Counter(host::PooledDatabase& theirs) : database(theirs) {}

    void save() { limiter.save(database); }

    host::PooledDatabase& database;
    host::LocalRateLimiter limiter;
};

} // namespace

/// What servers know of a key's window through the database, and of the key itself.
class RateLimitSnapshotTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _migrated = std::make_unique<MigratedDatabase>(16);
        _first = std::make_unique<Counter>(_migrated->database);
        _second = std::make_unique<Counter>(_migrated->database);
    }

protected:
    /// One request with a limit of 10, by a server that has heard of the others' just now; what remains.
    static std::int64_t use(Counter& server, const host::SupplierLimit& supplier = {}) {
        server.limiter.refresh(server.database);
        return useWithout(server, supplier);
    }
    /// The same before the next refresh().
    static std::int64_t useWithout(Counter& server, const host::SupplierLimit& supplier = {}) {
        server.limiter.learn(server.database, KEY, supplier);
        return server.limiter.count(KEY, 10, supplier).remaining;
    }
    std::int64_t saved() { return _migrated->server.integer("SELECT used FROM rate_limit_windows WHERE key_id = 5"); }

    static constexpr std::int64_t KEY = 5;

    std::unique_ptr<MigratedDatabase> _migrated;
    std::unique_ptr<Counter> _first;
    std::unique_ptr<Counter> _second;
};

TEST(RateLimitSnapshotTest, nextServerGoesOnCounting) {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, use(*_first));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, use(*_first));
    _first->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, use(*_second));
    _second->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, saved());
}

TEST(RateLimitSnapshotTest, serversAtOnceAgree) {
    for (int i = 0; i < 3; ++i) {
        use(*_first);
        use(*_second);
    }
    _first->save();
    _second->save(); // with a window of its own until now
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, saved());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, use(*_first));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, use(*_second));
    _second->save();
    _first->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, saved());
}

TEST(RateLimitSnapshotTest, nextWindowReplacesTheOneBefore) {
    use(*_first);
    _first->save();
    _migrated->server.exec("UPDATE rate_limit_windows SET started_at = started_at - INTERVAL 3600 SECOND");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, use(*_second));
    _second->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, saved());
}

TEST(RateLimitSnapshotTest, stepOfTheDatabasesClockIsCorrected) {
    use(*_first);
    _first->save();
    for (const char* step : {"- INTERVAL 1 DAY", "+ INTERVAL 1 DAY"}) {
        _migrated->server.exec(std::string("UPDATE rate_limit_windows SET started_at = started_at ") + step);
        use(*_first);
        _first->save();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                             _migrated->server.integer("SELECT ABS(TIMESTAMPDIFF(SECOND, started_at, NOW(6))) < 600 "
                                                       "FROM rate_limit_windows"));
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, saved());
}

TEST(RateLimitSnapshotTest, rowOfTheFutureIsReplaced) {
    use(*_first);
    _first->save();
    _migrated->server.exec("UPDATE rate_limit_windows SET started_at = started_at + INTERVAL 1 DAY");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, use(*_second));
    _second->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, saved());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                         _migrated->server.integer("SELECT started_at <= NOW(6) FROM rate_limit_windows"));
}

TEST(RateLimitSnapshotTest, successorLeavesWhatIsReservedAndGetsTheRestBack) {
    use(*_first);
    _first->limiter.reserve(3);
    _first->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, use(*_second));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, use(*_first));
    _first->limiter.reserve(0);
    _first->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, use(*_second));
    _second->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, saved());
}

TEST(RateLimitSnapshotTest, failedSavingIsMadeUpFor) {
    use(*_first);
    _migrated->server.exec("RENAME TABLE rate_limit_windows TO elsewhere");
    CPPUNIT_ASSERT_THROW(_first->save(), std::exception);
    _migrated->server.exec("RENAME TABLE elsewhere TO rate_limit_windows");
    use(*_first);
    _first->save();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, saved());
}

TEST(RateLimitSnapshotTest, firstRequestOfAServerGoesOnWithWhatOthersHaveCounted) {
    const host::SupplierLimit supplier{3, 100};
    useWithout(*_first, supplier);
    _first->save();
    _migrated->server.exec("UPDATE rate_limit_windows SET started_at = started_at - INTERVAL 40 MINUTE, used = 7");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, useWithout(*_second, supplier));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _second->limiter.count(KEY, 1'000, {3, 10}).remaining); // the supplier's
}

TEST(RateLimitSnapshotTest, expiryBeyond2038IsKnown) {
    const auto key = host::ApiKey::generate(host::KeyKind::Supplier);
    auto& server = _migrated->server;
    server.exec("INSERT INTO suppliers (id, name, status) VALUES (1, 'Rozenhof', 'verified');"
                "INSERT INTO api_keys (key_id, kind, supplier_id, key_hash, expires_at) VALUES (" +
                server.quote(key.keyId) + ", 'supplier', 1, UNHEX(SHA2(" + server.quote(key.text) +
                ", 256)), '2100-01-01 00:00:00')");
    auto& database = _migrated->database;
    const host::AccountsQuestion accounts = [&](std::int64_t supplierId) {
        return database.ask(supplierId, host::CommittedQuestions::Clock::now()).accounts;
    };
    testing::FakeCacheMemory memory;
    host::Authenticator authenticator(database, accounts, memory, {});
    const auto expiresAt = [&] {
        return authenticator.authenticate("Bearer " + key.text, Audience::Supplier, "192.0.2.1", accounts)->expiresAt;
    };
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4'102'444'800}, expiresAt().value());
    server.exec("UPDATE api_keys SET expires_at = NULL");
    CPPUNIT_ASSERT(expiresAt().has_value()); // nobody has said so
    database.withTransaction([](Transaction& transaction) { host::ChangeLogStore::changeAccounts(transaction); });
    CPPUNIT_ASSERT(!expiresAt().has_value());
}

// Reading a table that is not there fails.
TEST(RateLimitSnapshotTest, windowsAreReadOnlyWhenTheyWereAskedFor) {
    use(*_first);
    _first->limiter.refresh(_first->database);
    _migrated->server.exec("RENAME TABLE rate_limit_windows TO elsewhere");
    for (int i = 0; i < 3; ++i) {
        _first->limiter.learn(_first->database, KEY);
        _first->limiter.count(KEY, 10);
    }
    CPPUNIT_ASSERT_THROW(_first->limiter.refresh(_first->database), std::exception);
    _migrated->server.exec("RENAME TABLE elsewhere TO rate_limit_windows");
    _first->limiter.learn(_first->database, KEY);
    _first->limiter.refresh(_first->database);
    _migrated->server.exec("RENAME TABLE rate_limit_windows TO elsewhere");
    _first->limiter.refresh(_first->database); // nobody has asked since
}

} // namespace supplierd::tests
