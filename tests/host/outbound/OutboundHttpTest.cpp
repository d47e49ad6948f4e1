#include "host/outbound/OutboundHttp.h"

#include "tests/host/outbound/OutboundFixtures.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::OutboundHttp;

/// What a plugin gets of HttpClient beyond fetching an image (which tests/plugins/media/fetch has).
class OutboundHttpTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* URL = "http://hooks.example.com/in?a=1";

    std::shared_ptr<StubResolver> _resolver = std::make_shared<StubResolver>();
    std::shared_ptr<Detour> _detour = std::make_shared<Detour>();
    OutboundHttp _client{{}, _resolver, _detour};

    HttpResponse send(const LoopbackOrigin& origin, const HttpRequest& request) {
        _detour->leadTo(origin.port());
        return _client.send(request);
    }

    static HttpErrorCode failure(const std::function<void()>& action) {
        try {
            action();
        } catch (const HttpError& problem) {
            return problem.code();
        }
        throw std::runtime_error("there was no error");
    }

    /// Answers with what it got: the head, and the body behind it.
    static void echo(OriginConnection& connection) {
        const std::string& head = connection.head();
        const auto at = head.find("Content-Length: ");
        const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
        connection.answer("200 OK", head + connection.read(length), "X-Note: one\r\nx-note: two\r\n");
    }
};

TEST(OutboundHttpTest, bodyIsPosted) {
    LoopbackOrigin origin(echo);
    const std::string body = "{\"text\": \"a\0b\"}" + std::string(2'000'000, 'x');
    const auto response = send(origin, {.method = Method::Post,
                                        .url = URL,
                                        .headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}},
                                        .body = body,
                                        .maxResponseBytes = 4'000'000});
    const std::string head = "POST /in?a=1 HTTP/1.1\r\nHost: hooks.example.com\r\nUser-Agent: supplierd\r\n"
                             "Accept: */*\r\nContent-Type: application/json\r\nX-Empty:\r\n"
                             "Accept-Encoding: identity\r\nConnection: close\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n";
    CPPUNIT_ASSERT_EQUAL(head, origin.requests().at(0));
    CPPUNIT_ASSERT(response.body == head + body);
    CPPUNIT_ASSERT_EQUAL(200, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string(URL), response.url);
    CPPUNIT_ASSERT(response.header("X-NOTE") == "one");
    CPPUNIT_ASSERT(!response.header("X-None"));
    send(origin, {.method = Method::Put, .url = URL});
    CPPUNIT_ASSERT(origin.requests().at(1).starts_with("PUT /in?a=1 HTTP/1.1\r\n"));
    requireIn("\r\nContent-Length: 0\r\n", origin.requests().at(1));
    CPPUNIT_ASSERT(origin.requests().at(1).find("Content-Type") == std::string::npos);
}

TEST(OutboundHttpTest, methodsWithoutABodySendNone) {
    LoopbackOrigin origin(echo);
    send(origin, {.method = Method::Delete, .url = URL});
    CPPUNIT_ASSERT(origin.requests().at(0).starts_with("DELETE /in?a=1 HTTP/1.1\r\n"));
    CPPUNIT_ASSERT(origin.requests().at(0).find("Content-") == std::string::npos);
}

TEST(OutboundHttpTest, fieldsThatWouldChangeTheRequestAreRefused) {
    for (const HttpField& field :
         {HttpField{"X-A", "b\r\nX-C: d"}, HttpField{"X-A\r\nX-B", "c"}, HttpField{"X A", "b"}, HttpField{"", "b"},
          HttpField{"Host", "x"}, HttpField{"content-length", "7"}, HttpField{"Transfer-Encoding", "chunked"}})
        CPPUNIT_ASSERT_THROW_MESSAGE(field.name, _client.send({.url = URL, .headers = {field}}), std::invalid_argument);
    CPPUNIT_ASSERT(_resolver->asked().empty());
}

TEST(OutboundHttpTest, responseOfAnyStatusIsReturned) {
    for (const std::string status : {"200 OK", "404 Not Found", "503 Oops"}) {
        LoopbackOrigin origin([&](OriginConnection& connection) { connection.answer(status, "because"); });
        const auto response = send(origin, {.url = URL});
        CPPUNIT_ASSERT_EQUAL(status.substr(0, 3), std::to_string(response.status));
        CPPUNIT_ASSERT_EQUAL(std::string("because"), response.body);
    }
    LoopbackOrigin nothing([](OriginConnection& connection) { connection.send("HTTP/1.1 204 No Content\r\n\r\n"); });
    CPPUNIT_ASSERT_EQUAL(204, send(nothing, {.url = URL}).status);
    LoopbackOrigin unchanged([](OriginConnection& connection) {
        connection.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n");
    });
    CPPUNIT_ASSERT_EQUAL(304, send(unchanged, {.url = URL}).status);
}

TEST(OutboundHttpTest, bodyOfAnotherStatusIsNotRead) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.send("HTTP/1.1 404 Not Found\r\n\r\n");
        for (;;)
            connection.send(std::string(0x10000, 'x'));
    });
    const auto response = send(origin, {.url = URL, .onlyBodyOfStatus = 200});
    CPPUNIT_ASSERT_EQUAL(404, response.status);
    CPPUNIT_ASSERT(response.body.empty());
    CPPUNIT_ASSERT(failure([&] { send(origin, {.url = URL}); }) == HttpErrorCode::TooLarge);
}

TEST(OutboundHttpTest, redirectsAreFollowedOnlyWhereAllowed) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        if (connection.target() == "/there")
            connection.answer("200 OK", "there");
        else
            connection.redirect("/there");
    });
    const auto here = send(origin, {.url = URL});
    CPPUNIT_ASSERT_EQUAL(302, here.status);
    CPPUNIT_ASSERT(here.header("Location") == "/there");
    CPPUNIT_ASSERT_EQUAL(std::string("http://hooks.example.com/there"),
                         send(origin, {.url = URL, .maxRedirects = 1}).url);
    CPPUNIT_ASSERT_EQUAL(302, send(origin, {.method = Method::Post, .url = URL, .maxRedirects = 1}).status);
}

TEST(OutboundHttpTest, onlyAcceptGoesToAnotherOrigin) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        if (connection.target() == "/1")
            connection.redirect("/2");
        else if (connection.target() == "/2")
            connection.redirect("http://other.example.com/3");
        else
            connection.answer("200 OK", "x");
    });
    send(origin, {.url = "http://hooks.example.com/1",
                  .headers = {{"Authorization", "Bearer secret"}, {"Accept", "text/plain"}},
                  .maxRedirects = 2});
    const auto requests = origin.requests();
    requireIn("Bearer secret", requests.at(1));
    CPPUNIT_ASSERT(requests.at(2).find("Bearer secret") == std::string::npos);
    requireIn("\r\nAccept: text/plain\r\n", requests.at(2));
}

TEST(OutboundHttpTest, silenceEndsAtTheIdleLimit) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx");
        connection.holdOpen();
    });
    CPPUNIT_ASSERT(
        failure([&] {
            send(origin,
                 {.url = URL, .timeout = std::chrono::minutes(10), .idleTimeout = std::chrono::milliseconds(200)});
        }) == HttpErrorCode::Timeout);
}

TEST(OutboundHttpTest, stopEndsARequest) {
    StopSignal stop;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        stop.raise();
        connection.holdOpen();
    });
    CPPUNIT_ASSERT(failure([&] { send(origin, {.url = URL, .stop = &stop}); }) == HttpErrorCode::Stopped);
}

TEST(OutboundHttpTest, errorsCallTheServerAsTheyAreTold) {
    LoopbackOrigin origin([](OriginConnection& connection) { connection.send("nonsense\r\n"); });
    for (const auto& [server, text] : {std::pair("the server", "the answer of the server is not valid HTTP"),
                                       std::pair("the webhook", "the answer of the webhook is not valid HTTP")})
        CPPUNIT_ASSERT_EQUAL(std::string(text), std::string(thrownBy<HttpError>([&] {
                                                                send(origin, {.url = URL, .peerName = server});
                                                            }).what()));
}

TEST(OutboundHttpTest, rulesOfAnotherClientAreItsOwn) {
    LoopbackOrigin origin(echo);
    _detour->leadTo(origin.port());
    const auto inner = _client.withRules({.allowNetworks = {AddressNetwork::parse("127.0.0.0/8").value()},
                                          .allowPorts = {8080},
                                          .userAgent = "inner/1"});
    CPPUNIT_ASSERT_EQUAL(200, inner->send({.url = "http://127.0.0.1:8080/"}).status);
    requireIn("\r\nUser-Agent: inner/1\r\n", origin.requests().at(0));
    CPPUNIT_ASSERT(failure([&] { inner->check("http://127.0.0.1/"); }) == HttpErrorCode::Address);
    CPPUNIT_ASSERT(failure([&] { _client.check("http://127.0.0.1/"); }) == HttpErrorCode::Address);
    CPPUNIT_ASSERT(failure([&] { _client.send({.url = "http://127.0.0.1/"}); }) == HttpErrorCode::Address);
    _client.check(URL);
}

TEST(OutboundHttpTest, addressIsLookedAtAgainBeforeTheConnection) {
    const host::HttpTransport transport({}, host::AddressPolicy(), _detour);
    const auto url = host::HttpUrl::parse(URL);
    for (const std::string address : {"127.0.0.1", "::1", "10.0.0.1"}) {
        const std::vector<Poco::Net::IPAddress> addresses{Poco::Net::IPAddress(address)};
        const std::vector<HttpField> fields;
        CPPUNIT_ASSERT(
            failure([&] {
                transport.send({"GET", url, addresses, "supplierd", fields, nullptr, {}, {}}, longLimit(), longLimit());
            }) == HttpErrorCode::Address);
    }
    CPPUNIT_ASSERT(_detour->addresses().empty());
}

} // namespace supplierd::tests
