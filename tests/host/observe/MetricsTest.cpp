#include "host/Version.h"
#include "host/observe/PluginMetrics.h"
#include "host/observe/ServerMetrics.h"
#include "tests/support/Test.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

class MetricsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _registry = std::make_shared<prometheus::Registry>();
        _metrics = std::make_unique<host::ServerMetrics>(_registry);
    }

protected:
    void assertHas(const std::string& text) const {
        const auto all = _metrics->text();
        CPPUNIT_ASSERT_MESSAGE("missing: " + text + "\nin:\n" + all, all.find(text) != std::string::npos);
    }

    std::shared_ptr<prometheus::Registry> _registry;
    std::unique_ptr<host::ServerMetrics> _metrics;
};

TEST(MetricsTest, requestsAreCountedByMethodRouteAndStatus) {
    auto& route = _metrics->route("GET", "/products");
    route.count(200, 0.001);
    route.count(200, 0.001);
    route.count(404, 0.001);
    assertHas(R"(supplierd_requests_total{method="GET",route="/products",status="200"} 2)");
    assertHas(R"(supplierd_requests_total{method="GET",route="/products",status="404"} 1)");
}

TEST(MetricsTest, latencyIsAHistogramPerRoute) {
    auto& route = _metrics->route("GET", "/products");
    route.count(200, 0.002);
    route.count(200, 0.2);
    route.count(500, 60);
    assertHas(R"(supplierd_request_seconds_bucket{method="GET",route="/products",le="0.001"} 0)");
    assertHas(R"(supplierd_request_seconds_bucket{method="GET",route="/products",le="0.0025"} 1)");
    assertHas(R"(supplierd_request_seconds_bucket{method="GET",route="/products",le="0.25"} 2)");
    assertHas(R"(supplierd_request_seconds_bucket{method="GET",route="/products",le="+Inf"} 3)");
    assertHas(R"(supplierd_request_seconds_count{method="GET",route="/products"} 3)");
}

TEST(MetricsTest, buildInfoNamesTheVersion) {
    assertHas(std::string("supplierd_build_info{"));
    assertHas("version=\"" + std::string(host::VERSION) + "\"");
    assertHas("sdk_abi=\"" + std::string(host::SDK_ABI_TEXT) + "\"");
}

TEST(MetricsTest, authenticationFailuresAreCountedByReason) {
    _metrics->authFailures("unauthorized").Increment();
    _metrics->authFailures("key_revoked").Increment();
    _metrics->authFailures("key_revoked").Increment();
    assertHas(R"(supplierd_auth_failures_total{reason="unauthorized"} 1)");
    assertHas(R"(supplierd_auth_failures_total{reason="key_revoked"} 2)");
}

TEST(MetricsTest, threadsLoseNoRequest) {
    auto& route = _metrics->route("GET", "/products");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&route] {
            for (int request = 0; request < 5'000; ++request)
                route.count(200 + request % 5, 0.001);
        });
    for (auto& thread : threads)
        thread.join();
    for (int status = 200; status < 205; ++status)
        assertHas(R"(route="/products",status=")" + std::to_string(status) + "\"} 4000");
}

TEST(MetricsTest, pluginMetricsCarryThePluginsName) {
    host::PluginMetrics plugin(_registry, "catalog");
    plugin.counter("created_total", "Products created", {{"type", "flower"}}).add(3);
    plugin.gauge("queue", "Waiting", {}).set(7);
    plugin.histogram("batch_size", "Items", {1, 10}, {}).observe(5);
    assertHas("# HELP supplierd_catalog_created_total Products created");
    assertHas(R"(supplierd_catalog_created_total{type="flower"} 3)");
    assertHas("supplierd_catalog_queue 7");
    assertHas(R"(supplierd_catalog_batch_size_bucket{le="10"} 1)");
}

TEST(MetricsTest, askingAgainGivesTheSameMetric) {
    host::PluginMetrics plugin(_registry, "catalog");
    auto& first = plugin.counter("created_total", "Products created", {{"a", "1"}, {"b", "2"}});
    auto& again = plugin.counter("created_total", "Products created", {{"b", "2"}, {"a", "1"}});
    auto& other = plugin.counter("created_total", "Products created", {{"a", "1"}, {"b", "3"}});
    CPPUNIT_ASSERT(&first == &again);
    CPPUNIT_ASSERT(&first != &other);
}

TEST(MetricsTest, hyphenOfAPluginBecomesAnUnderscore) {
    host::PluginMetrics(_registry, "api-docs").counter("pages_total", "Pages", {}).add();
    assertHas("supplierd_api_docs_pages_total 1");
}

TEST(MetricsTest, namesThatPrometheusRefusesAreRefused) {
    host::PluginMetrics plugin(_registry, "catalog");
    for (const char* name : {"", "Created", "a b", "a-b", "a\n", "\xc3\xa9", "a{}"}) {
        CPPUNIT_ASSERT_THROW_MESSAGE(name, plugin.counter(name, "", {}), std::invalid_argument);
        CPPUNIT_ASSERT_THROW_MESSAGE(name, plugin.gauge(name, "", {}), std::invalid_argument);
        CPPUNIT_ASSERT_THROW_MESSAGE(name, plugin.histogram(name, "", {1}, {}), std::invalid_argument);
    }
}

TEST(MetricsTest, labelNamesThatPrometheusRefusesAreRefused) {
    host::PluginMetrics plugin(_registry, "catalog");
    for (const char* label : {"", "1a", "a-b", "a b", "__name__", "a\"b"})
        CPPUNIT_ASSERT_THROW_MESSAGE(label, plugin.counter("created_total", "", {{label, "x"}}), std::invalid_argument);
    plugin.counter("created_total", "", {{"kind", "any \"text\"\n\xf0\x9f\x92\x90"}});
}

} // namespace supplierd::tests
