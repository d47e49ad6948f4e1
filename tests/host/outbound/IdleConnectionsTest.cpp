#include "host/outbound/OutboundHttp.h"
#include "tests/host/outbound/OutboundFixtures.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace supplierd::tests {

using host::IdleLimits;
using host::OutboundHttp;
using namespace std::chrono_literals;

/// Which requests share a connection, and what ends one.
class IdleConnectionsTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* URL = "http://hooks.example.com/in";
    static constexpr std::string_view OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    using Script = LoopbackOrigin::Script;

    std::shared_ptr<StubResolver> _resolver = std::make_shared<StubResolver>();
    std::shared_ptr<Detour> _detour = std::make_shared<Detour>();

    OutboundHttp clientOf(const LoopbackOrigin& origin, const IdleLimits& limits = {}, const HttpRules& rules = {}) {
        _detour->leadTo(origin.port());
        return OutboundHttp(rules, _resolver, _detour, limits);
    }

    static HttpRequest delivery(const std::string& url = URL) {
        HttpRequest request;
        request.method = Method::Post;
        request.url = url;
        request.headers = {{"webhook-id", "evt_1"}};
        request.body = "{}";
        request.timeout = 20s;
        return request;
    }

    static void post(const HttpClient& client, const HttpRequest& request) {
        CPPUNIT_ASSERT_EQUAL(200, client.send(request).status);
    }

    /// Goes on with the next request on the same connection until the client closes it.
    static Script always(const std::string& response) {
        return [response](OriginConnection& connection) {
            for (;; connection.next()) {
                connection.read(2);
                connection.send(response);
            }
        };
    }

    static HttpErrorCode failure(const std::function<void()>& action) {
        try {
            action();
        } catch (const HttpError& problem) {
            return problem.code();
        }
        throw std::runtime_error("there was no error");
    }

    /// How many connections two requests take whose first has this response.
    unsigned connectionsAfter(const std::string& response, std::uint64_t maxResponseBytes = 1'000) {
        LoopbackOrigin origin(always(response));
        const OutboundHttp client = clientOf(origin);
        HttpRequest request = delivery();
        request.maxResponseBytes = maxResponseBytes;
        request.truncatesBody = true;
        client.send(request);
        client.send(request);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, origin.requests().size());
        return origin.connections();
    }

    /// The first connection ends in this way instead of a response to its second request.
    void requireReplacement(const std::function<void(OriginConnection&)>& end) {
        std::atomic<bool> isFirst = true;
        LoopbackOrigin origin([&](OriginConnection& connection) {
            connection.read(2);
            connection.send(OK);
            connection.next();
            if (isFirst.exchange(false))
                end(connection);
            else
                connection.send(OK);
        });
        const OutboundHttp client = clientOf(origin);
        post(client, delivery());
        post(client, delivery());
        CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, origin.requests().size());
        CPPUNIT_ASSERT_EQUAL(origin.requests().at(1), origin.requests().at(2));
    }

    static TestAuthority& authority() {
        static TestAuthority one;
        return one;
    }
};

TEST(IdleConnectionsTest, requestsThatMayComeTwiceShareAConnection) {
    LoopbackOrigin origin(always(std::string(OK)));
    const OutboundHttp client = clientOf(origin);
    for (const std::string name : {"webhook-id", "Webhook-Id", "Idempotency-Key"}) {
        HttpRequest request = delivery();
        request.headers = {{name, "evt_1"}};
        const auto response = client.send(request);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), response.body);
    }
    CPPUNIT_ASSERT_EQUAL(1U, origin.connections());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, origin.requests().size());
    CPPUNIT_ASSERT_EQUAL(std::string("POST /in HTTP/1.1\r\nHost: hooks.example.com\r\nUser-Agent: supplierd\r\n"
                                     "Accept: */*\r\nIdempotency-Key: evt_1\r\nAccept-Encoding: identity\r\n"
                                     "Content-Length: 2\r\n\r\n"),
                         origin.requests().at(2));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _detour->addresses().size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, _resolver->asked().size());
}

TEST(IdleConnectionsTest, otherRequestsHaveAConnectionEach) {
    LoopbackOrigin origin(always(std::string(OK)));
    const OutboundHttp client = clientOf(origin);
    HttpRequest other = delivery();
    other.headers = {};
    post(client, other);
    post(client, other);
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
    post(client, delivery());
    post(client, other);
    CPPUNIT_ASSERT_EQUAL(4U, origin.connections());
    post(client, delivery());
    CPPUNIT_ASSERT_EQUAL(4U, origin.connections());
    CPPUNIT_ASSERT(origin.requests().at(3).find("\r\nConnection: close\r\n") != std::string::npos);
}

TEST(IdleConnectionsTest, chunkedAndEmptyResponsesLeaveTheConnection) {
    for (const std::string response :
         {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
          "HTTP/1.1 500 Oops\r\nContent-Length: 1\r\n\r\nx",
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response, 1U, connectionsAfter(response));
}

TEST(IdleConnectionsTest, serverThatClosesIsBelieved) {
    for (const std::string response :
         {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
          "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok",
          "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
          "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
          "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response, 2U, connectionsAfter(response));
}

TEST(IdleConnectionsTest, responseThatIsNotReadToItsEndClosesTheConnection) {
    CPPUNIT_ASSERT_EQUAL(2U, connectionsAfter(std::string(OK), 1));
    CPPUNIT_ASSERT_EQUAL(
        2U, connectionsAfter("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 1));
    // With a trailer, or without the line at its end.
    CPPUNIT_ASSERT_EQUAL(
        2U, connectionsAfter("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n"));
    CPPUNIT_ASSERT_EQUAL(2U, connectionsAfter("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"));
}

TEST(IdleConnectionsTest, connectionThatWasClosedIdleIsNotUsed) {
    std::promise<void> closed;
    std::atomic<bool> isFirst = true;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        connection.read(2);
        connection.send(OK);
        if (isFirst.exchange(false)) {
            connection.end();
            closed.set_value();
        } else {
            connection.holdOpen();
        }
    });
    const OutboundHttp client = clientOf(origin);
    post(client, delivery());
    closed.get_future().get();
    post(client, delivery());
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, origin.requests().size());
}

TEST(IdleConnectionsTest, connectionThatBreaksBeforeAResponseIsReplacedOnce) {
    requireReplacement([](OriginConnection& connection) { connection.end(); });
    requireReplacement([](OriginConnection& connection) { connection.reset(); });
    // The other one breaks, too.
    std::atomic<unsigned> requests = 0;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        for (; ++requests == 1; connection.next()) {
            connection.read(2);
            connection.send(OK);
        }
    });
    const OutboundHttp client = clientOf(origin);
    post(client, delivery());
    CPPUNIT_ASSERT(failure([&] { client.send(delivery()); }) == HttpErrorCode::Connect);
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, origin.requests().size());
}

TEST(IdleConnectionsTest, newConnectionThatBreaksIsNotReplaced) {
    LoopbackOrigin origin([](OriginConnection& connection) { connection.read(2); });
    const OutboundHttp client = clientOf(origin);
    CPPUNIT_ASSERT(failure([&] { client.send(delivery()); }) == HttpErrorCode::Connect);
    CPPUNIT_ASSERT_EQUAL(1U, origin.connections());
}

TEST(IdleConnectionsTest, brokenResponseIsNotAskedForAgain) {
    for (const auto& [begin, code] :
         {std::pair("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", HttpErrorCode::Damaged),
          std::pair("nonsense\r\n", HttpErrorCode::Protocol)}) {
        std::atomic<unsigned> requests = 0;
        LoopbackOrigin origin([&, text = begin](OriginConnection& connection) {
            for (;; connection.next()) {
                connection.read(2);
                if (++requests == 2) {
                    connection.send(text);
                    return;
                }
                connection.send(OK);
            }
        });
        const OutboundHttp client = clientOf(origin);
        post(client, delivery());
        CPPUNIT_ASSERT_MESSAGE(begin, failure([&] { client.send(delivery()); }) == code);
        CPPUNIT_ASSERT_EQUAL(1U, origin.connections());
        post(client, delivery());
        CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, origin.requests().size());
    }
}

TEST(IdleConnectionsTest, bytesBehindAResponseCloseTheConnection) {
    for (const std::string& response :
         {std::string(OK), std::string("HTTP/1.1 204 No Content\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")})
        for (const std::string& excess : {std::string("x"), std::string("\r\n"), std::string(OK)})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response + excess, 2U, connectionsAfter(response + excess));
}

TEST(IdleConnectionsTest, bytesThatNobodyAskedForCloseTheConnection) {
    std::promise<void> response;
    std::promise<void> sent;
    std::atomic<bool> isFirst = true;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        connection.read(2);
        connection.send(OK);
        if (isFirst.exchange(false)) {
            response.get_future().get();
            connection.send("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
            sent.set_value();
        }
        connection.holdOpen();
    });
    const OutboundHttp client = clientOf(origin);
    post(client, delivery());
    response.set_value();
    sent.get_future().get();
    post(client, delivery());
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
}

TEST(IdleConnectionsTest, silenceOnAKeptConnectionEndsAtTheTimeout) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.read(2);
        connection.send(OK);
        connection.next();
        connection.read(2);
        connection.holdOpen();
    });
    const OutboundHttp client = clientOf(origin);
    post(client, delivery());
    HttpRequest request = delivery();
    request.timeout = 100ms;
    CPPUNIT_ASSERT(failure([&] { client.send(request); }) == HttpErrorCode::Timeout);
    CPPUNIT_ASSERT_EQUAL(1U, origin.connections());
}

TEST(IdleConnectionsTest, idleConnectionsAreClosed) {
    std::promise<void> closed;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        connection.read(2);
        connection.send(OK);
        try {
            connection.holdOpen();
        } catch (const std::runtime_error&) {
            closed.set_value();
        }
    });
    const OutboundHttp client = clientOf(origin, {.idle = 10ms});
    post(client, delivery());
    closed.get_future().get(); // without another request
}

TEST(IdleConnectionsTest, connectionOfAgeIsNotUsed) {
    LoopbackOrigin origin(always(std::string(OK)));
    const OutboundHttp client = clientOf(origin, {.age = 0ms});
    post(client, delivery());
    post(client, delivery());
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
}

TEST(IdleConnectionsTest, noMoreAreKeptThanTheLimit) {
    LoopbackOrigin origin(always(std::string(OK)));
    const std::string other = "http://other.example.com/in";
    const OutboundHttp many = clientOf(origin);
    for (const std::string& url : {std::string(URL), other, std::string(URL), other})
        post(many, delivery(url));
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
    const OutboundHttp one = clientOf(origin, {.all = 1});
    for (const std::string& url : {std::string(URL), other, std::string(URL)})
        post(one, delivery(url));
    CPPUNIT_ASSERT_EQUAL(5U, origin.connections());
    // Of two that were under way at once, and came back, one stays.
    std::atomic<unsigned> asked = 0;
    LoopbackOrigin pairs([&](OriginConnection& connection) {
        for (;; connection.next()) {
            connection.read(2);
            const unsigned both = (asked.fetch_add(1) / 2 + 1) * 2;
            while (asked < both)
                std::this_thread::yield();
            connection.send(OK);
        }
    });
    const OutboundHttp single = clientOf(pairs, {.perPlace = 1});
    for (const unsigned connections : {2U, 3U}) {
        auto second = std::async(std::launch::async, [&] { post(single, delivery()); });
        post(single, delivery());
        second.get();
        CPPUNIT_ASSERT_EQUAL(connections, pairs.connections());
    }
}

TEST(IdleConnectionsTest, nameThatLeadsElsewhereHasAnotherConnection) {
    _resolver->set("hooks.example.com", {{"93.184.216.34"}, {"93.184.216.35"}, {"10.0.0.1"}, {"93.184.216.34"}});
    LoopbackOrigin origin(always(std::string(OK)));
    const OutboundHttp client = clientOf(origin);
    post(client, delivery());
    post(client, delivery());
    CPPUNIT_ASSERT(failure([&] { client.send(delivery()); }) == HttpErrorCode::Address);
    post(client, delivery());
    CPPUNIT_ASSERT((std::vector<std::string>{"93.184.216.34:80", "93.184.216.35:80"} == _detour->addresses()));
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
}

TEST(IdleConnectionsTest, clientsDoNotShareConnections) {
    LoopbackOrigin origin(always(std::string(OK)));
    const OutboundHttp client = clientOf(origin);
    post(client, delivery());
    post(*client.withRules({}), delivery());
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
}

TEST(IdleConnectionsTest, tlsIsAgreedOnOnce) {
    LoopbackOrigin origin(always(std::string(OK)), authority().issue("kept", "DNS:hooks.example.com"));
    const OutboundHttp client = clientOf(origin, {}, {.trustedCertificatesFile = authority().certificate()});
    for (int i = 0; i < 3; ++i)
        post(client, delivery("https://hooks.example.com/in"));
    CPPUNIT_ASSERT_EQUAL(1U, origin.connections());
    CPPUNIT_ASSERT(std::vector<std::string>{"hooks.example.com"} == origin.serverNames());
}

TEST(IdleConnectionsTest, namesAtOneAddressShareNoTlsConnection) {
    LoopbackOrigin origin(always(std::string(OK)),
                          authority().issue("both", "DNS:hooks.example.com,DNS:other.example.com"));
    const OutboundHttp client = clientOf(origin, {}, {.trustedCertificatesFile = authority().certificate()});
    post(client, delivery("https://hooks.example.com/in"));
    post(client, delivery("https://other.example.com/in"));
    post(client, delivery("https://hooks.example.com/in"));
    CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
    CPPUNIT_ASSERT((std::vector<std::string>{"hooks.example.com", "other.example.com"} == origin.serverNames()));
    // Nor does one that the certificate does not name get there because another one has.
    LoopbackOrigin strict(always(std::string(OK)), authority().issue("kept", "DNS:hooks.example.com"));
    _detour->leadTo(strict.port());
    const OutboundHttp careful = clientOf(strict, {}, {.trustedCertificatesFile = authority().certificate()});
    post(careful, delivery("https://hooks.example.com/in"));
    CPPUNIT_ASSERT(failure([&] { careful.send(delivery("https://other.example.com/in")); }) == HttpErrorCode::Tls);
}

TEST(IdleConnectionsTest, tlsConnectionThatWasClosedIsReplaced) {
    for (const bool isPolite : {true, false}) {
        std::atomic<unsigned> requests = 0;
        LoopbackOrigin origin(
            [&](OriginConnection& connection) {
                for (;; connection.next()) {
                    connection.read(2);
                    if (++requests == 2 && isPolite)
                        return; // with a good-bye
                    if (requests == 2)
                        connection.reset();
                    connection.send(OK);
                }
            },
            authority().issue("kept", "DNS:hooks.example.com"));
        const OutboundHttp client = clientOf(origin, {}, {.trustedCertificatesFile = authority().certificate()});
        post(client, delivery("https://hooks.example.com/in"));
        post(client, delivery("https://hooks.example.com/in"));
        CPPUNIT_ASSERT_EQUAL(2U, origin.connections());
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, origin.requests().size());
    }
}

} // namespace supplierd::tests
