#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

class MigrateCommandTest : public ControlFixture {
protected:
    std::int64_t tables() {
        return database().integer("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()");
    }
};

TEST(MigrateCommandTest, planChangesNothingAndMigrateDoesWhatItSaid) {
    const auto plan = runJson({"migrate", "--plan"}).at("plan");
    CPPUNIT_ASSERT(plan.size() >= 3);
    CPPUNIT_ASSERT_EQUAL(std::string("core"), plan.at(0).at("component").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), tables());

    const auto applied = runJson({"migrate"}).at("applied");
    CPPUNIT_ASSERT_EQUAL(plan.size(), applied.size());
    for (std::size_t i = 0; i < plan.size(); ++i)
        CPPUNIT_ASSERT_EQUAL(plan.at(i).at("name").get<std::string>(), applied.at(i).at("name").get<std::string>());
    CPPUNIT_ASSERT(tables() > 5);
}

TEST(MigrateCommandTest, secondMigrateFindsNothingToDo) {
    runWell({"migrate"});
    const auto before = tables();
    CPPUNIT_ASSERT_EQUAL(std::size_t(0), runJson({"migrate", "--plan"}).at("plan").size());
    CPPUNIT_ASSERT(runWell({"migrate"}).find("up to date") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(before, tables());
}

TEST(MigrateCommandTest, migrateOfFewerPluginsLeavesTheirTablesOut) {
    const auto products = [&] { return database().query("SHOW TABLES LIKE 'products'").size(); };
    runWell({"plugin", "disable", "catalog"});
    runWell({"migrate"});
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, products());
    runWell({"plugin", "enable", "catalog"});
    runWell({"migrate"});
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, products());
}

} // namespace supplierd::tests
