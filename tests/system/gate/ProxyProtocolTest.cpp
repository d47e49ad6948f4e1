#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/TCPServer.h>
#include <Poco/Net/TCPServerConnectionFactory.h>
#include <Poco/URI.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace supplierd::tests {

using namespace std::string_literals;

namespace {

using Poco::Net::Socket;
using Poco::Net::StreamSocket;

/// Stands before a server and says of every connection what it is told to say first.
class AnnouncingProxy {
public:
    AnnouncingProxy(const std::string& url, std::string header)
        : _header(std::move(header)),
          _target(Poco::URI(url).getHost(), Poco::URI(url).getPort()),
          _server(new Factory(*this), Poco::Net::ServerSocket(Poco::Net::SocketAddress(ADDRESS, 0))) {
        _server.start();
    }
    ~AnnouncingProxy() { _server.stop(); }
    AnnouncingProxy(const AnnouncingProxy&) = delete;
    AnnouncingProxy& operator=(const AnnouncingProxy&) = delete;

    std::string authority() const { return ADDRESS + ":"s + std::to_string(_server.port()); }

    /// Its own, so that no client of another test, which looks for a server that has ended, is counted here.
    static constexpr const char* ADDRESS = "127.0.0.2";

private:
    class Connection final : public Poco::Net::TCPServerConnection {
    public:
        Connection(const StreamSocket& client, const AnnouncingProxy& proxy)
            : TCPServerConnection(client), _proxy(proxy) {}

        void run() override {
            try {
                StreamSocket server(_proxy._target);
                server.sendBytes(_proxy._header.data(), static_cast<int>(_proxy._header.size()));
                while (pass(server, socket()) && pass(socket(), server)) {
                }
            } catch (const Poco::IOException&) { // one of them is gone
            }
        }

    private:
        static bool pass(StreamSocket& from, StreamSocket& to) {
            std::array<char, 16'384> buffer{};
            if (!from.poll(Poco::Timespan(5'000), Socket::SELECT_READ))
                return true;
            const int got = from.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
            for (int sent = 0; sent < got;)
                sent += to.sendBytes(buffer.data() + sent, got - sent);
            return got > 0;
        }

        const AnnouncingProxy& _proxy;
    };

    class Factory final : public Poco::Net::TCPServerConnectionFactory {
    public:
        explicit Factory(const AnnouncingProxy& proxy) : _proxy(proxy) {}
        Poco::Net::TCPServerConnection* createConnection(const StreamSocket& client) override {
            return new Connection(client, _proxy); // Poco takes ownership
        }

    private:
        const AnnouncingProxy& _proxy;
    };

    const std::string _header;
    const Poco::Net::SocketAddress _target;
    Poco::Net::TCPServer _server;
};

const std::string LINE = "PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n";
const std::string BINARY = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71\x09\x0a\0\0\x01\xdc\x04\x01\xbb"s;
/// Says that the client speaks TLS with the proxy.
const std::string BINARY_OF_TLS =
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x14\xcb\0\x71\x09\x0a\0\0\x01\xdc\x04\x01\xbb\x20\0\x05\x01\0\0\0\0"s;

} // namespace

/// A server behind a proxy that speaks the PROXY protocol.
class ProxyProtocolTest : public CppUnit::TestFixture {
protected:
    /// `more`: of [server], then other tables.
    void start(const std::string& more) {
        _server = std::make_unique<ServerProcess>(
            _database,
            probed("[server]\ntrusted_proxies = [\"127.0.0.1\", \"10.0.0.0/8\"]\nproxy_protocol = true\n" + more));
    }
    static HttpResponse ask(const AnnouncingProxy& proxy, const HttpHeaders& headers = {}) {
        return HttpClient("http://" + proxy.authority() + "/api/v1/supplier").get("/test/whoami", headers);
    }
    std::string clientIn(const HttpResponse& response) const {
        return accessLine(*_server, response.header("X-Request-Id")).at("client").get<std::string>();
    }
    double failures(const std::string& reason) const {
        return _server->metric("supplierd_proxy_header_failures_total{reason=\"" + reason + "\"}");
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
};

TEST(ProxyProtocolTest, clientThatIsNamedCountsEverywhere) {
    start("hsts = \"1d\"\n[auth]\nfailures_per_minute = 2\n");
    for (const auto& header : {LINE, BINARY}) {
        const AnnouncingProxy proxy(_server->url(), header);
        const auto response = ask(proxy, {{"X-Forwarded-For", "198.51.100.1"}});
        requireStatus(401, response);
        CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, clientIn(response));
        CPPUNIT_ASSERT(!response.hasHeader("Strict-Transport-Security"));
    }
    requireStatus(429, ask(AnnouncingProxy(_server->url(), LINE)));
    const AnnouncingProxy other(_server->url(), "PROXY TCP4 203.0.113.10 10.0.0.1 1 2\r\n");
    requireStatus(401, ask(other));
    const auto secure = ask(AnnouncingProxy(_server->url(), BINARY_OF_TLS));
    CPPUNIT_ASSERT_EQUAL("max-age=86400"s, secure.header("Strict-Transport-Security"));
}

// X-Forwarded-For is judged as if the one who is named had connected.
TEST(ProxyProtocolTest, namedClientThatIsAProxyItselfIsBelieved) {
    start("");
    const HttpHeaders forwarded = {{"X-Forwarded-For", "198.51.100.1"}};
    const AnnouncingProxy inner(_server->url(), "PROXY TCP4 10.1.2.3 10.0.0.1 1 2\r\n");
    CPPUNIT_ASSERT_EQUAL("198.51.100.1"s, clientIn(ask(inner, forwarded)));
    const AnnouncingProxy local(_server->url(), "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s);
    CPPUNIT_ASSERT_EQUAL("198.51.100.1"s, clientIn(ask(local, forwarded)));
    CPPUNIT_ASSERT_EQUAL("127.0.0.1"s, clientIn(ask(local)));
}

TEST(ProxyProtocolTest, tlsComesBehindTheHeader) {
    TestAuthority authority;
    const auto certificate = authority.issue("server", "IP:127.0.0.1,IP:127.0.0.2");
    start("tls_certificate = \"" + certificate.chain.string() + "\"\ntls_key = \"" + certificate.key.string() + "\"\n");
    for (const auto& header : {LINE, BINARY}) {
        const AnnouncingProxy proxy(_server->url(), header);
        const auto result = runCommand({.arguments = {"/usr/bin/curl", "-sS", "--cacert", authority.certificate(), "-H",
                                                      "X-Request-Id: tls-" + std::to_string(header.size()),
                                                      "https://" + proxy.authority() + "/api/v1/supplier/me"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
        const auto line = accessLine(*_server, "tls-" + std::to_string(header.size()));
        CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, line.at("client").get<std::string>());
    }
    const auto result = runCommand(
        {.arguments = {"/usr/bin/curl", "-sS", "--cacert", authority.certificate(), _server->url() + "/me"}});
    CPPUNIT_ASSERT(result.exitCode != 0);
    CPPUNIT_ASSERT_EQUAL(1.0, failures("missing"));
    CPPUNIT_ASSERT_EQUAL(0.0, _server->metric("supplierd_tls_handshakes_total{outcome=\"abandoned\"}"));
}

TEST(ProxyProtocolTest, connectionsWithoutAHeaderAreCountedAndLogged) {
    start("");
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT_THROW(_server->client().get("/me"), std::exception);
    CPPUNIT_ASSERT_EQUAL(3.0, failures("missing"));
    // Not by Poco's client, which connects once more when the server was quicker to close than it was to write.
    RawConnection broken(_server->url());
    broken.send("PROXY TCP4 no\r\nGET /api/v1/supplier/me HTTP/1.1\r\nHost: a\r\n\r\n");
    CPPUNIT_ASSERT_EQUAL(""s, broken.receiveAll(std::chrono::seconds(10)));
    CPPUNIT_ASSERT(broken.closed());
    CPPUNIT_ASSERT_EQUAL(1.0, failures("broken"));
    const auto line = Json::parse(logLine(*_server, "did not begin with a whole PROXY header"));
    CPPUNIT_ASSERT_EQUAL("127.0.0.1"s, line.at("proxy").get<std::string>());
    CPPUNIT_ASSERT_EQUAL("missing"s, line.at("reason").get<std::string>());
    const auto log = _server->log();
    const auto first = log.find("did not begin with");
    CPPUNIT_ASSERT_EQUAL(std::string::npos, log.find("did not begin with", first + 1));
}

} // namespace supplierd::tests
