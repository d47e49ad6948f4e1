#include "tests/support/LoopbackOrigin.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// A plugin in a real server that calls another one.
class OutgoingHttpTest : public CppUnit::TestFixture {
protected:
    static std::string urlOf(const LoopbackOrigin& origin) {
        return "http://127.0.0.1:" + std::to_string(origin.port()) + "/hook";
    }

    static ServerOptions options(const LoopbackOrigin& origin) {
        ServerOptions result;
        result.plugins = {};
        result.pluginFiles = {SUPPLIERD_TEST_CALLER_PLUGIN};
        result.configuration = "[plugins.test-caller]\nallow_networks = [\"127.0.0.0/8\"]\nallow_ports = [" +
                               std::to_string(origin.port()) + "]\n";
        return result;
    }

    static HttpClient rootClient(const ServerProcess& server) {
        return HttpClient(server.url().substr(0, server.url().find("/api/")));
    }
};

TEST(OutgoingHttpTest, pluginCallsWhereItsOwnRulesAllow) {
    LoopbackOrigin origin(
        [](OriginConnection& connection) { connection.answer("202 Accepted", "got " + connection.read(5)); });
    TestDatabase database;
    ServerProcess server(database, options(origin));
    const json data = rootClient(server).post("/call", {{"url", urlOf(origin)}, {"text", "hello"}}).data();
    CPPUNIT_ASSERT_EQUAL(json(202), data["status"]);
    CPPUNIT_ASSERT_EQUAL(json("got hello"), data["body"]);
    CPPUNIT_ASSERT(origin.requests().at(0).starts_with("POST /hook HTTP/1.1\r\n"));
    CPPUNIT_ASSERT(origin.requests().at(0).find("\r\nContent-Type: text/plain\r\n") != std::string::npos);
}

TEST(OutgoingHttpTest, defaultRulesAllowNoInnerAddress) {
    LoopbackOrigin origin([](OriginConnection& connection) { connection.answer("200 OK", "inner"); });
    TestDatabase database;
    ServerProcess server(database, options(origin));
    for (const std::string& url : {urlOf(origin), std::string("http://localhost/"), std::string("http://10.0.0.1/")}) {
        const json data = rootClient(server).post("/call-anybody", {{"url", url}, {"text", "hello"}}).data();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(url, json(true), data["refused"]);
    }
    CPPUNIT_ASSERT_EQUAL(0u, origin.connections());
}

} // namespace supplierd::tests
