#include "tests/host/gate/GateServer.h"
#include "tests/support/Test.h"

#include <chrono>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

const std::string LINE = "PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n";
/// The same in version 2, with a value of no meaning (NOOP) behind the addresses.
const std::string BINARY = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x10\xcb\0\x71\x09\x0a\0\0\x01\xdc\x04\x01\xbb\x04\0\x01x"s;
const std::string LOCAL = "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s;

const std::string REQUEST = "GET /client HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

host::GateSettings trusting(const char* proxies) {
    auto settings = oneWorker();
    settings.trustedProxies = {host::AddressRange::parse(proxies).value()};
    settings.proxyProtocol = true;
    return settings;
}

std::string respond(const GateServer& server, const std::string& header, const std::string& request = REQUEST) {
    auto connection = server.connect();
    connection.send(header + request);
    return connection.receiveAll(30s);
}

std::string clientOf(const GateServer& server, const std::string& header) {
    return bodyOf(respond(server, header));
}

} // namespace

/// The PROXY protocol: who may say for whom he speaks, and what becomes of those who do not.
class GateProxyTest : public CppUnit::TestFixture {};

TEST(GateProxyTest, headerOfEitherVersionNamesTheClient) {
    GateServer server(trusting("127.0.0.1"));
    for (const auto& header : {LINE, BINARY})
        CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, clientOf(server, header));
    CPPUNIT_ASSERT_EQUAL("2001:db8::9"s, clientOf(server, "PROXY TCP6 2001:db8::9 ::1 1 2\r\n"));
    CPPUNIT_ASSERT_EQUAL(""s, server.proxyFailures());
}

TEST(GateProxyTest, headerSplitAtEveryByteNamesTheClient) {
    GateServer server(trusting("127.0.0.0/8"));
    for (const auto& header : {LINE, BINARY}) {
        const auto bytes = header + REQUEST;
        for (std::size_t split = 1; split <= header.size() + 4; ++split) {
            auto connection = server.connect();
            connection.send(bytes.substr(0, split));
            if (split % 8 == 0) // the first piece is seen alone
                waitFor("the gate", [&] { return server.gate().open() > 0; });
            connection.send(bytes.substr(split));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(std::to_string(split), "203.0.113.9"s, bodyOf(connection.receiveAll(30s)));
        }
        auto connection = server.connect();
        for (const char byte : bytes)
            connection.send({&byte, 1});
        CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, bodyOf(connection.receiveAll(30s)));
    }
    CPPUNIT_ASSERT_EQUAL(""s, server.proxyFailures());
}

TEST(GateProxyTest, headerCountsForEveryRequestOfItsConnection) {
    GateServer server(trusting("127.0.0.1"));
    auto connection = server.connect();
    connection.send(BINARY);
    for (int i = 0; i < 3; ++i) {
        connection.send("GET /client HTTP/1.1\r\nHost: a\r\n\r\n");
        CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, bodyOf(connection.receiveUntil("203.0.113.9")));
    }
}

TEST(GateProxyTest, proxyThatSpeaksForItselfIsTheClient) {
    GateServer server(trusting("127.0.0.1"));
    for (const auto& header : {LOCAL, "PROXY UNKNOWN\r\n"s})
        CPPUNIT_ASSERT_EQUAL("127.0.0.1"s, clientOf(server, header));
}

TEST(GateProxyTest, connectionsWithoutAWholeHeaderAreClosedWithoutAWord) {
    GateServer server(trusting("127.0.0.1"));
    for (const auto& bytes : {""s, "PROXY TCP4 203.0.113.9 10.0.0.1 56324\r\n"s, "PROXY "s + std::string(200, 'x'),
                              "\r\n\r\n\0\r\nQUIT\n\x21\x11\x10\x01"s, "PROXY TCP4 203.0.113.9\n"s})
        CPPUNIT_ASSERT_EQUAL(""s, respond(server, bytes));
    auto gone = server.connect();
    gone.send(BINARY.substr(0, 20));
    gone.finishSending();
    CPPUNIT_ASSERT_EQUAL(""s, gone.receiveAll(30s));
    CPPUNIT_ASSERT(gone.closed());
    CPPUNIT_ASSERT_EQUAL("missing broken broken broken broken cut_off "s, server.proxyFailures());
    CPPUNIT_ASSERT_EQUAL(0, server.refused());
}

TEST(GateProxyTest, headerThatDoesNotComeInTimeClosesTheConnection) {
    auto settings = trusting("127.0.0.1");
    settings.headTimeout = 200ms;
    GateServer server(settings);
    auto connection = server.connect();
    connection.send(LINE.substr(0, 20));
    CPPUNIT_ASSERT_EQUAL(""s, connection.receiveAll(30s));
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT_EQUAL("late "s, server.proxyFailures());
}

TEST(GateProxyTest, proxyThatOnlyLooksWhetherSomebodyListensIsNoFailure) {
    GateServer server(trusting("127.0.0.1"));
    {
        auto connection = server.connect();
        connection.finishSending();
        CPPUNIT_ASSERT_EQUAL(""s, connection.receiveAll(30s));
    }
    CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, clientOf(server, LINE));
    CPPUNIT_ASSERT_EQUAL(""s, server.proxyFailures());
}

TEST(GateProxyTest, proxyThatBreaksOffIsForgottenAtOnce) {
    GateServer server(trusting("127.0.0.1"));
    auto connection = server.connect();
    waitFor("the connection", [&] { return server.gate().open() == 1; });
    connection.breakOff();
    waitFor("its end", [&] { return server.gate().open() == 0; });
    CPPUNIT_ASSERT_EQUAL(""s, server.proxyFailures());
}

TEST(GateProxyTest, headerOfAStrangerIsNotBelieved) {
    GateServer server(trusting("10.0.0.0/8"));
    for (const auto& header : {LINE, BINARY})
        CPPUNIT_ASSERT(respond(server, header).starts_with("HTTP/1.1 400 "));
    CPPUNIT_ASSERT_EQUAL("127.0.0.1"s, clientOf(server, ""));
    CPPUNIT_ASSERT_EQUAL(""s, server.proxyFailures());
}

TEST(GateProxyTest, headerIsNoneUnlessItIsConfigured) {
    auto settings = trusting("127.0.0.1");
    settings.proxyProtocol = false;
    GateServer server(settings);
    for (const auto& header : {LINE, BINARY})
        CPPUNIT_ASSERT(respond(server, header).starts_with("HTTP/1.1 400 "));
}

// A client that writes one himself must not pass for what the proxy said.
TEST(GateProxyTest, secondHeaderIsNone) {
    GateServer server(trusting("127.0.0.1"));
    for (const auto& second : {LINE, BINARY})
        CPPUNIT_ASSERT(respond(server, LINE + second).starts_with("HTTP/1.1 400 "));
}

TEST(GateProxyTest, connectionsAreCountedForTheClientThatIsNamed) {
    auto settings = trusting("127.0.0.1");
    settings.connectionsPerAddress = 2;
    GateServer server(settings);
    std::vector<RawConnection> open;
    const std::string request = "GET /client HTTP/1.1\r\nHost: a\r\n\r\n";
    for (int i = 0; i < 2; ++i) {
        open.push_back(server.connect());
        open.back().send(LINE + request);
        open.back().receiveUntil("203.0.113.9");
    }
    const auto refused = respond(server, BINARY);
    CPPUNIT_ASSERT_EQUAL("{\"reason\":\"connections_per_address\"}"s, bodyOf(refused));
    CPPUNIT_ASSERT_EQUAL("203.0.113.10"s, clientOf(server, "PROXY TCP4 203.0.113.10 10.0.0.1 1 2\r\n"));
    for (int i = 0; i < 5; ++i) // the proxy itself has as many as it likes
        CPPUNIT_ASSERT_EQUAL("127.0.0.1"s, clientOf(server, LOCAL));
    open.pop_back();
    waitFor("the closed one's place", [&] { return clientOf(server, LINE) == "203.0.113.9"; });
}

TEST(GateProxyTest, headersThatNeverEndHoldNobodyUp) {
    GateServer server(trusting("127.0.0.1"));
    const auto silent = server.connect();
    std::vector<RawConnection> slow;
    for (int i = 0; i < 200; ++i) {
        slow.push_back(server.connect());
        slow.back().send(i % 2 == 0 ? LINE.substr(0, LINE.size() - 1) : BINARY.substr(0, BINARY.size() - 1));
    }
    CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, clientOf(server, LINE));
    slow[0].send("\n" + REQUEST);
    slow[1].send("x" + REQUEST);
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT_EQUAL("203.0.113.9"s, bodyOf(slow[static_cast<std::size_t>(i)].receiveAll(30s)));
}

} // namespace supplierd::tests
