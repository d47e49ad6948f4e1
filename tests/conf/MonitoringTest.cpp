#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/Places.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <chrono>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

const std::filesystem::path SOURCES = sourcePath();
const std::filesystem::path RULES = SOURCES / "conf/prometheus/supplierd.rules.yml";
const std::filesystem::path DASHBOARD = SOURCES / "conf/grafana/supplierd.json";

std::set<std::string> metricsIn(const std::string& text) {
    static const std::regex NAME("supplierd_[a-z_]+[a-z]");
    std::set<std::string> names;
    for (std::sregex_iterator found(text.begin(), text.end(), NAME), end; found != end; ++found)
        names.insert(found->str());
    return names;
}

void collectExpressions(const Json& part, std::vector<std::string>& expressions) {
    if (part.is_object() && part.contains("expr"))
        expressions.push_back(part.at("expr"));
    if (part.is_structured())
        for (const auto& child : part)
            collectExpressions(child, expressions);
}

/// Of all panels of the dashboard.
std::vector<std::string> expressions() {
    std::vector<std::string> found;
    collectExpressions(Json::parse(readWholeFile(DASHBOARD)), found);
    return found;
}

/// Fails the test when promtool finds something.
void promtool(std::vector<std::string> arguments, const std::filesystem::path& folder) {
    arguments.insert(arguments.begin(), "promtool");
    const auto result = runCommand({.arguments = arguments, .workingDirectory = folder});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
}

} // namespace

/// The dashboard and the alerts of conf/ against promtool and a running server.
class MonitoringTest : public CppUnit::TestFixture {
protected:
    TemporaryDirectory _folder;

    static ServerFixture& server() {
        static const TemporaryDirectory media("media");
        static ServerFixture shared({.plugins = {"categories", "catalog", "media", "webhooks"},
                                     .configuration = "[plugins.media]\nroot = \"" + (media / "files").string() +
                                                      "\"\n[redis]\nsocket = \"" + (media / "none.sock").string() +
                                                      "\"\n"});
        return shared;
    }

    /// The metrics of a server to which what can happen has happened.
    static const std::string& scraped() {
        static const std::string text = [] {
            SupplierClient supplier({}, server());
            supplier.list();
            CPPUNIT_ASSERT_EQUAL(401, server().server().client("sk_unknown").get("/products").status);
            auto client = server().server().rootClient();
            client.sendRaw("GET /bad path HTTP/1.1\r\nHost: x\r\n\r\n");
            CPPUNIT_ASSERT_EQUAL(400, client.readResponse().status);
            server().server().rootClient().get("/media/00/00/00000000000000000000000000000000.jpg");
            const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
            for (;;) { // until the first job has run
                auto metrics = server().server().adminClient().get("/metrics").body;
                if (metrics.find("supplierd_job_runs_total") != std::string::npos)
                    return metrics;
                CPPUNIT_ASSERT_MESSAGE(metrics, std::chrono::steady_clock::now() < end);
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        }();
        return text;
    }
};

TEST(MonitoringTest, alertRulesAreGood) {
    promtool({"check", "rules", "--lint=all", "--lint-fatal", RULES.string()}, _folder.path());
}

TEST(MonitoringTest, alertsFireOnWhatTheyAreAboutAlone) {
    std::filesystem::copy_file(RULES, _folder / "supplierd.rules.yml");
    std::filesystem::copy_file(SOURCES / "tests/conf/alerts.yml", _folder / "alerts.yml");
    promtool({"test", "rules", "alerts.yml"}, _folder.path());
}

/// As recording rules, with values in the place of Grafana's variables.
TEST(MonitoringTest, expressionsOfTheDashboardAreGood) {
    auto rules = Json::array();
    for (const auto& expression : expressions())
        rules.push_back({{"record", "panel:" + std::to_string(rules.size())},
                         {"expr", std::regex_replace(expression, std::regex("\\$__rate_interval"), "5m")}});
    CPPUNIT_ASSERT(rules.size() > 20);
    const Json groups = {{"groups", {{{"name", "panels"}, {"rules", rules}}}}};
    writeWholeFile(_folder / "panels.yml", groups.dump()); // JSON is YAML
    promtool({"check", "rules", "panels.yml"}, _folder.path());
}

TEST(MonitoringTest, everyMetricThatTheyNameIsThere) {
    const auto there = metricsIn(scraped());
    std::string named = readWholeFile(RULES);
    for (const auto& expression : expressions())
        named += expression + "\n";
    for (const auto& name : metricsIn(named))
        if (!name.starts_with("supplierd_database_node")) // of several database servers: tests/system/cluster
            CPPUNIT_ASSERT_MESSAGE(name, there.contains(name));
}

TEST(MonitoringTest, metricsAreGood) {
    writeWholeFile(_folder / "metrics", scraped());
    const auto result =
        runCommand({.arguments = {"sh", "-c", "promtool check metrics <metrics"}, .workingDirectory = _folder.path()});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
}

} // namespace supplierd::tests
