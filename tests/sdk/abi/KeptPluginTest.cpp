#include "host/plugins/PluginLibrary.h"

#include <supplierd/testing/PluginRun.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <set>

namespace supplierd::tests {

using namespace supplierd::testing;

/// Plugins that were built once, with the SDK of an earlier minor, still load and work (sdk/abi/kept).
class KeptPluginTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(KeptPluginTest);
    CPPUNIT_TEST(testEveryKeptPluginLivesAndAnswers);
    CPPUNIT_TEST_SUITE_END();

public:
    void testEveryKeptPluginLivesAndAnswers() {
#if defined(__x86_64__)
        for (const auto& folder : std::filesystem::directory_iterator(SUPPLIERD_KEPT_PLUGINS))
            if (std::filesystem::exists(folder.path() / "kept.so"))
                checkLife(folder.path() / "kept.so");
#else
        std::cout << "skipped: the kept plugins are ones of amd64\n";
#endif
    }

private:
    /// The plugin's data as the numbers and texts that it was given.
    static void checkLife(const std::filesystem::path& file) {
        const host::PluginLibrary library(file);
        FakeHost host;
        PluginRun run(library.create(), host,
                      {{"word", "\"good evening\""},
                       {"times", "3"},
                       {"stall[0].place", "Delft"},
                       {"stall[1].place", "Aalsmeer"}});
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, run.description().routes.size());
        CPPUNIT_ASSERT_EQUAL(std::string("words"), run.description().migrations.at(0).name);
        CPPUNIT_ASSERT_EQUAL(std::string("catalog"), run.description().after.at(0));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, run.description().config.at(1).max);
        CPPUNIT_ASSERT(host.findService("kept.greeter/1"));
        CPPUNIT_ASSERT(host.log().contains("started"));
        CPPUNIT_ASSERT_EQUAL(0.0, host.metrics().value("open"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host.metrics().observations("seconds").size());
        checkReading(run, host);
        checkWriting(run, host);
        checkBytesAndRefusal(run, host);
        CPPUNIT_ASSERT_EQUAL(6.0, host.metrics().value("calls_total", {{"kind", "any"}}));
    }

    static void checkReading(PluginRun& run, FakeHost& host) {
        host.database()
            .whenQuery("FROM kept_words")
            .thenRows({{"Peonies", 17, "0.0850", "2026-11-20 14:48:00.000000"}});
        const auto outcome = run.call(FakeRequest(host.database(), Method::Get, "/kept/17/red%20rose?colour=blue")
                                          .withHeader("X-Kept", "yes")
                                          .withPrincipal({7, 1, "sk_test", false}));
        const auto data = outcome.data();
        CPPUNIT_ASSERT_EQUAL(std::string("Peonies 17 0.085 2026-11-20T14:48:00Z"),
                             std::string(data.get("word").text()));
        CPPUNIT_ASSERT_EQUAL(std::string("blue"), std::string(data.get("query").text()));
        CPPUNIT_ASSERT_EQUAL(7, static_cast<int>(data.get("supplier").integer()));
        CPPUNIT_ASSERT_EQUAL(std::string("sk_test"), std::string(data.get("key").text()));
        CPPUNIT_ASSERT_EQUAL(3, static_cast<int>(data.get("times").integer()));
        CPPUNIT_ASSERT_EQUAL(std::string("yes"), outcome.header("X-Kept").value_or(""));
        CPPUNIT_ASSERT(host.database().statement("kept_words").parameters == FakeRow({17}));
    }

    static void checkWriting(PluginRun& run, FakeHost& host) {
        host.database().whenExecute("INSERT INTO kept_words").thenThrows(1213, "Deadlock found").thenAffects(1, 42);
        FakeRequest request(host.database(), Method::Post, "/kept");
        request.withBody(R"({"word": "Ribbon", "price": 0.29})").withPrincipal({7, 1, "sk_test", false});
        const auto outcome = run.call(request);
        CPPUNIT_ASSERT_EQUAL(201, outcome.response.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":42})"), outcome.response.data);
        CPPUNIT_ASSERT_EQUAL(1, host.database().rollbacks());
        CPPUNIT_ASSERT_EQUAL(1, host.database().commits());
        CPPUNIT_ASSERT(host.database().statement("INSERT").parameters == FakeRow({"Ribbon", "0.29", 1}));
        CPPUNIT_ASSERT(host.database().changes().at(0).ids.at("kept_word.written") == (std::set<std::int64_t>{42}));

        FakeRequest bad(host.database(), Method::Post, "/kept");
        bad.withBody(R"({"price": "much"})");
        const auto refused = run.call(bad);
        CPPUNIT_ASSERT(refused.hasDetail("word", "required"));
        CPPUNIT_ASSERT(refused.hasDetail("price", "type"));
    }

    static void checkBytesAndRefusal(PluginRun& run, FakeHost& host) {
        CPPUNIT_ASSERT_EQUAL(std::string("good evening"),
                             run.call(FakeRequest(host.database(), Method::Get, "/kept/bytes")).bytes());
        const auto refused = run.call(FakeRequest(host.database(), Method::Delete, "/kept"));
        CPPUNIT_ASSERT(refused.failed(ErrorKind::Conflict));
        CPPUNIT_ASSERT_EQUAL(7, refused.error->retryAfter());
        CPPUNIT_ASSERT(refused.hasDetail("word", "kept"));
        // With the host's own error, and the plugin's handler far below on the stack.
        host.database().whenQuery("FROM kept_words").thenThrows(2013, "Lost connection").thenThrows(2013, "Lost");
        CPPUNIT_ASSERT_THROW(run.call(FakeRequest(host.database(), Method::Get, "/kept/1/a")), DatabaseError);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(KeptPluginTest);

} // namespace supplierd::tests
