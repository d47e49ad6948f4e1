#include "host/auth/KeyUseRecorder.h"

#include "host/audit/AuditStore.h"
#include "tests/host/audit/MigratedDatabase.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>

namespace supplierd::tests {

using host::KeyUseRecorder;
using host::PooledDatabase;
using host::PoolSettings;
using host::SessionPool;

namespace {

/// The audit log of a host whose database refuses it.
class FailingAudit final : public AuditLog {
public:
    void record(Transaction& transaction, const AuditEntry& entry) override { recordAll(transaction, {&entry, 1}); }
    void recordAll(Transaction& transaction, std::span<const AuditEntry> entries) override {
        if (isBroken)
            throw std::runtime_error("the audit log is full");
        _store.recordAll(transaction, entries);
    }
    Listed<AuditRecord> list(Database&, const QueryParameters&) override { return {}; }
    std::vector<std::string> kinds(SqlSession&) override { return {}; }

    bool isBroken = true;

private:
    host::AuditStore _store;
};

} // namespace

/// `last_used_at` and `last_used_from`, and what the audit log is told of them.
class KeyUseRecorderTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _fixture.server.exec("INSERT INTO suppliers (id, name) VALUES (3, 'A')");
        addKey(5);
    }

protected:
    struct Fixture : MigratedDatabase {
        Fixture() : MigratedDatabase(2) {}

        host::AuditStore audit;
        KeyUseRecorder recorder{database, audit};
    };

    void addKey(int id) {
        const auto text = std::to_string(id);
        const auto keyId = std::string(8 - text.size(), '0') + text;
        _fixture.server.exec("INSERT INTO api_keys (id, key_id, key_hash, kind, supplier_id) VALUES (" + text + ", '" +
                             keyId + "', UNHEX(SHA2('" + text + "', 256)), 'supplier', 3)");
    }

    void use(std::int64_t keyId, const std::string& address) { _fixture.recorder.record({{keyId, address}}); }

    void letAMinutePass() {
        _fixture.server.exec("UPDATE api_keys SET last_used_at = last_used_at - INTERVAL 61 SECOND");
    }

    std::string column(int keyId, const std::string& expression) {
        return _fixture.server.text("SELECT " + expression + " FROM api_keys WHERE id = " + std::to_string(keyId));
    }

    /// One per line, oldest first.
    std::string entries() {
        std::string text;
        for (const auto& row :
             _fixture.server.query("SELECT actor, action, object, object_id, supplier_id, before_json, "
                                   "after_json FROM audit_log ORDER BY id")) {
            std::string line;
            for (const auto& cell : row)
                line += (line.empty() ? "" : " ") + cell.value_or("NULL");
            text += (text.empty() ? "" : "\n") + line;
        }
        return text;
    }

    Fixture _fixture;
};

TEST(KeyUseRecorderTest, firstUseIsRecordedAndTold) {
    use(5, "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.1"), column(5, "last_used_from"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), column(5, "last_used_at > NOW(6) - INTERVAL 1 MINUTE"));
    CPPUNIT_ASSERT_EQUAL(std::string("sk_00000005 key.first_use key 5 3 NULL {\"address\":\"192.0.2.1\"}"), entries());
}

TEST(KeyUseRecorderTest, usesOfAKeyThatIsGoneAreForgotten) {
    use(6, "192.0.2.1");
    addKey(6);
    _fixture.recorder.record({});
    CPPUNIT_ASSERT_EQUAL(std::string("1"), column(6, "last_used_at IS NULL"));
    CPPUNIT_ASSERT_EQUAL(std::string(), entries());
}

TEST(KeyUseRecorderTest, furtherUseFromTheSameAddressIsRecordedOnly) {
    use(5, "192.0.2.1");
    letAMinutePass();
    use(5, "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::string("1"), column(5, "last_used_at > NOW(6) - INTERVAL 1 MINUTE"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.server.integer("SELECT COUNT(*) FROM audit_log"));
}

TEST(KeyUseRecorderTest, nothingIsWrittenTwiceAMinute) {
    use(5, "192.0.2.1");
    const auto first = column(5, "last_used_at");
    use(5, "192.0.2.1");
    use(5, "192.0.2.2");
    CPPUNIT_ASSERT_EQUAL(first, column(5, "last_used_at"));
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.1"), column(5, "last_used_from"));
}

TEST(KeyUseRecorderTest, newAddressIsTold) {
    use(5, "192.0.2.1");
    letAMinutePass();
    use(5, "2001:db8::7");
    CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::7"), column(5, "last_used_from"));
    CPPUNIT_ASSERT(entries().ends_with("\nsk_00000005 key.new_address key 5 3 {\"address\":\"192.0.2.1\"} "
                                       "{\"address\":\"2001:db8::7\"}"));
}

TEST(KeyUseRecorderTest, newAddressWithinTheMinuteIsToldOnceTheMinuteIsOver) {
    use(5, "192.0.2.1");
    use(5, "192.0.2.66");
    use(5, "192.0.2.1");
    letAMinutePass();
    use(5, "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.66"), column(5, "last_used_from"));
    requireIn("key.new_address", entries());
}

TEST(KeyUseRecorderTest, everyNewAddressOfAMinuteIsTold) {
    use(5, "192.0.2.1");
    use(5, "192.0.2.66");
    _fixture.recorder.record({{5, "192.0.2.1"}, {5, "192.0.2.77"}});
    use(5, "192.0.2.66");
    letAMinutePass();
    use(5, "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.77"), column(5, "last_used_from"));
    CPPUNIT_ASSERT_EQUAL(
        std::string("sk_00000005 key.first_use key 5 3 NULL {\"address\":\"192.0.2.1\"}\n"
                    "sk_00000005 key.new_address key 5 3 {\"address\":\"192.0.2.1\"} {\"address\":\"192.0.2.66\"}\n"
                    "sk_00000005 key.new_address key 5 3 {\"address\":\"192.0.2.66\"} {\"address\":\"192.0.2.77\"}"),
        entries());
}

TEST(KeyUseRecorderTest, severalAddressesOfAFirstUseAreTold) {
    _fixture.recorder.record({{5, "192.0.2.1"}, {5, "192.0.2.2"}});
    CPPUNIT_ASSERT_EQUAL(
        std::string("sk_00000005 key.first_use key 5 3 NULL {\"address\":\"192.0.2.1\"}\n"
                    "sk_00000005 key.new_address key 5 3 {\"address\":\"192.0.2.1\"} {\"address\":\"192.0.2.2\"}"),
        entries());
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.2"), column(5, "last_used_from"));
}

TEST(KeyUseRecorderTest, entryHasTheTimeOfTheUse) {
    const auto now = host::UsedKey::Clock::now();
    _fixture.recorder.record({{5, "192.0.2.1", now - std::chrono::seconds(40), now - std::chrono::seconds(10)}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.server.integer("SELECT created_at <= NOW(6) - INTERVAL 40 SECOND "
                                                                  "FROM audit_log"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                         _fixture.server.integer("SELECT k.last_used_at <= NOW(6) - INTERVAL 10 SECOND AND "
                                                 "k.last_used_at > a.created_at FROM audit_log a, api_keys k"));
}

TEST(KeyUseRecorderTest, anOlderUseDoesNotSetTheTimeBack) {
    use(5, "192.0.2.1");
    letAMinutePass();
    const auto before = column(5, "last_used_at");
    const auto now = host::UsedKey::Clock::now();
    _fixture.recorder.record({{5, "192.0.2.2", now - std::chrono::hours(2), now - std::chrono::hours(1)}});
    CPPUNIT_ASSERT_EQUAL(before, column(5, "last_used_at"));
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.2"), column(5, "last_used_from"));
}

TEST(KeyUseRecorderTest, theLastRoundTellsWhatStillWaits) {
    use(5, "192.0.2.1");
    use(5, "192.0.2.66");
    _fixture.recorder.record({}, KeyUseRecorder::Round::Last);
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.66"), column(5, "last_used_from"));
    requireIn("key.new_address", entries());
}

TEST(KeyUseRecorderTest, firstRecordedAddressOfAKeyInUseIsNoChange) {
    _fixture.server.exec("UPDATE api_keys SET last_used_at = NOW(6) - INTERVAL 1 DAY");
    use(5, "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.1"), column(5, "last_used_from"));
    CPPUNIT_ASSERT_EQUAL(std::string(), entries());
}

TEST(KeyUseRecorderTest, operatorKeyBelongsToNoSupplier) {
    _fixture.server.exec("UPDATE api_keys SET kind = 'operator', supplier_id = NULL");
    use(5, "192.0.2.1");
    CPPUNIT_ASSERT(entries().starts_with("ok_00000005 key.first_use key 5 NULL "));
}

TEST(KeyUseRecorderTest, unknownKeyIsPassedOver) {
    use(4711, "192.0.2.1");
    CPPUNIT_ASSERT_EQUAL(std::string(), entries());
}

TEST(KeyUseRecorderTest, manyKeysAreWrittenAtOnce) {
    std::vector<host::UsedKey> used;
    for (int id = 100; id < 1400; ++id) {
        addKey(id);
        used.push_back({id, "192.0.2.1"});
    }
    _fixture.recorder.record(used);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1300}, _fixture.server.integer("SELECT COUNT(*) FROM audit_log"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1300},
                         _fixture.server.integer("SELECT COUNT(*) FROM api_keys WHERE last_used_from "
                                                 "= '192.0.2.1' AND last_used_at IS NOT NULL"));
}

TEST(KeyUseRecorderTest, aKeyThatSomebodyHoldsKeepsNoOtherWaiting) {
    addKey(6);
    SessionPool pool(_fixture.server.sessionSettings(), PoolSettings{.size = 1});
    PooledDatabase other(pool);
    other.withTransaction([&](Transaction& transaction) {
        transaction.execute("UPDATE api_keys SET name = 'held' WHERE id = 5", {});
        _fixture.recorder.record({{5, "192.0.2.1"}, {6, "192.0.2.1"}});
        CPPUNIT_ASSERT_EQUAL(std::string("1"), column(6, "last_used_at IS NOT NULL"));
    });
    CPPUNIT_ASSERT_EQUAL(std::string("1"), column(5, "last_used_at IS NULL"));
    _fixture.recorder.record({});
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.1"), column(5, "last_used_from"));
}

TEST(KeyUseRecorderTest, useIsNotRecordedWithoutItsEntryAndNotLost) {
    FailingAudit audit;
    KeyUseRecorder recorder(_fixture.database, audit);
    CPPUNIT_ASSERT_THROW(recorder.record({{5, "192.0.2.1"}}), std::runtime_error);
    CPPUNIT_ASSERT_EQUAL(std::string("1"), column(5, "last_used_at IS NULL"));
    audit.isBroken = false;
    recorder.record({});
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.1"), column(5, "last_used_from"));
    requireIn("key.first_use", entries());
}

TEST(KeyUseRecorderTest, oneOfTwoHostsTellsOfAFirstUse) {
    constexpr int KEYS = 40;
    for (int i = 0; i < KEYS; ++i)
        addKey(100 + i);
    std::barrier together(2);
    const auto host = [&](const std::string& address) {
        SessionPool pool(_fixture.server.sessionSettings(), PoolSettings{.size = 2});
        PooledDatabase database(pool);
        host::AuditStore audit;
        KeyUseRecorder recorder(database, audit);
        for (int i = 0; i < KEYS; ++i) {
            together.arrive_and_wait();
            recorder.record({{100 + i, address}});
        }
    };
    std::jthread other(host, "192.0.2.2");
    host("192.0.2.1");
    other.join();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{KEYS}, _fixture.server.integer("SELECT COUNT(*) FROM audit_log"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{KEYS},
                         _fixture.server.integer("SELECT COUNT(*) FROM audit_log a JOIN api_keys k ON k.id = "
                                                 "a.object_id WHERE a.action = 'key.first_use' AND a.after_json = "
                                                 "CONCAT('{\"address\":\"', k.last_used_from, '\"}')"));
}

} // namespace supplierd::tests
