#include <supplierd/testing/FakeHost.h>

#include <cppunit/extensions/HelperMacros.h>

namespace supplierd::tests {

using testing::FakeHost;

class FakeHostTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(FakeHostTest);
    CPPUNIT_TEST(testLogLinesAreCaptured);
    CPPUNIT_TEST(testMetricsCanBeRead);
    CPPUNIT_TEST(testServicesAreFoundById);
    CPPUNIT_TEST_SUITE_END();

    struct Weather {
        static constexpr std::string_view ID = "test.weather/1";
        int degrees = 0;
    };

    FakeHost fake;
    Host& host = fake;

    void testLogLinesAreCaptured() {
        host.log().warning("the vase is full", {{"litres", 3}, {"name", "Ming"}});
        CPPUNIT_ASSERT(fake.log().contains("vase"));
        CPPUNIT_ASSERT(!fake.log().contains("empty"));
        CPPUNIT_ASSERT(fake.log().lines()[0].level == LogLevel::Warning);
        CPPUNIT_ASSERT_EQUAL(std::string("3"), fake.log().lines()[0].fields[0].value);
    }

    void testMetricsCanBeRead() {
        Counter& sold = host.metrics().counter("sold", "Stems sold", {{"flower", "rose"}});
        sold.add();
        sold.add(2);
        CPPUNIT_ASSERT_EQUAL(&sold, &host.metrics().counter("sold", "Stems sold", {{"flower", "rose"}}));
        host.metrics().gauge("open", "Open").set(4);
        host.metrics().gauge("open", "Open").add(-1);
        host.metrics().histogram("ms", "Time", {1, 10}).observe(3.5);

        CPPUNIT_ASSERT_EQUAL(3.0, fake.metrics().value("sold", {{"flower", "rose"}}));
        CPPUNIT_ASSERT_EQUAL(0.0, fake.metrics().value("sold"));
        CPPUNIT_ASSERT_EQUAL(3.0, fake.metrics().value("open"));
        CPPUNIT_ASSERT(std::vector<double>{3.5} == fake.metrics().observations("ms"));
        CPPUNIT_ASSERT(fake.metrics().observations("none").empty());
    }

    void testServicesAreFoundById() {
        CPPUNIT_ASSERT(host.service<Weather>() == nullptr);
        Weather weather{21};
        host.offer(weather);
        CPPUNIT_ASSERT_EQUAL(21, host.service<Weather>()->degrees);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(FakeHostTest);

} // namespace supplierd::tests
