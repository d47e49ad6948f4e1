#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <string>

namespace supplierd::tests {

class AuditCommandTest : public ServedControlFixture {
protected:
    std::string ids(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "audit");
        std::string text;
        const auto answer = runJson(arguments);
        for (const auto& entry : answer.at("entries"))
            text += (text.empty() ? "" : " ") + std::to_string(entry.at("id").get<std::int64_t>());
        return text;
    }
};

TEST(AuditCommandTest, newestComesFirstWithWhoWhatAndHow) {
    runWell({"supplier", "add", "Bloemen BV"});
    runWell({"supplier", "verify", "1"});
    const auto text = runWell({"audit"});
    const auto verify = text.find("supplier.verify");
    const auto create = text.find("supplier.create");
    CPPUNIT_ASSERT_MESSAGE(text, verify != std::string::npos && create != std::string::npos && verify < create);
    requireIn(actor(), text);
    requireIn("status: unverified -> verified", text);
    requireIn("email: none, name: Bloemen BV, status: unverified", text);
}

TEST(AuditCommandTest, entriesAreObjectsWithJson) {
    runWell({"supplier", "add", "A"});
    runWell({"supplier", "verify", "1"});
    const auto entries = runJson({"audit"}).at("entries");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, entries.size());
    const auto& verify = entries.at(0);
    CPPUNIT_ASSERT_EQUAL(std::string("supplier.verify"), verify.at("action").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("unverified"), verify.at("before").at("status").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("verified"), verify.at("after").at("status").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(actor(), verify.at("actor").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(1, verify.at("supplier_id").get<int>());
    CPPUNIT_ASSERT(entries.at(1).at("before").is_null());
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, verify.size());
}

TEST(AuditCommandTest, filtersNarrow) {
    runWell({"supplier", "add", "A"});
    runWell({"supplier", "add", "B"});
    runWell({"operator-key", "create"});
    database().exec("INSERT INTO audit_log (actor, action, object, object_id) VALUES ('ok_ab12cd34', "
                    "'supplier.verify', 'supplier', 2)");
    CPPUNIT_ASSERT_EQUAL(std::string("4 2 1"), ids({"--object", "supplier"}));
    CPPUNIT_ASSERT_EQUAL(std::string("4 2"), ids({"--object", "supplier", "--id", "2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("3 1"), ids({"--id", "1"}));
    CPPUNIT_ASSERT_EQUAL(std::string("4"), ids({"--actor", "ok_ab12cd34"}));
    CPPUNIT_ASSERT_EQUAL(std::string("3"), ids({"--actor", actor(), "--object", "key"}));
}

TEST(AuditCommandTest, olderOnesFollowOnTheNextPage) {
    for (const auto* name : {"A", "B", "C"})
        runWell({"supplier", "add", name});
    CPPUNIT_ASSERT_EQUAL(std::string("3 2"), ids({"--limit", "2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), ids({"--limit", "2", "--before", "2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), ids({"--limit", "2", "--page", "2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("3 2 1"), ids({"--limit", "2", "--all"}));
    requireIn("page 1 of 2, 3 in all", run({"audit", "--limit", "2"}).errors);
}

TEST(AuditCommandTest, emptyLogSaysSo) {
    CPPUNIT_ASSERT_EQUAL(std::string("There are no such entries.\n"), runWell({"audit"}));
    CPPUNIT_ASSERT_EQUAL(std::string(), ids({}));
}

TEST(AuditCommandTest, wrongFiltersAreUsageErrors) {
    runBadly({"audit", "--id", "x"}, 2);
    runBadly({"audit", "--limit", "0"}, 2);
    runBadly({"audit", "--actor", "\xff\xfe"}, 2);
    runBadly({"audit", "--before", "yesterday"}, 2);
}

TEST(AuditCommandTest, emptyFiltersAreNone) {
    runWell({"supplier", "add", "A"});
    CPPUNIT_ASSERT_EQUAL(std::string("1"), ids({"--actor", "", "--object", " "}));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), ids({"--actor", " " + actor() + " ", "--object", " supplier"}));
}

TEST(AuditCommandTest, actorThatCannotBeHasNoEntries) {
    runWell({"supplier", "add", "A"});
    for (const std::string name : {"é", "local: é"})
        CPPUNIT_ASSERT_EQUAL(std::string("There are no such entries.\n"), runWell({"audit", "--actor", name}));
}

TEST(AuditCommandTest, unknownKindOfObjectIsTold) {
    const auto told = run({"audit", "--object", "products"});
    CPPUNIT_ASSERT_EQUAL(0, told.exitCode); // it may be a plugin's
    requireIn("nothing of the kind 'products' was ever changed; there "
              "are: category, database, job, key, media, order, order_group, plugin, price, product, stock, "
              "supplier",
              told.errors);
    requireIn("\\u001b", run({"audit", "--object", "\x1b"}).errors);
    CPPUNIT_ASSERT_EQUAL(std::string(), ids({"--object", "order_group"}));
    // A plugin's own kind.
    database().exec("INSERT INTO audit_log (actor, action, object, object_id) VALUES ('ok_ab12cd34', "
                    "'wish.grant', 'wish', 2)");
    CPPUNIT_ASSERT_EQUAL(std::string("1"), ids({"--object", "wish"}));
}

} // namespace supplierd::tests
