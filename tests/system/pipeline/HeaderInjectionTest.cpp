#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"

#include <Poco/String.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// What has broken out of a header value somewhere before. None may come back in a head.
const std::vector<std::string> HOSTILE = {
    "a%0d%0aX-Injected:%20b",
    "a%0aX-Injected:%20b",
    "a\\r\\nX-Injected: b",
    "a\rX-Injected: b",
    "a\nX-Injected: b",
    "a\tX-Injected: b",
    "=?utf-8?Q?a=0D=0AX-Injected:=20b?=",
    "=?utf-8?B?DQpYLUluamVjdGVkOiBi?=",
    "a\xe5\x98\x8a\xe5\x98\x8dX-Injected: b",
    "a\xc4\x8d\xc4\x8aX-Injected: b",
    "\"X-Injected\"",
    "<script>X-Injected</script>",
};

} // namespace

/// Values of requests that responses repeat, or could repeat: no byte of them is in a response's head, but a valid
/// X-Request-Id.
class HeaderInjectionTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        if (!_server)
            _server = std::make_unique<ServerProcess>(
                _database, probed("[server]\ncors_origins = [\"https://shop.example\"]\ncompression = true\n"));
        if (_key.empty())
            _key = _server->createKey(_server->createSupplier("Rozenhof"), {{"hourly_limit", "1000000"}});
    }

protected:
    void requireClean(const std::string& begin, const std::string& lines, const std::string& body = {}) {
        RawConnection connection(_server->url());
        const bool hasHost = lines.starts_with("Host:");
        connection.send(begin + " HTTP/1.1\r\n" + (hasHost ? "" : "Host: h\r\n") + "Authorization: Bearer " + _key +
                        "\r\nConnection: close\r\n" + lines + "\r\n" + body);
        const auto received = connection.receiveAll(5s);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(begin + " " + lines + received, std::size_t{1}, statusesIn(received).size());
        const auto head = Poco::toLower(received.substr(0, received.find("\r\n\r\n")));
        CPPUNIT_ASSERT_MESSAGE(begin + " " + lines + received, head.find("injected") == std::string::npos);
        for (const char c : head)
            CPPUNIT_ASSERT_MESSAGE(begin + " " + lines + received, c == '\r' || c == '\n' || (c >= 0x20 && c < 0x7f));
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(HeaderInjectionTest, fieldsDoNotComeBack) {
    for (const auto* field : {"X-Request-Id", "Origin", "Host", "Cookie", "Idempotency-Key", "If-None-Match",
                              "If-Match", "Accept-Encoding", "Range", "Content-Type", "X-Forwarded-For", "Forwarded",
                              "Expect", "Connection", "Access-Control-Request-Method", "User-Agent"})
        for (const auto& value : HOSTILE) {
            const auto line = std::string(field) + ": " + value + "\r\n";
            requireClean("GET /api/v1/supplier/test/whoami", line);
            requireClean("OPTIONS /api/v1/supplier/test/whoami",
                         "Origin: https://shop.example\r\nAccess-Control-Request-Method: POST\r\n" + line);
        }
}

TEST(HeaderInjectionTest, pathsAndMethodsDoNotComeBack) {
    for (const auto& value : HOSTILE) {
        requireClean("GET /api/v1/supplier/" + value, "");
        requireClean("GET /api/v1/supplier/test/texts/" + value, "");
        requireClean("GET /api/v1/supplier/test/whoami?q=" + value, "");
        requireClean("GET http://" + value + "/test/whoami", "");
        requireClean(value + " /api/v1/supplier/test/whoami", "");
        requireClean("GET /media/" + value, "");
    }
}

// Location and the rest of a create's head are of the server's own making.
TEST(HeaderInjectionTest, bodiesDoNotComeBack) {
    for (const auto& value : HOSTILE) {
        const auto body = Json{{"name", value}}.dump();
        requireClean("POST /api/v1/supplier/test/run",
                     "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n", body);
    }
}

} // namespace supplierd::tests
