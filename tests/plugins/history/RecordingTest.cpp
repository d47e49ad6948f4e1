#include "tests/plugins/history/HistoryFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What gets into the table, and what becomes of it there.
class RecordingTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* ALL =
        "errors_per_minute = 1000000\nwrites_per_minute = 1000000\nreads_per_minute = 1000000\n";

    void use(const std::string& rates, const std::string& more) {
        ServerOptions options = historyOptions();
        options.configuration = "[rate_limit]\nrequests_per_hour = 10000000\n[plugins.history]\n" + rates + more;
        _own.emplace(options);
    }
    double outcome(const std::string& name) {
        return _own->server().metric("supplierd_history_requests_total{outcome=\"" + name + "\"}");
    }
    void control(const std::vector<std::string>& arguments) { requireControl(_own->server(), arguments); }
    void trim() { control({"job", "run", "history", "trim"}); }

    std::optional<ServerFixture> _own;
};

TEST(RecordingTest, secretsAreStoredNowhere) {
    RecordedSupplier supplier;
    auto& database = supplier.on().database();
    const std::string key = supplier.key();
    const HttpHeaders asJson{{"Content-Type", "application/json"}};
    for (const std::string& body :
         std::vector<std::string>{R"({"password":"hunter2","name":"Rosa"})", R"({"a":[{"api_key":{"x":"hunter2"}}]})",
                                  R"({"token":"hunter2)", R"({"note":")" + key + "\"}",
                                  R"({"note":"whsec_hunter2hunter2"})", R"({"p\u0061ssword":"hunter2"})"})
        supplier.send("POST", "/products", asJson, body);
    supplier.send("POST", "/products?secret=hunter2&x=" + key,
                  {{"Content-Type", "application/x-www-form-urlencoded"}, {"Cookie", "session=hunter2"}},
                  "password=hunter2&a=b");
    supplier.send("GET", "/products/" + key + "?access_token=hunter2");
    supplier.send("GET", "/" + key, {{"If-Match", "\"" + key + "\""}, {"Idempotency-Key", key}});
    supplier.waitForRecorded(9);
    const std::string rows =
        database.text("SELECT GROUP_CONCAT(CONCAT_WS('|', key_prefix, method, path, query, error_code, "
                      "error_message, request_id, "
                      "headers, body, response) SEPARATOR '\n') FROM history_requests WHERE supplier_id = " +
                      std::to_string(supplier.id()));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(rows, std::string::npos, rows.find("hunter2"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(rows, std::string::npos, rows.find(key.substr(12)));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(rows, std::string::npos, rows.find("Bearer"));
}

TEST(RecordingTest, databaseThatStandsStillDelaysNoAnswer) {
    RecordedSupplier supplier;
    auto& database = supplier.on().database();
    database.exec("LOCK TABLES history_requests WRITE");
    for (int i = 0; i < 100; ++i)
        supplier.send("GET", "/products/1"); // answered, though nothing can be written
    database.exec("UNLOCK TABLES");
    supplier.waitForRecorded(100);
}

TEST(RecordingTest, onlyTheRatesAreRecorded) {
    use("errors_per_minute = 5\nwrites_per_minute = 0\nreads_per_minute = 3\n", "");
    RecordedSupplier supplier({}, *_own);
    for (int i = 0; i < 20; ++i)
        supplier.send("GET", "/products");
    for (int i = 0; i < 20; ++i)
        supplier.send("GET", "/products/1");
    supplier.create();
    waitFor("41 requests that were counted", [&] { return outcome("recorded") + outcome("skipped") == 41; });
    // The minute may have changed meanwhile, once.
    CPPUNIT_ASSERT_EQUAL(outcome("recorded"), static_cast<double>(supplier.recorded()));
    CPPUNIT_ASSERT(supplier.recorded("status = 200") % 3 == 0 && supplier.recorded("status = 200") <= 6);
    CPPUNIT_ASSERT(supplier.recorded("status = 404") % 5 == 0 && supplier.recorded("status = 404") <= 10);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, supplier.recorded("method = 'POST'"));
}

TEST(RecordingTest, requestsBeyondTheBoundsGoAndErrorsKeepTheirHalf) {
    use(ALL, "max_requests = 100\n");
    RecordedSupplier supplier({}, *_own);
    RecordedSupplier other({.name = "Other"}, *_own);
    other.send("GET", "/products/1");
    for (int i = 0; i < 30; ++i)
        supplier.send("GET", "/products/1");
    for (int i = 0; i < 200; ++i)
        supplier.send("GET", "/products");
    waitFor("231 requests", [&] { return outcome("recorded") == 231; });
    const std::int64_t share = 100 / 8 + 64; // what comes before they are looked after, and a statement
    waitFor("room", [&] { return supplier.recorded("status = 200") <= 50 + share; });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{30}, supplier.recorded("status = 404"));
    trim();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{50}, supplier.recorded("status = 200"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{30}, supplier.recorded("status = 404"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, other.recorded());
    const auto newest = supplier.send("GET", "/products");
    supplier.waitForRecorded(1, "request_id = '" + newest + "'");
    trim();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, supplier.recorded("request_id = '" + newest + "'"));
}

TEST(RecordingTest, bytesAreBoundToo) {
    use(ALL, "max_size = \"1MiB\"\n");
    RecordedSupplier supplier({}, *_own);
    const std::string body = "{\"name\":\"" + std::string(7'000, 'x') + "\"}";
    for (int i = 0; i < 150; ++i)
        supplier.send("POST", "/products", {{"Content-Type", "application/json"}}, body);
    waitFor("150 requests", [&] { return outcome("recorded") == 150; });
    trim();
    const auto kept = _own->database().integer("SELECT SUM(size) FROM history_requests");
    CPPUNIT_ASSERT(kept <= 512 * 1'024);
    CPPUNIT_ASSERT(kept > 500 * 1'024);
}

TEST(RecordingTest, oldRequestsGoAndNobodyElses) {
    use(ALL, "keep = \"2h\"\n");
    RecordedSupplier supplier({}, *_own);
    RecordedSupplier other({.name = "Other"}, *_own);
    const auto old = supplier.send("GET", "/products/1");
    const auto young = supplier.send("GET", "/products/2");
    other.send("GET", "/products/1");
    supplier.waitForRecorded(2);
    other.waitForRecorded(1);
    _own->database().exec("UPDATE history_requests SET id = id - 7201000000 WHERE request_id = '" + old + "'");
    _own->database().exec("UPDATE history_requests SET id = id - 7000000000 WHERE request_id = '" + young + "'");
    trim();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, supplier.recorded());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, supplier.recorded("request_id = '" + young + "'"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, other.recorded());
}

/// The same ids are taken time and again: a clock that stands still would not help them.
TEST(RecordingTest, serversShareTheTable) {
    use(ALL, "");
    ServerProcess second(_own->database(), historyOptions());
    RecordedSupplier supplier({}, *_own);
    together(8, [&](int index) {
        auto client = (index % 2 == 0 ? _own->server() : second).client(supplier.key());
        for (int i = 0; i < 50; ++i)
            requireStatus(404, client.get("/products/" + std::to_string(index * 100 + i + 1)));
    });
    supplier.waitForRecorded(400);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{400},
                         _own->database().integer("SELECT COUNT(DISTINCT path) FROM history_requests"));
    CPPUNIT_ASSERT_EQUAL(0, second.stop());
}

TEST(RecordingTest, whatWasWrittenSurvivesAKilledServer) {
    use(ALL, "");
    RecordedSupplier supplier({}, *_own);
    for (int i = 0; i < 20; ++i)
        supplier.send("GET", "/products/1");
    supplier.waitForRecorded(20);
    supplier.send("GET", "/products/2");
    supplier.close();
    _own->server().kill();
    _own->server().start();
    RecordedSupplier after({.name = "After"}, *_own);
    after.record(after.send("GET", "/products/3"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, supplier.recorded("path LIKE '%/1'"));
    CPPUNIT_ASSERT(supplier.recorded("path LIKE '%/2'") <= 1);
}

TEST(RecordingTest, aStoppedServerWritesWhatIsLeft) {
    use(ALL, "");
    RecordedSupplier supplier({}, *_own);
    for (int i = 0; i < 20; ++i)
        supplier.send("GET", "/products/1");
    supplier.close();
    CPPUNIT_ASSERT_EQUAL(0, _own->server().stop());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, supplier.recorded());
}

TEST(RecordingTest, dataGoesWithThePlugin) {
    use(ALL, "");
    CPPUNIT_ASSERT_EQUAL(0, _own->server().stop());
    control({"plugin", "disable", "history"});
    control({"plugin", "remove", "--data", "--yes", "history"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         _own->database().integer("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = "
                                                  "DATABASE() AND table_name LIKE 'history%'"));
}

} // namespace supplierd::tests
