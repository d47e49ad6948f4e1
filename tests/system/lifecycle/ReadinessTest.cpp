#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <signal.h>

#include <future>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

Json checksOf(const HttpResponse& response) {
    return response.json().at("checks");
}

} // namespace

/// The operators' listener: /healthz and /readyz.
class ReadinessTest : public CppUnit::TestFixture {
protected:
    static HttpClient admin() { return fixture().server().adminClient(); }
};

TEST(ReadinessTest, healthySaysThatTheProcessLives) {
    const auto response = admin().get("/healthz");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(true, response.json().at("healthy").get<bool>());
}

TEST(ReadinessTest, readySaysThatEveryCheckPassed) {
    const auto response = admin().get("/readyz");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(true, response.json().at("ready").get<bool>());
    for (const char* check : {"database", "schema", "plugins"})
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), checksOf(response).at(check).get<std::string>());
}

TEST(ReadinessTest, otherPathsAndMethodsAreRefused) {
    requireStatus(404, admin().get("/"));
    requireStatus(404, admin().get("/metricsx"));
    requireStatus(405, admin().postEmpty("/healthz"));
    requireStatus(405, admin().request("DELETE", "/metrics"));
    requireStatus(200, admin().get("/healthz?probe=1"));
}

TEST(ReadinessTest, headIsAnsweredToo) {
    requireStatus(200, admin().request("HEAD", "/readyz"));
}

TEST(ReadinessTest, unreadBodyIsNoRequestHereEither) {
    RawConnection connection(fixture().server().adminUrl());
    const std::string hidden = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
    connection.send("POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(hidden.size()) +
                    "\r\n\r\n" + hidden);
    CPPUNIT_ASSERT(std::vector<int>{405} == statusesIn(connection.receiveAll(10s)));
    CPPUNIT_ASSERT(connection.closed());
}

TEST(ReadinessTest, apiIsNotOnTheOperatorsListener) {
    requireStatus(404, admin().get("/api/v1/supplier/test/whoami"));
    requireStatus(404, fixture().server().rootClient().get("/metrics"));
}

TEST(ReadinessTest, notReadyWhileTheDatabaseIsAway) {
    PrivateMariaDb mariaDb;
    TestDatabase database(mariaDb);
    ServerProcess server(database, probed("[auth]\nfailures_per_minute = 1000000\n"));
    const auto key = server.createKey(server.createSupplier("Rozenhof"));
    requireStatus(200, server.client(key).get("/test/whoami"));
    mariaDb.stop();

    HttpResponse unready;
    waitFor("a server that is not ready", [&] {
        unready = server.adminClient().get("/readyz");
        return unready.status == 503;
    });
    CPPUNIT_ASSERT_EQUAL(false, unready.json().at("ready").get<bool>());
    CPPUNIT_ASSERT(checksOf(unready).at("database").get<std::string>() != "ok");
    requireStatus(200, server.adminClient().get("/healthz"));
    requireStatus(200, server.adminClient().get("/metrics"));
    const auto refused = server.client(key).get("/test/hold?ms=0");
    requireError(503, "SERVICE_UNAVAILABLE", refused);
    CPPUNIT_ASSERT(std::stoi(refused.header("Retry-After")) >= 1);

    mariaDb.start();
    server.waitUntilReady();
    requireStatus(200, server.client(key).get("/test/hold?ms=0"));
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(ReadinessTest, notReadyWhileTheDatabaseSaysNothing) {
    PrivateMariaDb mariaDb;
    TestDatabase database(mariaDb);
    // A response that waits for the database's own time-outs would not come before this client gives up.
    ServerProcess server(database, probed("[database]\nconnect_timeout = \"1m\"\nread_timeout = \"10m\"\n"
                                          "write_timeout = \"10m\"\n"));
    mariaDb.pause();
    std::vector<std::future<HttpResponse>> responses;
    for (int i = 0; i < 3; ++i)
        responses.push_back(std::async(std::launch::async, [&] { return server.adminClient().get("/readyz"); }));
    for (auto& response : responses) {
        const auto unready = response.get();
        requireStatus(503, unready);
        CPPUNIT_ASSERT(checksOf(unready).at("database").get<std::string>() != "ok");
    }
    requireStatus(200, server.adminClient().get("/healthz"));
    requireStatus(503, server.adminClient().get("/readyz"));

    mariaDb.resume();
    server.waitUntilReady();
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

TEST(ReadinessTest, notReadyWhileTheSchemaIsBehind) {
    TestDatabase database;
    ServerProcess server(database, probed());
    database.exec("DELETE FROM schema_migrations WHERE component = 'core' AND number = 1");
    HttpResponse unready;
    waitFor("a server that is not ready", [&] {
        unready = server.adminClient().get("/readyz");
        return unready.status == 503;
    });
    const auto reason = checksOf(unready).at("schema").get<std::string>();
    CPPUNIT_ASSERT_MESSAGE(reason, reason.find("supplierctl migrate") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("ok"), checksOf(unready).at("database").get<std::string>());
}

TEST(ReadinessTest, notReadyWhileDraining) {
    TestDatabase database;
    ServerProcess server(database, probed());
    const auto key = server.createKey(server.createSupplier("Rozenhof"));
    auto slow = std::async(std::launch::async, [&] { return server.client(key).get("/test/sleep?ms=4000"); });
    waitUntilSleeping(server);
    server.process().signal(SIGTERM);
    HttpResponse unready;
    waitFor("a server that is not ready", [&] {
        unready = server.adminClient().get("/readyz");
        return unready.status == 503;
    });
    CPPUNIT_ASSERT(checksOf(unready).at("plugins").get<std::string>() != "ok");
    requireStatus(200, server.adminClient().get("/healthz"));
    requireStatus(200, slow.get());
    CPPUNIT_ASSERT(server.process().waitFor(60s) == 0);
}

TEST(ReadinessTest, answersBeforeTheDatabaseDoes) {
    PrivateMariaDb mariaDb;
    TestDatabase database(mariaDb);
    const auto port = std::to_string(findFreePort());
    ServerProcess server(ServerProcess::NotStarted{}, database,
                         probed("[server]\nadmin_listen = \"127.0.0.1:" + port + "\"\n"));
    server.migrate();
    mariaDb.stop();
    server.launch();
    HttpClient client("http://127.0.0.1:" + port);
    waitFor("the operators' listener", [&] {
        try {
            return client.get("/healthz").status == 200;
        } catch (const std::exception&) {
            return false;
        }
    });
    requireStatus(503, client.get("/readyz"));
    mariaDb.start();
    server.waitUntilReady();
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

} // namespace supplierd::tests
