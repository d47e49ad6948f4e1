#include "host/http/pipeline/UnavailableLog.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeLogger.h>

#include <string>

namespace supplierd::tests {

using host::UnavailableLog;

class UnavailableLogTest : public CppUnit::TestFixture {
protected:
    testing::FakeLogger _log;
    UnavailableLog _unavailable{_log};
    const UnavailableLog::Clock::time_point _now = UnavailableLog::Clock::now();
};

TEST(UnavailableLogTest, aReasonIsWrittenOnceInAWhileWithHowManyHadIt) {
    for (int i = 0; i < 5; ++i)
        _unavailable.note("away", {{"request_id", "r" + std::to_string(i)}}, _now);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines().size());
    CPPUNIT_ASSERT_EQUAL(std::string("away"), _log.lines()[0].message);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines()[0].fields.size());
    CPPUNIT_ASSERT_EQUAL(std::string("r0"), _log.lines()[0].fields[0].value);
    _unavailable.note("away", {{"request_id", "r5"}}, _now + UnavailableLog::PAUSE);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _log.lines().size());
    CPPUNIT_ASSERT_EQUAL(std::string("r5"), _log.lines()[1].fields[0].value);
    CPPUNIT_ASSERT_EQUAL(std::string("4"), _log.lines()[1].fields[1].value);
    _unavailable.note("away", {{"request_id", "r6"}}, _now + 2 * UnavailableLog::PAUSE);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines()[2].fields.size());
}

TEST(UnavailableLogTest, eachReasonIsWritten) {
    _unavailable.note("away", {{"request_id", "r1"}}, _now);
    _unavailable.note("full", {{"request_id", "r2"}}, _now);
    _unavailable.note("away", {{"request_id", "r3"}}, _now);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _log.lines().size());
    CPPUNIT_ASSERT(_log.contains("full"));
}

TEST(UnavailableLogTest, reasonsThatNeverRepeatAreAllWritten) {
    for (std::size_t i = 0; i < 3 * UnavailableLog::REASONS; ++i)
        _unavailable.note(std::to_string(i), {{"request_id", "r"}}, _now);
    CPPUNIT_ASSERT_EQUAL(3 * UnavailableLog::REASONS, _log.lines().size());
}

} // namespace supplierd::tests
