#include "host/plugins/PluginLibrary.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeDashboard.h>
#include <supplierd/testing/FakeHttpClient.h>
#include <supplierd/testing/FakeProducts.h>
#include <supplierd/testing/PluginRun.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace supplierd::tests {

using namespace supplierd::testing;

/// Plugins that were built once, with the SDK of an earlier minor, still load and work (sdk/abi/kept).
class KeptPluginTest : public CppUnit::TestFixture {
protected:
    static ProductOffer rose() {
        ProductOffer rose;
        rose.hasProduct = true;
        rose.supplierId = 7;
        rose.name = "Red Naomi";
        rose.sku = "RN-60";
        rose.unit = "stem";
        rose.basePrice = Decimal::fromTenThousandths(850);
        rose.stock = 40;
        return rose;
    }

    /// `folder`: "debian-12". What a newer release has built asks for its C library.
    static bool wasBuiltHereOrBefore(const std::string& folder) {
        std::ifstream release("/etc/os-release");
        for (std::string line; std::getline(release, line);)
            if (line.starts_with("VERSION_ID=\""))
                return std::stoi(folder.substr(folder.find('-') + 1)) <= std::stoi(line.substr(12));
        return true; // a Debian in the making
    }

    /// The plugin's data as the numbers and texts that it was given.
    static void checkLife(const std::filesystem::path& file) {
        const host::PluginLibrary library(file);
        FakeHost host;
        FakeDashboard dashboard;
        FakeProducts products;
        products.offered = {{{7}, rose()}};
        FakeHttpClient http([](const HttpRequest& request) {
            if (request.headers.at(0).value != "text/plain")
                throw HttpError(HttpErrorCode::Protocol, "what it sends has no type");
            HttpResponse response;
            response.status = 202;
            response.body = "heard " + request.body;
            return response;
        });
        host.offer<Dashboard>(dashboard);
        host.offer<Products>(products);
        host.offer<HttpClient>(http);
        PluginRun run(library.create(), host,
                      {{"word", "\"good evening\""},
                       {"times", "3"},
                       {"stall[0].place", "Delft"},
                       {"stall[1].place", "Aalsmeer"}});
        CPPUNIT_ASSERT_EQUAL(std::size_t{9}, run.description().routes.size());
        CPPUNIT_ASSERT_EQUAL(std::string("kept:read"), run.description().scopes.at(0).name);
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
        checkPagesAndServices(run, host);
        checkBackground(host);
        CPPUNIT_ASSERT_EQUAL(std::string("/kept/page.js"), dashboard.pages().at(0).script);
        CPPUNIT_ASSERT_EQUAL(11.0, host.metrics().value("calls_total", {{"kind", "any"}}));
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

    static FakeRequest request(FakeHost& host, Method method, std::string_view path) {
        FakeRequest request(host.database(), method, path);
        request.withPrincipal({7, 1, "sk_test", false});
        return request;
    }

    static void checkPagesAndServices(PluginRun& run, FakeHost& host) {
        CPPUNIT_ASSERT_EQUAL(std::string("good eveninggood eveninggood evening"),
                             run.call(request(host, Method::Get, "/kept/stream")).bytes());
        const auto product = run.call(request(host, Method::Get, "/kept/product/7"));
        CPPUNIT_ASSERT_EQUAL(
            std::string(R"({"name":"Red Naomi","unit":"stem","price":0.085,"sku":"RN-60","stock":40})"),
            product.response.data);
        CPPUNIT_ASSERT(product.hasWarning("id", "unsupported"));

        host.settings().values["word"] = "old";
        const auto set = run.call(request(host, Method::Put, "/kept/word").withForm("word=new"));
        CPPUNIT_ASSERT_EQUAL(std::string("/old"), set.header("Location").value_or(""));
        CPPUNIT_ASSERT_EQUAL(std::string("token-1"), set.header("X-Token").value_or(""));
        CPPUNIT_ASSERT_EQUAL(std::string("new"), host.settings().values["word"]);
        CPPUNIT_ASSERT_EQUAL(std::string("kept_word.set"), host.auditLog().entries().at(0).action);
        CPPUNIT_ASSERT_EQUAL(std::string("old"), host.auditLog().entries().at(0).before);

        host.database().whenExecute("INSERT INTO kept_words (word) VALUES").thenAffects(1);
        const auto page =
            run.call(request(host, Method::Post, "/kept/words.csv").withRawBody("word,x\r\n<a>,1\r\nb,2\r\n"));
        CPPUNIT_ASSERT_EQUAL(std::string("&lt;a&gt;b"), page.bytes());
        const auto told = run.call(request(host, Method::Post, "/kept/tell"));
        CPPUNIT_ASSERT_EQUAL(202, told.response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("heard good evening"), told.bytes());
        const std::vector<Detail> none;
        const FakeRequest lost = request(host, Method::Get, "/");
        const FailedRequest error{404, "NOT_FOUND", "Not found", none, "r", lost.head()};
        CPPUNIT_ASSERT_EQUAL(404, run.description().routes.back().errorPage(error).status);

        const auto known = host.authenticate(
            Audience::Public,
            request(host, Method::Get, "/").withCookie("kept", "token-1").withClientAddress("192.0.2.9").head());
        CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.9"), known.value().keyPrefix);
        CPPUNIT_ASSERT(known->hasScope("kept:read") && !known->hasScope("products:read"));
        AnsweredRequest answered;
        answered.errorCode = "NOT_FOUND";
        answered.status = 200;
        host.tellObservers(answered);
        CPPUNIT_ASSERT(!host.log().contains("observed"));
        answered.status = 404;
        host.tellObservers(answered);
        CPPUNIT_ASSERT(host.log().contains("observed"));
    }

    static void checkBackground(FakeHost& host) {
        host.database().whenExecute("DELETE FROM kept_words").thenAffects(2).thenAffects(1).thenAffects(0);
        CPPUNIT_ASSERT_EQUAL(std::string("tidied 3"), host.jobs().run("tidy"));
        CPPUNIT_ASSERT(std::chrono::minutes(10) == host.jobs().job("tidy").every);

        host.database().whenExecute("INSERT INTO kept_queue").thenAffects(1);
        ChangeEntry entry;
        entry.seq = 3;
        entry.objects = {{"product.updated", {17, 19}}};
        host.changeReaders().read("queue", 7, {.committed = 4, .entries = {entry}});
        CPPUNIT_ASSERT(host.database().statement("kept_queue").parameters == FakeRow({7, 3, "product.updated", 19, 4}));

        host.stateFolder().folder = "/tmp/kept";
        CPPUNIT_ASSERT_EQUAL(std::string("/tmp/kept"), host.operations().check("folder").message);
        CPPUNIT_ASSERT_EQUAL(std::string(), host.operations().readiness());
        CPPUNIT_ASSERT(host.operations().auditKinds.contains("kept_word"));
    }
};

TEST(KeptPluginTest, everyKeptPluginLivesAndAnswers) {
#if defined(__x86_64__)
    int checked = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SUPPLIERD_KEPT_PLUGINS))
        if (entry.path().filename() == "kept.so" && wasBuiltHereOrBefore(entry.path().parent_path().filename())) {
            checkLife(entry.path());
            ++checked;
        }
    CPPUNIT_ASSERT(checked > 0);
#else
    throw Skip("the kept plugins are ones of amd64");
#endif
}

} // namespace supplierd::tests
