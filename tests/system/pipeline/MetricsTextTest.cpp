#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <sstream>
#include <string>
#include <thread>

namespace supplierd::tests {

/// /metrics of a running server.
class MetricsTextTest : public CppUnit::TestFixture {
protected:
    std::string metrics() const { return fixture().server().adminClient().get("/metrics").body; }

    /// 0 for a series that does not exist yet.
    double value(const std::string& series) const { return fixture().server().metric(series); }

    void waitForValue(const std::string& series, double expected) const {
        waitFor(series + " being " + std::to_string(expected), [&] { return value(series) == expected; });
    }
};

TEST(MetricsTextTest, formatIsPrometheusText) {
    const auto response = fixture().server().adminClient().get("/metrics");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("text/plain; version=0.0.4; charset=utf-8"), response.header("Content-Type"));
    std::istringstream text(response.body);
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line.front() == '#')
            continue;
        const auto space = line.rfind(' ');
        CPPUNIT_ASSERT_MESSAGE(line, space != std::string::npos && space > 0);
        std::stod(line.substr(space + 1));
    }
}

TEST(MetricsTextTest, requestsAreCountedByRouteAndStatus) {
    const std::string found =
        R"(supplierd_requests_total{method="GET",route="/api/v1/supplier/test/items/{id:int}",status="200"})";
    const std::string none = R"x(supplierd_requests_total{method="any",route="(none)",status="404"})x";
    const auto foundBefore = value(found);
    const auto noneBefore = value(none);
    auto client = newClient();
    for (int i = 1; i <= 3; ++i)
        client.get("/test/items/" + std::to_string(i));
    client.get("/nothing");
    waitForValue(found, foundBefore + 3);
    waitForValue(none, noneBefore + 1);
}

TEST(MetricsTextTest, pathsDoNotMakeNewSeries) {
    auto client = newClient();
    client.get("/pasted-by-accident");
    client.request("BREWMETHOD", "/test/whoami");
    const auto text = metrics();
    CPPUNIT_ASSERT_EQUAL(std::string::npos, text.find("pasted-by-accident"));
    CPPUNIT_ASSERT_EQUAL(std::string::npos, text.find("BREWMETHOD"));
}

TEST(MetricsTextTest, latencyIsMeasured) {
    const std::string labels = R"({method="GET",route="/api/v1/supplier/test/sleep")";
    const auto before = value("supplierd_request_seconds_count" + labels + "}");
    requireStatus(200, newClient().get("/test/sleep?ms=60"));
    waitForValue("supplierd_request_seconds_count" + labels + "}", before + 1);
    CPPUNIT_ASSERT_EQUAL(0.0, value("supplierd_request_seconds_bucket" + labels + R"(,le="0.05"})"));
    CPPUNIT_ASSERT(value("supplierd_request_seconds_sum" + labels + "}") >= 0.06);
}

TEST(MetricsTextTest, refusalsAreCountedByReason) {
    const auto counter = [](const std::string& reason) {
        return R"(supplierd_auth_failures_total{reason=")" + reason + "\"}";
    };
    const auto unauthorized = value(counter("unauthorized"));
    const auto revoked = value(counter("key_revoked"));
    fixture().server().client().get("/test/whoami");
    newClient({{"revoked_at", "NOW(6)"}}).get("/test/whoami");
    CPPUNIT_ASSERT_EQUAL(unauthorized + 1, value(counter("unauthorized")));
    CPPUNIT_ASSERT_EQUAL(revoked + 1, value(counter("key_revoked")));
}

TEST(MetricsTextTest, rateLimitedRequestsAreCounted) {
    const auto before = value("supplierd_rate_limited_total");
    auto client = newClient({{"hourly_limit", "1"}});
    requireStatus(200, client.get("/test/whoami"));
    requireStatus(429, client.get("/test/whoami"));
    requireStatus(429, client.get("/test/whoami"));
    CPPUNIT_ASSERT_EQUAL(before + 2, value("supplierd_rate_limited_total"));
}

TEST(MetricsTextTest, internalErrorsAreCounted) {
    const auto before = value("supplierd_internal_errors_total");
    auto client = newClient();
    client.get("/test/throw?what=std");
    client.get("/test/throw?what=int");
    client.get("/test/throw?what=internal");
    client.get("/test/throw?what=unavailable");
    CPPUNIT_ASSERT_EQUAL(before + 3, value("supplierd_internal_errors_total"));
}

TEST(MetricsTextTest, poolShowsSessionsInUse) {
    for (const char* name : {"supplierd_pool_idle", "supplierd_pool_waiting", "supplierd_pool_timeouts_total",
                             "supplierd_version_questions_total", "supplierd_version_question_requests_total"})
        value(name);
    const auto key = newKey();
    std::thread holder([&] { fixture().server().client(key).get("/test/hold?ms=1500"); });
    waitFor("a session in use", [&] { return value("supplierd_pool_in_use") >= 1; });
    holder.join();
    waitForValue("supplierd_pool_in_use", 0);
}

TEST(MetricsTextTest, buildInfoIsThere) {
    const auto text = metrics();
    const auto at = text.find("supplierd_build_info{");
    CPPUNIT_ASSERT(at != std::string::npos);
    const auto line = text.substr(at, text.find('\n', at) - at);
    CPPUNIT_ASSERT(line.find("version=\"") != std::string::npos);
    CPPUNIT_ASSERT(line.ends_with(" 1"));
}

TEST(MetricsTextTest, pluginsMetricsAreThere) {
    const auto before = value("supplierd_probe_runs_total");
    requireStatus(201, newClient().post("/test/run", {{"name", "metrics"}}));
    CPPUNIT_ASSERT_EQUAL(before + 1, value("supplierd_probe_runs_total"));
}

} // namespace supplierd::tests
