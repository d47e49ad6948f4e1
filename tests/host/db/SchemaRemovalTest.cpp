#include "host/db/schema/SchemaRemoval.h"

#include "host/db/schema/MigrationError.h"
#include "host/db/schema/Migrator.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Thrown.h"

namespace supplierd::tests {

using host::MigrationError;
using host::MigrationSet;
using host::Migrator;
using host::SchemaRemoval;

class SchemaRemovalTest : public CppUnit::TestFixture {
protected:
    TestDatabase _database;

    static std::vector<MigrationSet> sets() {
        return {{"roses",
                 {{1, "roses",
                   "CREATE TABLE `red roses` (id INT PRIMARY KEY);"
                   "CREATE TABLE thorns (rose INT, CONSTRAINT thorns_rose FOREIGN KEY (rose) REFERENCES `red roses` "
                   "(id));"
                   "INSERT INTO `red roses` VALUES (1); INSERT INTO thorns VALUES (1)"}}},
                {"tulips", {{1, "tulips", "CREATE TABLE tulips (id INT PRIMARY KEY)"}}}};
    }

    void migrate() { Migrator(_database.sessionSettings(), sets()).apply(); }
    SchemaRemoval removal(const std::string& component = "roses") { return {_database.sessionSettings(), component}; }

    std::string tables() {
        return _database.text("SELECT IFNULL(GROUP_CONCAT(TABLE_NAME ORDER BY 1), '') FROM information_schema.TABLES "
                              "WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('red roses', 'thorns', 'tulips')");
    }
    std::int64_t records() {
        return _database.integer("SELECT (SELECT COUNT(*) FROM schema_migrations WHERE component = 'roses') + (SELECT "
                                 "COUNT(*) FROM schema_tables WHERE component = 'roses')");
    }

public:
};

TEST(SchemaRemovalTest, planNamesTheTablesAndChangesNothing) {
    migrate();
    const auto plan = removal().plan();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, plan.tables.size());
    CPPUNIT_ASSERT_EQUAL(std::string("red roses"), plan.tables[0].name);
    CPPUNIT_ASSERT_EQUAL(std::string("thorns"), plan.tables[1].name);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, plan.migrations);
    CPPUNIT_ASSERT(plan.references.empty());
    CPPUNIT_ASSERT_EQUAL(std::string("red roses,thorns,tulips"), tables());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, records());
}

TEST(SchemaRemovalTest, tablesAndRecordsGo) {
    migrate();
    removal().run();
    CPPUNIT_ASSERT_EQUAL(std::string("tulips"), tables());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, records());
}

TEST(SchemaRemovalTest, othersKeepTheirTables) {
    migrate();
    const auto before = _database.integer("SELECT COUNT(*) FROM schema_migrations WHERE component <> 'roses'");
    removal().run();
    CPPUNIT_ASSERT_EQUAL(before, _database.integer("SELECT COUNT(*) FROM schema_migrations"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _database.integer("SELECT COUNT(*) FROM suppliers"));
}

TEST(SchemaRemovalTest, foreignKeyOfAnotherIsRefusedByName) {
    migrate();
    _database.exec("CREATE TABLE vases (rose INT, CONSTRAINT vases_rose FOREIGN KEY (rose) REFERENCES `red roses` "
                   "(id))");
    CPPUNIT_ASSERT_EQUAL(std::string("foreign key vases_rose of vases on red roses"),
                         describe(removal().plan().references.at(0)));
    CPPUNIT_ASSERT_EQUAL(std::string("nothing was removed: foreign key vases_rose of vases on red roses needs a "
                                     "table of 'roses'"),
                         std::string(thrownBy<MigrationError>([&] { removal().run(); }).what()));
    CPPUNIT_ASSERT_EQUAL(std::string("red roses,thorns,tulips"), tables());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, records());
}

TEST(SchemaRemovalTest, interruptedRemovalIsFinishedTheNextTime) {
    migrate();
    _database.exec("DELETE FROM schema_migrations WHERE component = 'roses'; DROP TABLE thorns");
    CPPUNIT_ASSERT_EQUAL(std::string("the data of plugin 'roses' is half removed; finish that first: "
                                     "`supplierctl plugin disable roses`, `supplierctl plugin remove --data "
                                     "roses`"),
                         std::string(thrownBy<MigrationError>([&] { migrate(); }).what()));
    CPPUNIT_ASSERT(removal().plan().isRecorded);
    removal().run();
    CPPUNIT_ASSERT_EQUAL(std::string("tulips"), tables());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, records());
}

TEST(SchemaRemovalTest, pluginComesBackAfterItsRemoval) {
    migrate();
    removal().run();
    migrate();
    CPPUNIT_ASSERT_EQUAL(std::string("red roses,thorns,tulips"), tables());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, records());
}

TEST(SchemaRemovalTest, nothingOnRecordIsNothingToDo) {
    CPPUNIT_ASSERT(!removal().plan().isRecorded);
    migrate();
    CPPUNIT_ASSERT(!removal("absent").plan().isRecorded);
    removal("absent").run();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, records());
}

} // namespace supplierd::tests
