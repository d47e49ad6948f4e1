#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// `supplierctl plugin remove --data`.
class PluginDataTest : public MigratedControlFixture {
protected:
    std::int64_t tables() {
        return database().integer("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND "
                                  "TABLE_NAME IN ('products', 'product_variants', 'product_skus', 'skus_without_key')");
    }
    std::int64_t records() {
        return database().integer("SELECT COUNT(*) FROM schema_migrations WHERE component = 'catalog'");
    }
    void assertKept() {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, tables());
        CPPUNIT_ASSERT(records() > 0);
    }
    static void assertTells(const std::string& text, const std::string& part) {
        CPPUNIT_ASSERT_MESSAGE(text, text.find(part) != std::string::npos);
    }
};

TEST(PluginDataTest, enabledPluginKeepsItsData) {
    assertTells(runBadly({"plugin", "remove", "--data", "catalog", "--yes"}, 1),
                "nothing was removed: plugin 'catalog' is enabled; run: supplierctl plugin disable catalog, reload "
                "supplierd, then run this again");
    assertKept();
}

TEST(PluginDataTest, neededPluginKeepsItsData) {
    run({"plugin", "disable", "categories", "--force"});
    assertTells(runBadly({"plugin", "remove", "--data", "categories", "--yes"}, 1),
                "nothing was removed: needed by the enabled plugin catalog; run: supplierctl plugin disable catalog");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database().integer("SELECT COUNT(*) FROM categories"));
}

TEST(PluginDataTest, tablesThatOthersReferToAreKept) {
    runWell({"plugin", "disable", "catalog"});
    database().exec("CREATE TABLE boxes (product BIGINT, CONSTRAINT boxes_product FOREIGN KEY (product) REFERENCES "
                    "products (id))");
    assertTells(runBadly({"plugin", "remove", "--data", "catalog", "--yes"}, 1),
                "nothing was removed: tables that are not of plugin 'catalog' refer to its own: foreign key "
                "boxes_product of boxes on products");
    assertKept();
}

TEST(PluginDataTest, dryRunShowsWhatWouldGo) {
    runWell({"plugin", "disable", "catalog"});
    const auto plan = runJson({"plugin", "remove", "--data", "catalog", "--dry-run"});
    CPPUNIT_ASSERT(!plan.at("removed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(records(), plan.at("migrations").get<std::int64_t>());
    const auto tables = plan.at("tables").dump();
    for (const auto* table : {"products", "product_variants", "product_skus", "skus_without_key"})
        assertTells(tables, "{\"rows\":0,\"table\":\"" + std::string(table) + "\"}");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(tables, std::string::npos, tables.find("categories"));
    assertTells(runWell({"plugin", "remove", "--data", "catalog", "--dry-run"}), "would be removed");
    assertKept();
}

TEST(PluginDataTest, withoutAnAnswerNothingGoes) {
    runWell({"plugin", "disable", "catalog"});
    run({"plugin", "remove", "--data", "catalog"});
    assertKept();
    CPPUNIT_ASSERT_EQUAL(2, run({"plugin", "remove", "--data", "catalog", "--json"}).exitCode);
    assertKept();
}

TEST(PluginDataTest, dataGoesThoughTheFileIsGone) {
    runWell({"plugin", "disable", "catalog"});
    const auto empty = server().directory() / "no-plugins";
    std::filesystem::create_directory(empty);
    writeExtraConfiguration("[server]\nplugin_dir = \"" + empty.string() + "\"\n");
    const auto done = runJson({"plugin", "remove", "--data", "catalog", "--yes"});
    CPPUNIT_ASSERT(done.at("removed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, tables());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, records());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database().integer("SELECT COUNT(*) FROM categories"));
    assertTells(audited(), "plugin.remove-data plugin 0 - {\"id\":\"catalog\",\"tables\":[\"product");
}

TEST(PluginDataTest, pluginBeginsAnewAfterwards) {
    runWell({"plugin", "disable", "catalog"});
    runWell({"plugin", "remove", "--data", "catalog", "--yes"});
    CPPUNIT_ASSERT(!runJson({"plugin", "remove", "--data", "catalog", "--yes"}).at("removed").get<bool>());
    runWell({"plugin", "enable", "catalog"});
    runWell({"migrate"});
    assertKept();
}

TEST(PluginDataTest, slipsAreTold) {
    assertTells(runBadly({"plugin", "remove", "catalog"}, 2), "--data");
    assertTells(runBadly({"plugin", "remove", "--data", "core", "--yes"}, 2), "no plugin's id");
    assertTells(runBadly({"plugin", "remove", "--data", "catalgo", "--yes"}, 1), "did you mean 'catalog'");
    assertKept();
}

} // namespace supplierd::tests
