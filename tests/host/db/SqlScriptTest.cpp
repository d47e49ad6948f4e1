#include "host/db/schema/SqlScript.h"

#include <cppunit/extensions/HelperMacros.h>

namespace supplierd::tests {

using host::splitStatements;
using Statements = std::vector<std::string>;

class SqlScriptTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(SqlScriptTest);
    CPPUNIT_TEST(testStatementsEndWithSemicolons);
    CPPUNIT_TEST(testLastStatementNeedsNoSemicolon);
    CPPUNIT_TEST(testCommentsBeforeAStatementAreLeftOut);
    CPPUNIT_TEST(testSemicolonsInCommentsDoNotCount);
    CPPUNIT_TEST(testSemicolonsInQuotationsDoNotCount);
    CPPUNIT_TEST(testCommentSignsInQuotationsAreText);
    CPPUNIT_TEST(testTwoMinusSignsAreNoComment);
    CPPUNIT_TEST(testScriptOfCommentsOnlyHasNoStatements);
    CPPUNIT_TEST(testUnfinishedQuotationsAndCommentsAreRefused);
    CPPUNIT_TEST_SUITE_END();

    void testStatementsEndWithSemicolons() {
        CPPUNIT_ASSERT((Statements{"SELECT 1", "SELECT\n 2"}) == splitStatements("SELECT 1;\n\nSELECT\n 2 ;\n"));
    }

    void testLastStatementNeedsNoSemicolon() {
        CPPUNIT_ASSERT((Statements{"SELECT 1", "SELECT 2"}) == splitStatements("SELECT 1; SELECT 2  \n"));
    }

    void testCommentsBeforeAStatementAreLeftOut() {
        CPPUNIT_ASSERT((Statements{"SELECT 1"}) == splitStatements("-- one\n# two\n/* three */ SELECT 1; -- four"));
    }

    void testSemicolonsInCommentsDoNotCount() {
        CPPUNIT_ASSERT((Statements{"SELECT 1, -- a; b\n 2"}) == splitStatements("SELECT 1, -- a; b\n 2;"));
        CPPUNIT_ASSERT((Statements{"SELECT /* a; b */ 1"}) == splitStatements("SELECT /* a; b */ 1;"));
        CPPUNIT_ASSERT((Statements{"SELECT 1 # a; b\n + 1"}) == splitStatements("SELECT 1 # a; b\n + 1;"));
        CPPUNIT_ASSERT((Statements{"SELECT 1"}) == splitStatements("-- ;\nSELECT 1;\n--"));
    }

    void testSemicolonsInQuotationsDoNotCount() {
        const std::string values = R"(SELECT 'a;b', "c;d", `e;f`, 'g'';h', 'i\';j', "k"";l", `m``;n`)";
        CPPUNIT_ASSERT((Statements{values, "SELECT 2"}) == splitStatements(values + ";SELECT 2;"));
    }

    void testCommentSignsInQuotationsAreText() {
        const std::string values = R"(SELECT '-- no', "/* no", '# no', `x -- y`)";
        CPPUNIT_ASSERT((Statements{values, "SELECT 2"}) == splitStatements(values + ";SELECT 2"));
    }

    void testTwoMinusSignsAreNoComment() {
        CPPUNIT_ASSERT((Statements{"SELECT 1--1", "SELECT 2"}) == splitStatements("SELECT 1--1;SELECT 2"));
    }

    void testScriptOfCommentsOnlyHasNoStatements() {
        CPPUNIT_ASSERT(splitStatements("").empty());
        CPPUNIT_ASSERT(splitStatements(" ;; \n;").empty());
        CPPUNIT_ASSERT(splitStatements("-- nothing;\n/* at all; */").empty());
    }

    void testUnfinishedQuotationsAndCommentsAreRefused() {
        CPPUNIT_ASSERT_THROW(splitStatements("SELECT 'a;"), host::SqlScriptError);
        CPPUNIT_ASSERT_THROW(splitStatements("SELECT `a;"), host::SqlScriptError);
        CPPUNIT_ASSERT_THROW(splitStatements("SELECT 1 /* a;"), host::SqlScriptError);
        CPPUNIT_ASSERT_THROW(splitStatements("SELECT 'a\\';"), host::SqlScriptError);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(SqlScriptTest);

} // namespace supplierd::tests
