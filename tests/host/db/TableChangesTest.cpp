#include "host/db/schema/TableChanges.h"

#include "tests/support/Test.h"

namespace supplierd::tests {

using host::TableChanges;

class TableChangesTest : public CppUnit::TestFixture {
protected:
    /// "+made -gone", each in alphabetical order.
    static std::string changes(const std::vector<std::string>& statements) {
        const TableChanges found = TableChanges::of(statements);
        std::string text;
        for (const auto& table : found.created)
            text += (text.empty() ? "+" : " +") + table;
        for (const auto& table : found.dropped)
            text += (text.empty() ? "-" : " -") + table;
        return text;
    }

    static void assertChanges(const std::string& expected, const std::vector<std::string>& statements) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(statements.front(), expected, changes(statements));
    }
};

TEST(TableChangesTest, createdTables) {
    assertChanges("+roses", {"CREATE TABLE roses (id INT)"});
    assertChanges("+roses", {"create\n table if not exists roses(id INT)"});
    assertChanges("+Red roses`s", {"CREATE OR REPLACE TABLE `Red roses``s` LIKE tulips"});
    assertChanges("+roses", {"CREATE /* a table */ TABLE -- of\n roses # red\n SELECT 1"});
    assertChanges("+a +b", {"CREATE TABLE a (x TEXT DEFAULT 'CREATE TABLE c')", "CREATE TABLE b (y INT)"});
}

TEST(TableChangesTest, whatIsNoTableOfOurs) {
    for (const char* statement :
         {"CREATE TEMPORARY TABLE t (id INT)", "CREATE TABLE other.roses (id INT)", "CREATE INDEX i ON t (id)",
          "INSERT INTO t VALUES ('CREATE TABLE x (id INT)')", "ALTER TABLE t ADD COLUMN c INT, RENAME INDEX a TO b",
          "ALTER TABLE t RENAME COLUMN a TO b", "ALTER TABLE t ADD `rename` INT", "CREATE", "CREATE TABLE", ""})
        assertChanges("", {statement});
}

TEST(TableChangesTest, droppedAndRenamedTables) {
    assertChanges("-a -b", {"DROP TABLE IF EXISTS a, `b` CASCADE"});
    assertChanges("+a -a", {"CREATE TABLE a (id INT)", "DROP TABLE a"});
    assertChanges("+a", {"DROP TABLE a", "CREATE TABLE a (id INT)"});
    assertChanges("+b -a", {"RENAME TABLE a TO b"});
    assertChanges("+b +d -a -c", {"RENAME TABLE a NOWAIT TO b, c TO d"});
    assertChanges("+b -a", {"ALTER TABLE a ADD COLUMN c INT, RENAME TO b"});
    assertChanges("+b -a", {"ALTER TABLE IF EXISTS a RENAME b"});
}

} // namespace supplierd::tests
