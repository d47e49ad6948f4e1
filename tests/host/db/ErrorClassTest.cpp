#include "host/db/ErrorClass.h"

#include "tests/support/Test.h"

#include <supplierd/Database.h>

#include <set>

namespace supplierd::tests {

using Codes = std::set<unsigned>;

/// What follows from an error number of MariaDB, and from no other.
class ErrorClassTest : public CppUnit::TestFixture {
protected:
    template <class Is>
    static Codes those(Is is) {
        Codes codes;
        for (unsigned code = 0; code < 5'000; ++code)
            if (is(code))
                codes.insert(code);
        return codes;
    }
    static void insertRange(Codes& codes, unsigned first, unsigned end) {
        for (unsigned code = first; code < end; ++code)
            codes.insert(code);
    }
};

TEST(ErrorClassTest, numbersThatEndASession) {
    const Codes lost{1053, 1077, 1079, 1080, 1152, 1154, 1155, 1156, 1157, 1158, 1159, 1160, 1161,
                     1184, 1927, 2002, 2003, 2004, 2005, 2006, 2012, 2013, 2026, 2027, 2055};
    const Codes refusals{1040, 1047, 1129, 1203, 1290, 1836};
    Codes away = lost;
    away.insert(refusals.begin(), refusals.end());
    CPPUNIT_ASSERT(those([](unsigned code) { return host::isAway(DatabaseError(code, {})); }) == away);
    insertRange(away, 2'000, 2'030);
    CPPUNIT_ASSERT(those(host::endsSession) == away);
}

TEST(ErrorClassTest, numbersThatLeaveOpenWhetherAStatementTookEffect) {
    Codes open = those(host::endsSession);
    insertRange(open, 1, 120);
    for (const unsigned code : {1180U, 1205U, 1206U, 1213U, 1317U, 1969U, 3024U})
        open.insert(code);
    CPPUNIT_ASSERT(those(host::leavesOutcomeOpen) == open);
}

TEST(ErrorClassTest, numbersOfOneMeaning) {
    CPPUNIT_ASSERT(those(host::endsTransaction) == (Codes{1205, 1206, 1213}));
    CPPUNIT_ASSERT(those(host::refusesLogin) == (Codes{1045, 1130, 1251, 1698, 1862, 2059, 4151}));
    CPPUNIT_ASSERT(those(host::lacksDatabase) == (Codes{1044, 1049}));
    CPPUNIT_ASSERT(those(host::isOpenCommit) == Codes{1180});
    CPPUNIT_ASSERT(those(host::isTimeLimit) == (Codes{1969, 3024}));
    CPPUNIT_ASSERT(those(host::isTableChange) == Codes{1412});
    CPPUNIT_ASSERT(those(host::lacksRoom) == (Codes{1021, 1114}));
    CPPUNIT_ASSERT(those(host::isStaleStatement) == (Codes{1243, 1615, 2057}));
    CPPUNIT_ASSERT(those(host::isStatementLimit) == Codes{1461});
}

TEST(ErrorClassTest, numbersOfTheServersFiles) {
    Codes expected;
    insertRange(expected, 1, 120);
    CPPUNIT_ASSERT(those(host::isFileTrouble) == expected);
}

TEST(ErrorClassTest, whatIsToldToClientsSaysWhenToTryAgain) {
    CPPUNIT_ASSERT_EQUAL(1, host::databaseAway().retryAfter());
    CPPUNIT_ASSERT_EQUAL(1, host::databaseBusy().retryAfter());
    CPPUNIT_ASSERT_EQUAL(5, host::outcomeUnknown().retryAfter());
    CPPUNIT_ASSERT(host::endsSession(host::closedForWrites().code()));
}

} // namespace supplierd::tests
