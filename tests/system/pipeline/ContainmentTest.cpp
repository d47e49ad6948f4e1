#include "tests/support/Responses.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Whatever goes wrong in a handler or behind it, the client gets an envelope and the server goes on.
class ContainmentTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ContainmentTest);
    CPPUNIT_TEST(testStandardExceptionIsAnInternalError);
    CPPUNIT_TEST(testPocoExceptionIsAnInternalError);
    CPPUNIT_TEST(testExceptionThatIsNoneIsAnInternalError);
    CPPUNIT_TEST(testFailedStatementIsAnInternalError);
    CPPUNIT_TEST(testTextOfAnInternalErrorStaysInTheLog);
    CPPUNIT_TEST(testUnavailableTellsWhenToTryAgain);
    CPPUNIT_TEST(testImpossibleStatusOfAHandlerIsAnInternalError);
    CPPUNIT_TEST(testErrorStatusThatAHandlerReturnsIsAnInternalError);
    CPPUNIT_TEST(testHandlerCannotSplitTheResponse);
    CPPUNIT_TEST(testExhaustedPoolIsUnavailableWithRetryAfter);
    CPPUNIT_TEST(testConnectionGoesOnAfterAnInternalError);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _key = newKey(); }

    void testStandardExceptionIsAnInternalError() { assertInternal("std", "a standard exception"); }
    void testPocoExceptionIsAnInternalError() { assertInternal("poco", "a Poco exception"); }
    void testExceptionThatIsNoneIsAnInternalError() { assertInternal("int", "no std::exception"); }
    void testFailedStatementIsAnInternalError() { assertInternal("database", "no_such_table"); }
    void testTextOfAnInternalErrorStaysInTheLog() { assertInternal("internal", "tulip-secret"); }

    void testUnavailableTellsWhenToTryAgain() {
        const auto response = client().get("/test/throw?what=unavailable");
        requireError(503, "SERVICE_UNAVAILABLE", response);
        CPPUNIT_ASSERT(std::stoi(response.header("Retry-After")) >= 1);
    }

    void testImpossibleStatusOfAHandlerIsAnInternalError() { assertInternal("status", "42"); }
    void testErrorStatusThatAHandlerReturnsIsAnInternalError() { assertInternal("error-status", "404"); }

    void testHandlerCannotSplitTheResponse() {
        const auto response = client().get("/test/throw?what=header");
        requireError(500, "SERVER_ERROR", response);
        CPPUNIT_ASSERT(!response.hasHeader("X-Injected"));
    }

    void testExhaustedPoolIsUnavailableWithRetryAfter() {
        TestDatabase database;
        ServerProcess server(database, probed("[database]\npool_size = 1\npool_wait = \"100ms\"\n"
                                              "[auth]\ncache_ttl = \"2s\"\n"));
        const auto key = server.createKey(server.createSupplier("Rozenhof"));
        requireStatus(200, server.client(key).get("/test/whoami"));
        std::thread holder([&] { server.client(key).get("/test/hold?ms=4000"); });
        HttpResponse response;
        waitFor("a 503", [&] {
            response = server.client(key).get("/test/hold?ms=0");
            return response.status == 503;
        });
        holder.join();
        requireError(503, "SERVICE_UNAVAILABLE", response);
        CPPUNIT_ASSERT(std::stoi(response.header("Retry-After")) >= 1);
        requireStatus(200, server.client(key).get("/test/hold?ms=0"));
    }

    void testConnectionGoesOnAfterAnInternalError() {
        auto one = client();
        for (int i = 0; i < 5; ++i) {
            requireStatus(500, one.get("/test/throw?what=std"));
            requireStatus(200, one.get("/test/whoami"));
        }
    }

private:
    HttpClient client() const { return fixture().server().client(_key); }

    void assertInternal(const std::string& what, const std::string& inTheLog) {
        const auto response = client().get("/test/throw?what=" + what);
        const auto error = requireError(500, "SERVER_ERROR", response);
        CPPUNIT_ASSERT_EQUAL(std::string("Internal error"), error.at("message").get<std::string>());
        CPPUNIT_ASSERT(!error.contains("details"));
        const auto line = logLine(fixture().server(), response.header("X-Request-Id"));
        CPPUNIT_ASSERT_MESSAGE(line, line.find(inTheLog) != std::string::npos);
        requireStatus(200, client().get("/test/whoami"));
    }

    std::string _key;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ContainmentTest);

} // namespace supplierd::tests
