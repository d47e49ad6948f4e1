#include "host/audit/AuditStore.h"

#include "tests/host/audit/MigratedDatabase.h"
#include "tests/support/Numbers.h"
#include "tests/support/StatementPlan.h"
#include "tests/support/Test.h"

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

namespace supplierd::tests {

using host::AuditFilter;
using host::AuditStore;

class AuditStoreTest : public CppUnit::TestFixture {
protected:
    void write(const AuditEntry& entry) {
        _fixture.database.withTransaction([&](Transaction& transaction) { _store.record(transaction, entry); });
    }

    std::vector<AuditRecord> find(const AuditFilter& filter, std::int64_t limit = 100, std::int64_t offset = 0) {
        return _fixture.database.read([&](SqlSession& session) { return _store.find(session, filter, limit, offset); });
    }

    std::int64_t count(const AuditFilter& filter) {
        return _fixture.database.read([&](SqlSession& session) { return _store.count(session, filter); });
    }

    static std::string objectIds(const std::vector<AuditRecord>& records) {
        std::string ids;
        for (const auto& record : records)
            ids += (ids.empty() ? "" : " ") + std::to_string(record.entry.objectId);
        return ids;
    }

    void requireNumbers(const std::string& expected, const AuditFilter& filter) {
        std::string numbers;
        const auto records = find(filter);
        for (const auto& record : records)
            numbers += (numbers.empty() ? "" : " ") + std::to_string(record.entry.supplierId.value_or(0));
        CPPUNIT_ASSERT_EQUAL(expected, numbers);
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(records.size()), count(filter));
    }

    /// For one page.
    std::int64_t rowsRead(AuditFilter filter, std::int64_t limit, std::optional<std::int64_t> before = std::nullopt) {
        filter.before = before;
        return _fixture.database.read([&](SqlSession& session) {
            return tests::rowsRead(session, [&] { _store.find(session, filter, limit); });
        });
    }

    AuditStore _store;
    MigratedDatabase _fixture;
};

TEST(AuditStoreTest, entryComesBackAsItWasWritten) {
    AuditEntry entry{"ok_ab12cd34", "supplier.create", "supplier", 7, 7};
    entry.before = R"({"name":"Zoë 💐"})";
    entry.after = R"({"name":")" + std::string(100'000, 'x') + R"("})";
    entry.requestId = "req-1";
    write(entry);
    write({"supplierctl:root", "category.create", "category", 9});

    const auto records = find({});
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, records.size());
    const auto& full = records.at(1);
    CPPUNIT_ASSERT_EQUAL(entry.actor, full.entry.actor);
    CPPUNIT_ASSERT_EQUAL(entry.action, full.entry.action);
    CPPUNIT_ASSERT_EQUAL(entry.object, full.entry.object);
    CPPUNIT_ASSERT_EQUAL(entry.objectId, full.entry.objectId);
    CPPUNIT_ASSERT(entry.supplierId == full.entry.supplierId);
    CPPUNIT_ASSERT_EQUAL(entry.before, full.entry.before);
    CPPUNIT_ASSERT_EQUAL(entry.after, full.entry.after);
    CPPUNIT_ASSERT_EQUAL(entry.requestId, full.entry.requestId);
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, full.createdAt.size());
    CPPUNIT_ASSERT_EQUAL('Z', full.createdAt.back());
    const auto& bare = records.at(0).entry;
    CPPUNIT_ASSERT(!bare.supplierId && bare.before.empty() && bare.after.empty() && bare.requestId.empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.server.integer("SELECT COUNT(*) FROM audit_log WHERE after_json "
                                                                  "IS NULL AND request_id IS NULL"));
}

TEST(AuditStoreTest, manyEntriesComeBackAsTheyWereWritten) {
    std::vector<AuditEntry> entries(3, {"ok_ab12cd34", "product.approve", "product", 7, 7});
    entries[0].before = R"({"name":"Zoë \"💐\" \\ \n \u0001 /"})";
    entries[0].after = R"({"name":")" + std::string(100'000, 'x') + R"("})";
    entries[0].requestId = "req-1";
    entries[1].objectId = std::numeric_limits<std::int64_t>::max();
    entries[1].supplierId = std::nullopt;
    entries[2].ago = std::chrono::hours(1);
    _fixture.database.withTransaction([&](Transaction& transaction) {
        _store.recordAll(transaction, entries);
        _store.recordAll(transaction, {});
    });

    const auto records = find({});
    CPPUNIT_ASSERT_EQUAL(entries.size(), records.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const AuditEntry& found = records.at(entries.size() - 1 - i).entry;
        CPPUNIT_ASSERT_EQUAL(entries[i].actor, found.actor);
        CPPUNIT_ASSERT_EQUAL(entries[i].action, found.action);
        CPPUNIT_ASSERT_EQUAL(entries[i].object, found.object);
        CPPUNIT_ASSERT_EQUAL(entries[i].objectId, found.objectId);
        CPPUNIT_ASSERT(entries[i].supplierId == found.supplierId);
        CPPUNIT_ASSERT_EQUAL(entries[i].before, found.before);
        CPPUNIT_ASSERT_EQUAL(entries[i].after, found.after);
        CPPUNIT_ASSERT_EQUAL(entries[i].requestId, found.requestId);
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.server.integer("SELECT COUNT(*) FROM audit_log WHERE created_at < "
                                                                  "NOW(6) - INTERVAL 59 MINUTE"));
}

TEST(AuditStoreTest, entryGoesWithItsTransaction) {
    const auto work = [this](Transaction& transaction) {
        _store.record(transaction, {"ok_ab12cd34", "key.create", "key", 1});
        throw std::runtime_error("changed my mind");
    };
    CPPUNIT_ASSERT_THROW(_fixture.database.withTransaction(work), std::runtime_error);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count({}));
}

TEST(AuditStoreTest, newestComesFirst) {
    for (int i = 1; i <= 3; ++i)
        write({"a", "key.create", "key", i});
    CPPUNIT_ASSERT_EQUAL(std::string("3 2 1"), objectIds(find({})));
    CPPUNIT_ASSERT_EQUAL(std::string("3 2"), objectIds(find({}, 2)));
}

TEST(AuditStoreTest, entriesOfATimeAreFoundByTheirOrder) {
    for (int i = 1; i <= 40; ++i)
        write({"a", "key.create", i % 2 == 0 ? "key" : "order", i});
    _fixture.server.exec("DELETE FROM audit_log WHERE object_id IN (1, 5, 6, 20)");
    _fixture.server.exec(
        "UPDATE audit_log SET created_at = '2026-03-01' + INTERVAL object_id DAY + INTERVAL 500000 MICROSECOND");
    const auto found = [this](const std::string& raw) {
        Details details;
        const auto list = _store.list(_fixture.database, parseQuery("per_page=100&" + raw, details));
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(list.items.size()), list.pagination.totalItems);
        return objectIds(list.items);
    };
    CPPUNIT_ASSERT_EQUAL(std::string("8 7 4 3"),
                         found("created_from=2026-03-04T00:00:00.5Z&created_to=2026-03-09T00:00:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string("8 4"),
                         found("object=key&created_from=2026-03-04T00:00:01Z&created_to=2026-03-10T23:00:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string("40 39"), found("created_from=2026-04-09T00:00:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string("3 2"), found("created_to=2026-03-04T00:00:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string(), found("created_from=2027-01-01T00:00:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string(), found("created_to=2025-01-01T00:00:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string("3 2"), found("before=4&created_from=0001-01-01T00:00:00Z"));
    CPPUNIT_ASSERT_THROW(found("created_from=yesterday"), ApiError);
    _fixture.server.exec("UPDATE audit_log SET created_at = '2026-03-01' + INTERVAL object_id MINUTE - INTERVAL "
                         "IF(object_id % 2 = 0, 10, 0) MINUTE");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("those of an earlier time, too", std::string("26 15"),
                                 found("created_from=2026-03-01T00:15:00Z&created_to=2026-03-01T00:16:30Z"));
    _fixture.server.exec("DELETE FROM audit_log");
    CPPUNIT_ASSERT_EQUAL(std::string(), found("created_from=2026-03-04T00:00:00Z&created_to=2026-03-09T00:00:00Z"));
}

TEST(AuditStoreTest, everyCombinationOfFiltersFindsExactlyItsEntries) {
    // Every entry carries its number as its supplier's id.
    std::int64_t number = 0;
    for (const auto* actor : {"anna", "bert"})
        for (const auto* object : {"key", "order"})
            for (const std::int64_t id : {1, 2})
                write({actor, "x.y", object, id, ++number});
    const std::optional<std::string> none;
    requireNumbers("8 7 6 5 4 3 2 1", {});
    requireNumbers("8 7 4 3", {"order", std::nullopt, none});
    requireNumbers("8 6 4 2", {none, 2, none});
    requireNumbers("4 3 2 1", {none, std::nullopt, "anna"});
    requireNumbers("8 4", {"order", 2, none});
    requireNumbers("4 3", {"order", std::nullopt, "anna"});
    requireNumbers("7 5", {none, 1, "bert"});
    requireNumbers("7", {"order", 1, "bert"});
    requireNumbers("", {"order", 3, "bert"});
    requireNumbers("", {"ORDER", std::nullopt, none});
}

TEST(AuditStoreTest, pagesByEntryAndByOffsetAgree) {
    for (int i = 1; i <= 7; ++i)
        write({"a", "key.create", i % 2 == 0 ? "key" : "order", i});
    const AuditFilter orders{"order"};
    AuditFilter older = orders;
    std::string byEntry;
    std::string byOffset;
    for (std::int64_t offset = 0; offset < 4; offset += 2) {
        const auto page = find(older, 2);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, page.size());
        CPPUNIT_ASSERT_EQUAL(4 - offset, count(older));
        older.before = page.back().id;
        byEntry += objectIds(page) + " ";
        byOffset += objectIds(find(orders, 2, offset)) + " ";
    }
    CPPUNIT_ASSERT_EQUAL(std::string("7 5 3 1 "), byEntry);
    CPPUNIT_ASSERT_EQUAL(byEntry, byOffset);
    CPPUNIT_ASSERT(find(older, 2).empty());
    CPPUNIT_ASSERT(find(orders, 2, 4).empty());
}

TEST(AuditStoreTest, everyPageIsFoundByAnIndex) {
    _fixture.server.exec("INSERT INTO audit_log (actor, action, object, object_id) SELECT IF(seq % 10, 'anna', "
                         "'bert'), 'x.y', IF(seq % 7, 'key', 'order'), seq DIV 100 FROM " +
                         numbersTo(100000));
    const std::optional<std::string> none;
    const AuditFilter filters[] = {{},
                                   {"order", std::nullopt, none},
                                   {none, 500, none},
                                   {none, std::nullopt, "bert"},
                                   {"order", 500, none},
                                   {"order", std::nullopt, "bert"},
                                   {"order", 500, "bert"}};
    for (const auto& filter : filters) {
        // One actor's entries of one kind are found among that actor's, hence the factor 7; 500 has 100 entries.
        CPPUNIT_ASSERT(rowsRead(filter, 20) < 20 * 2 + 20 * 7 + 110);
        CPPUNIT_ASSERT(rowsRead(filter, 20, 50'050) < 20 * 2 + 20 * 7 + 110);
    }
}

TEST(AuditStoreTest, aLongLogIsCountedToALimit) {
    const auto insert = [this](int entries) {
        _fixture.server.exec("INSERT INTO audit_log (actor, action, object, object_id) "
                             "SELECT 'anna', 'x.y', 'key', 5 FROM " +
                             numbersTo(entries));
    };
    const std::optional<std::string> none;
    const AuditFilter filters[] = {
        {}, {"key", std::nullopt, none}, {none, 5, none}, {none, std::nullopt, "anna"}, {"key", 5, "anna"}};
    insert(10'000);
    for (const auto& filter : filters)
        CPPUNIT_ASSERT_EQUAL(AuditLog::MAX_COUNT, count(filter));
    insert(20'000);
    for (const auto& filter : filters)
        CPPUNIT_ASSERT_EQUAL(AuditLog::MAX_COUNT + 1, count(filter));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count({"order", std::nullopt, none}));
}

// Every second entry is one's.
TEST(AuditStoreTest, leavingSandboxesOutReadsItsPageOnly) {
    _fixture.server.exec("INSERT INTO suppliers (id, name, sandbox_of) VALUES (1, 'A', NULL), (2, 'B', 1)");
    _fixture.server.exec("INSERT INTO audit_log (actor, action, object, object_id, supplier_id) SELECT 'anna', 'x.y', "
                         "'key', seq, 1 + seq % 2 FROM " +
                         numbersTo(20000));
    for (const auto& object : {std::optional<std::string>(), std::optional<std::string>("key")}) {
        const AuditFilter filter{object};
        for (const auto& record : find(filter))
            CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, *record.entry.supplierId);
        CPPUNIT_ASSERT(rowsRead(filter, 20) < 200);
        CPPUNIT_ASSERT(rowsRead(filter, 20, 10'050) < 200);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10'000}, count(filter));
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, *find({.withSandboxes = true}).at(1).entry.supplierId);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, *find({.objectId = 1}).at(0).entry.supplierId);
}

} // namespace supplierd::tests
