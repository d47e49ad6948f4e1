#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Whatever goes wrong in a handler or behind it, the client gets an envelope and the server goes on.
class ContainmentTest : public CppUnit::TestFixture {
public:
    void setUp() override { _key = newKey(); }

protected:
    HttpClient client() const { return fixture().server().client(_key); }

    void assertInternal(const std::string& what, const std::string& inTheLog) {
        const auto response = client().get("/test/throw?what=" + what);
        const auto error = requireError(500, "SERVER_ERROR", response);
        CPPUNIT_ASSERT_EQUAL(std::string("Internal error"), error.at("message").get<std::string>());
        CPPUNIT_ASSERT(!error.contains("details"));
        const auto line = logLine(fixture().server(), response.header("X-Request-Id"));
        requireNamed(line, inTheLog);
        requireStatus(200, client().get("/test/whoami"));
    }

    /// The plugin and the route are in the line, and no mangled name.
    static void requireNamed(const std::string& text, const std::string& reason) {
        CPPUNIT_ASSERT_MESSAGE(text, text.find(reason) != std::string::npos);
        const auto line = Json::parse(text);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::string("probe"), line.value("plugin", ""));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::string("GET /api/v1/supplier/test/throw"), line.value("route", ""));
        if (line.contains("exception"))
            CPPUNIT_ASSERT_MESSAGE(text, line.at("exception").get<std::string>().find("::") != std::string::npos);
    }

    std::string _key;
};

TEST(ContainmentTest, standardExceptionIsAnInternalError) {
    assertInternal("std", "a standard exception");
}

TEST(ContainmentTest, pocoExceptionIsAnInternalError) {
    assertInternal("poco", "a Poco exception");
}

TEST(ContainmentTest, exceptionThatIsNoneIsAnInternalError) {
    assertInternal("int", "no std::exception");
}

TEST(ContainmentTest, failedStatementIsAnInternalError) {
    assertInternal("database", "no_such_table");
}

TEST(ContainmentTest, textOfAnInternalErrorStaysInTheLog) {
    assertInternal("internal", "tulip-secret");
}

TEST(ContainmentTest, unavailableTellsWhenToTryAgain) {
    const auto response = client().get("/test/throw?what=unavailable");
    requireError(503, "SERVICE_UNAVAILABLE", response);
    CPPUNIT_ASSERT(std::stoi(response.header("Retry-After")) >= 1);
}

TEST(ContainmentTest, impossibleStatusOfAHandlerIsAnInternalError) {
    assertInternal("status", "42");
}

TEST(ContainmentTest, errorStatusThatAHandlerReturnsIsAnInternalError) {
    assertInternal("error-status", "404");
}

TEST(ContainmentTest, handlerCannotSplitTheResponse) {
    const auto response = client().get("/test/throw?what=header");
    requireError(500, "SERVER_ERROR", response);
    CPPUNIT_ASSERT(!response.hasHeader("X-Injected"));
}

TEST(ContainmentTest, whatIsNoJsonIsAnInternalErrorWhereEveryAnswerIsChecked) {
    TestDatabase database;
    ServerProcess server(database, probed("[server]\ncheck_responses = 1\n"));
    auto client = server.client(server.createKey(server.createSupplier("Rozenhof")));
    for (const char* what : {"json", "open-json"}) {
        const auto response = client.get(std::string("/test/throw?what=") + what);
        requireError(500, "SERVER_ERROR", response);
        requireNamed(logLine(server, response.header("X-Request-Id")), "the handler returned what is no JSON");
    }
    requireStatus(200, client.get("/test/whoami"));
}

TEST(ContainmentTest, crashIsWrittenDownWithItsPluginAndRoute) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    throw Skip("a sanitizer reports crashes itself");
#endif
    for (const char* what : {"null", "recursion"}) {
        TestDatabase database;
        ServerProcess server(database, probed());
        auto client = server.client(server.createKey(server.createSupplier("Rozenhof")));
        CPPUNIT_ASSERT_THROW(client.get(std::string("/test/throw?what=") + what), std::exception);
        CPPUNIT_ASSERT_EQUAL(128 + SIGSEGV, server.process().waitFor(std::chrono::seconds(60)).value_or(-1));
        const auto line = Json::parse(logLine(server, "the process crashes"));
        CPPUNIT_ASSERT_EQUAL(std::string("SEGV"), line.at("signal").get<std::string>());
        CPPUNIT_ASSERT_EQUAL(std::string("probe"), line.at("plugin").get<std::string>());
        CPPUNIT_ASSERT_EQUAL(std::string("GET /api/v1/supplier/test/throw"), line.at("work").get<std::string>());
        const auto calls = line.at("calls").dump();
        CPPUNIT_ASSERT_MESSAGE(calls, calls.find("probe.so+0x") != std::string::npos);
    }
}

TEST(ContainmentTest, exhaustedPoolIsUnavailableWithRetryAfter) {
    TestDatabase database;
    ServerProcess server(database, probed("[database]\npool_size = 1\npool_wait = \"100ms\"\n"));
    const auto key = server.createKey(server.createSupplier("Rozenhof"));
    const auto hold = [&](const std::string& milliseconds) { // the server's own work needs the session now and then
        waitFor("a session", [&] { return server.client(key).get("/test/hold?ms=" + milliseconds).status == 200; });
    };
    std::thread holder([&] { hold("4000"); });
    HttpResponse response;
    waitFor("a 503", [&] {
        response = server.client(key).get("/test/hold?ms=0");
        return response.status == 503;
    });
    holder.join();
    requireError(503, "SERVICE_UNAVAILABLE", response);
    CPPUNIT_ASSERT(std::stoi(response.header("Retry-After")) >= 1);
    hold("0");
}

TEST(ContainmentTest, connectionGoesOnAfterAnInternalError) {
    auto one = client();
    for (int i = 0; i < 5; ++i) {
        requireStatus(500, one.get("/test/throw?what=std"));
        requireStatus(200, one.get("/test/whoami"));
    }
}

} // namespace supplierd::tests
