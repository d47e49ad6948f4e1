#include "host/db/schema/SqlScript.h"

#include "tests/support/Test.h"

namespace supplierd::tests {

using host::splitStatements;
using Statements = std::vector<std::string>;

class SqlScriptTest : public CppUnit::TestFixture {};

TEST(SqlScriptTest, statementsEndWithSemicolons) {
    CPPUNIT_ASSERT((Statements{"SELECT 1", "SELECT\n 2"}) == splitStatements("SELECT 1;\n\nSELECT\n 2 ;\n"));
}

TEST(SqlScriptTest, lastStatementNeedsNoSemicolon) {
    CPPUNIT_ASSERT((Statements{"SELECT 1", "SELECT 2"}) == splitStatements("SELECT 1; SELECT 2  \n"));
}

TEST(SqlScriptTest, commentsBeforeAStatementAreLeftOut) {
    CPPUNIT_ASSERT((Statements{"SELECT 1"}) == splitStatements("-- one\n# two\n/* three */ SELECT 1; -- four"));
}

TEST(SqlScriptTest, semicolonsInCommentsDoNotCount) {
    CPPUNIT_ASSERT((Statements{"SELECT 1, -- a; b\n 2"}) == splitStatements("SELECT 1, -- a; b\n 2;"));
    CPPUNIT_ASSERT((Statements{"SELECT /* a; b */ 1"}) == splitStatements("SELECT /* a; b */ 1;"));
    CPPUNIT_ASSERT((Statements{"SELECT 1 # a; b\n + 1"}) == splitStatements("SELECT 1 # a; b\n + 1;"));
    CPPUNIT_ASSERT((Statements{"SELECT 1"}) == splitStatements("-- ;\nSELECT 1;\n--"));
}

TEST(SqlScriptTest, semicolonsInQuotationsDoNotCount) {
    const std::string values = R"(SELECT 'a;b', "c;d", `e;f`, 'g'';h', 'i\';j', "k"";l", `m``;n`)";
    CPPUNIT_ASSERT((Statements{values, "SELECT 2"}) == splitStatements(values + ";SELECT 2;"));
}

TEST(SqlScriptTest, commentSignsInQuotationsAreText) {
    const std::string values = R"(SELECT '-- no', "/* no", '# no', `x -- y`)";
    CPPUNIT_ASSERT((Statements{values, "SELECT 2"}) == splitStatements(values + ";SELECT 2"));
}

TEST(SqlScriptTest, twoMinusSignsAreNoComment) {
    CPPUNIT_ASSERT((Statements{"SELECT 1--1", "SELECT 2"}) == splitStatements("SELECT 1--1;SELECT 2"));
}

TEST(SqlScriptTest, scriptOfCommentsOnlyHasNoStatements) {
    CPPUNIT_ASSERT(splitStatements("").empty());
    CPPUNIT_ASSERT(splitStatements(" ;; \n;").empty());
    CPPUNIT_ASSERT(splitStatements("-- nothing;\n/* at all; */").empty());
}

TEST(SqlScriptTest, unfinishedQuotationsAndCommentsAreRefused) {
    CPPUNIT_ASSERT_THROW(splitStatements("SELECT 'a;"), host::SqlScriptError);
    CPPUNIT_ASSERT_THROW(splitStatements("SELECT `a;"), host::SqlScriptError);
    CPPUNIT_ASSERT_THROW(splitStatements("SELECT 1 /* a;"), host::SqlScriptError);
    CPPUNIT_ASSERT_THROW(splitStatements("SELECT 'a\\';"), host::SqlScriptError);
}

} // namespace supplierd::tests
