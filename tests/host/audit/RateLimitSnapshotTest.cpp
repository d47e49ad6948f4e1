#include "host/auth/Authenticator.h"
#include "host/auth/LocalRateLimiter.h"
#include "tests/host/audit/MigratedDatabase.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using host::ApiKey;

namespace {

/// One server as far as rate limits go.
struct Counter {
    explicit Counter(host::PooledDatabase& theirs)
        : database(theirs), authenticator(database, withoutCache(), limiter) {}

    static host::AuthSettings withoutCache() {
        host::AuthSettings settings;
        settings.cacheTtl = std::chrono::milliseconds(0);
        return settings;
    }

    void save() { limiter.save(database); }

    host::PooledDatabase& database;
    host::LocalRateLimiter limiter;
    host::Authenticator authenticator;
};

} // namespace

/// What servers know of a key's window through the database, and what they know of the key itself.
class RateLimitSnapshotTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _migrated = std::make_unique<MigratedDatabase>(16);
        _migrated->server.exec("INSERT INTO suppliers (id, name, status) VALUES (1, 'Rozenhof', 'verified')");
        _migrated->server.exec("INSERT INTO api_keys (id, key_id, kind, supplier_id, key_hash) VALUES (5, " +
                               _migrated->server.quote(_key.keyId) + ", 'supplier', 1, UNHEX(SHA2(" +
                               _migrated->server.quote(_key.text) + ", 256)))");
        _first = std::make_unique<Counter>(_migrated->database);
        _second = std::make_unique<Counter>(_migrated->database);
    }

protected:
    std::shared_ptr<const host::KeyRecord> authenticate(Counter& server) {
        return server.authenticator.authenticate("Bearer " + _key.text, Audience::Supplier, "192.0.2.1");
    }
    /// One request with a limit of 10; what remains.
    std::int64_t use(Counter& server) {
        return server.limiter.count(authenticate(server)->principal.keyId, 10).remaining;
    }
    std::int64_t saved() { return _migrated->server.integer("SELECT used FROM rate_limit_windows WHERE key_id = 5"); }

    ApiKey _key = ApiKey::generate(host::KeyKind::Supplier);
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

TEST(RateLimitSnapshotTest, expiryBeyond2038IsKnown) {
    _migrated->server.exec("UPDATE api_keys SET expires_at = '2100-01-01 00:00:00'");
    const auto record = authenticate(*_first);
    CPPUNIT_ASSERT(record->expiresAt.has_value());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4'102'444'800}, *record->expiresAt);
    _migrated->server.exec("UPDATE api_keys SET expires_at = NULL");
    CPPUNIT_ASSERT(!authenticate(*_first)->expiresAt.has_value());
}

} // namespace supplierd::tests
