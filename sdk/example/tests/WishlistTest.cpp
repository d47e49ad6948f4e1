#include <supplierd/testing/PluginRun.h>

#include <cppunit/extensions/HelperMacros.h>
#include <cppunit/ui/text/TestRunner.h>

extern "C" supplierd::Plugin* supplierd_plugin_entry();

using namespace supplierd;
using namespace supplierd::testing;

class WishlistTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(WishlistTest);
    CPPUNIT_TEST(testWishesAreListedWithExactPrices);
    CPPUNIT_TEST(testWishIsWrittenForItsSupplierAndCounted);
    CPPUNIT_TEST(testWishIsCountedOnceThoughItsTransactionRanTwice);
    CPPUNIT_TEST(testEveryBadFieldIsNamed);
    CPPUNIT_TEST(testLongestTitleIsConfigurable);
    CPPUNIT_TEST_SUITE_END();

    FakeHost host;

    PluginRun run(const std::map<std::string, std::string>& config = {}) {
        return {std::unique_ptr<Plugin>(supplierd_plugin_entry()), host, config};
    }

    FakeRequest post(std::string_view body) {
        FakeRequest request(host.database(), Method::Post, "/wishes");
        request.withBody(body);
        return request;
    }

    void testWishesAreListedWithExactPrices() {
        host.database()
            .whenQuery("FROM wishlist_wishes")
            .thenRows({{2, "Peonies", "0.0850", "2026-11-20 14:48:00.000000"},
                       {1, "Ribbon", nullptr, "2026-11-19 08:00:00.000000"}});
        PluginRun wishlist = run();
        const Outcome outcome = wishlist.call(FakeRequest(host.database(), Method::Get, "/wishes?page=2&per_page=2"));

        CPPUNIT_ASSERT_EQUAL(
            std::string(
                R"({"wishes":[{"id":2,"title":"Peonies","max_price":0.085,"created_at":"2026-11-20T14:48:00Z"},)"
                R"({"id":1,"title":"Ribbon","max_price":null,"created_at":"2026-11-19T08:00:00Z"}]})"),
            outcome.response.data);
        CPPUNIT_ASSERT(host.database().statement("LIMIT").parameters == FakeRow({1, 2, 2}));
    }

    void testWishIsWrittenForItsSupplierAndCounted() {
        host.database().whenExecute("INSERT INTO wishlist_wishes").thenAffects(1, 42);
        PluginRun wishlist = run();
        const Outcome outcome =
            wishlist.call(post(R"({"title": " Peonies ", "max_price": 0.29})").withPrincipal({7, 1, "sk_test", false}));

        CPPUNIT_ASSERT_EQUAL(201, outcome.response.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":42})"), outcome.response.data);
        CPPUNIT_ASSERT(host.database().statement("INSERT").parameters == FakeRow({7, "Peonies", "0.29"}));
        CPPUNIT_ASSERT_EQUAL(1, host.database().commits());
        CPPUNIT_ASSERT_EQUAL(1.0, host.metrics().value("created_total"));
    }

    void testWishIsCountedOnceThoughItsTransactionRanTwice() {
        host.database().whenExecute("INSERT").thenThrows(1213, "Deadlock found").thenAffects(1, 1);
        PluginRun wishlist = run();

        CPPUNIT_ASSERT(!wishlist.call(post(R"({"title": "Peonies"})")).error);
        CPPUNIT_ASSERT_EQUAL(1, host.database().rollbacks());
        CPPUNIT_ASSERT_EQUAL(1.0, host.metrics().value("created_total"));
    }

    void testEveryBadFieldIsNamed() {
        PluginRun wishlist = run();
        const Outcome outcome = wishlist.call(post(R"({"title": "  ", "max_price": "cheap"})"));

        CPPUNIT_ASSERT(outcome.failed(ErrorKind::Validation));
        CPPUNIT_ASSERT(outcome.hasDetail("title", "required"));
        CPPUNIT_ASSERT(outcome.hasDetail("max_price", "type"));
        CPPUNIT_ASSERT(host.database().statements().empty());
    }

    void testLongestTitleIsConfigurable() {
        PluginRun wishlist = run({{"max_title_length", "3"}});
        CPPUNIT_ASSERT(wishlist.call(post(R"({"title": "Peonies"})")).hasDetail("title", "too_long"));
    }
};

int main() {
    CppUnit::TextUi::TestRunner runner;
    runner.addTest(WishlistTest::suite());
    return runner.run() ? 0 : 1;
}
