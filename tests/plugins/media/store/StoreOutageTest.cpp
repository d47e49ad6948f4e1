#include "library/StoreOutage.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeLogger.h>
#include <supplierd/testing/FakeMetrics.h>

#include <string>

namespace supplierd::tests {

using media::MediaStoreError;
using media::StoreOutage;

class StoreOutageTest : public CppUnit::TestFixture {
protected:
    static inline const MediaStoreError AWAY{MediaStoreError::Kind::Unreachable, "not there"};

    StoreOutage::Clock::time_point later() const { return _now + StoreOutage::QUIET; }

    testing::FakeLogger _log;
    testing::FakeMetrics _told;
    media::MediaMetrics _metrics{_told};
    StoreOutage _outage{_log, _metrics};
    const StoreOutage::Clock::time_point _now = StoreOutage::Clock::now();
};

TEST(StoreOutageTest, oneLineTellsThatItBeginsAndOneThatItIsOver) {
    _outage.worked(StoreOutage::Use::Reading, _now);
    CPPUNIT_ASSERT(_log.lines().empty());
    for (int i = 0; i < 100; ++i)
        _outage.failed(StoreOutage::Use::Reading, AWAY, _now);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines().size());
    CPPUNIT_ASSERT(_log.contains("images cannot be read"));
    CPPUNIT_ASSERT_EQUAL(std::string("not there"), _log.lines()[0].fields[0].value);
    CPPUNIT_ASSERT_EQUAL(100.0, _told.value("store_failures_total"));
    for (int i = 0; i < 3; ++i)
        _outage.worked(StoreOutage::Use::Reading, later());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _log.lines().size());
    CPPUNIT_ASSERT(_log.contains("images can be read again"));
    CPPUNIT_ASSERT_EQUAL(std::string("100"), _log.lines()[1].fields[0].value);
    _outage.failed(StoreOutage::Use::Reading, AWAY, later());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, _log.lines().size());
}

TEST(StoreOutageTest, itIsNotOverWhileItFailsNowAndThen) {
    for (int i = 0; i < 100; ++i) {
        _outage.failed(StoreOutage::Use::Reading, AWAY, _now + i * StoreOutage::QUIET / 2);
        _outage.worked(StoreOutage::Use::Reading, _now + i * StoreOutage::QUIET / 2);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines().size());
}

TEST(StoreOutageTest, anotherReasonIsTold) {
    const MediaStoreError full(MediaStoreError::Kind::Full, "no room");
    _outage.failed(StoreOutage::Use::Storing, AWAY, _now);
    for (int i = 0; i < 3; ++i)
        _outage.failed(StoreOutage::Use::Storing, full, _now);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _log.lines().size());
    CPPUNIT_ASSERT_EQUAL(std::string("no room"), _log.lines()[1].fields[0].value);
}

TEST(StoreOutageTest, readingGoesOnWhileNothingCanBeStored) {
    _outage.failed(StoreOutage::Use::Storing, AWAY, _now);
    _outage.worked(StoreOutage::Use::Reading, later());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _log.lines().size());
    _outage.worked(StoreOutage::Use::Storing, later());
    CPPUNIT_ASSERT(_log.contains("images can be stored again"));
}

} // namespace supplierd::tests
