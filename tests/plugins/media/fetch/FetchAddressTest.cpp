#include "FetchFixture.h"
#include "host/outbound/OutboundHttp.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using Texts = std::vector<std::string>;

/// Where connections go, and where they must not: names, addresses, redirects.
class FetchAddressTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* NOT_ALLOWED = "address: address not allowed";
    static constexpr const char* URL = "http://images.example.com/a.jpg";

    static void pictureScript(OriginConnection& connection) { connection.answer("200 OK", "picture"); }

    /// An origin that redirects everything but /ok to `location`.
    static LoopbackOrigin::Script redirecting(std::string location) {
        return [location = std::move(location)](OriginConnection& connection) {
            if (connection.target() == "/ok")
                pictureScript(connection);
            else
                connection.redirect(location);
        };
    }
};

TEST(FetchAddressTest, privateAddressIsRefusedWithoutAnyConnection) {
    const FetchFixture fixture;
    for (const std::string url : {"http://127.0.0.1/", "https://10.0.0.1/", "http://[::1]/", "http://0.0.0.0/",
                                  "http://169.254.169.254/latest/meta-data/", "http://[::ffff:127.0.0.1]/"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(url, std::string(NOT_ALLOWED), fixture.failure(url));
    CPPUNIT_ASSERT(fixture.detour->addresses().empty());
    CPPUNIT_ASSERT(fixture.resolver->asked().empty());
}

TEST(FetchAddressTest, nameOfAPrivateAddressIsRefusedWithoutAnyConnection) {
    const FetchFixture fixture;
    for (const std::string address : {"127.0.0.1", "192.168.1.1", "::1", "fd00::1", "::ffff:10.0.0.1", "100.64.0.1"}) {
        fixture.resolver->set("images.example.com", {{address}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(address, std::string(NOT_ALLOWED), fixture.failure(URL));
    }
    CPPUNIT_ASSERT(fixture.detour->addresses().empty());
}

TEST(FetchAddressTest, onePrivateAddressAmongPublicOnesSpoilsTheName) {
    const FetchFixture fixture;
    fixture.resolver->set("images.example.com", {{"93.184.216.34", "2606:4700::1", "10.0.0.1"}});
    CPPUNIT_ASSERT_EQUAL(std::string(NOT_ALLOWED), fixture.failure(URL));
    CPPUNIT_ASSERT(fixture.detour->addresses().empty());
}

TEST(FetchAddressTest, internalNamesAreNotEvenAskedFor) {
    const FetchFixture fixture;
    for (const std::string host : {"localhost", "metadata.google.internal", "printer", "db.local"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(host, std::string(NOT_ALLOWED), fixture.failure("http://" + host + "/"));
    CPPUNIT_ASSERT(fixture.resolver->asked().empty());
}

TEST(FetchAddressTest, portsThatAreNotAllowedAreRefused) {
    const FetchFixture fixture;
    CPPUNIT_ASSERT_EQUAL(std::string("address: port 22 is not allowed"), fixture.failure("http://example.com:22/"));
    CPPUNIT_ASSERT_EQUAL(std::string("address: port 8080 is not allowed"),
                         fixture.failure("https://example.com:8080/"));
    CPPUNIT_ASSERT(fixture.resolver->asked().empty());
}

TEST(FetchAddressTest, rebindingNameIsAskedOnceAndItsJudgedAddressUsed) {
    LoopbackOrigin origin(pictureScript);
    FetchFixture fixture(origin.port());
    fixture.resolver->set("images.example.com", {{"93.184.216.34"}, {"127.0.0.1"}});
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), fixture.fetch(URL).bytes);
    CPPUNIT_ASSERT(fixture.resolver->asked() == Texts{"images.example.com"});
    CPPUNIT_ASSERT(fixture.detour->addresses() == Texts{"93.184.216.34:80"});
}

TEST(FetchAddressTest, redirectToTheSameNameIsJudgedAnew) {
    LoopbackOrigin origin(redirecting("/ok"));
    FetchFixture fixture(origin.port());
    fixture.resolver->set("images.example.com", {{"93.184.216.34"}, {"127.0.0.1"}});
    CPPUNIT_ASSERT_EQUAL(std::string(NOT_ALLOWED), fixture.failure(URL));
    CPPUNIT_ASSERT(fixture.detour->addresses() == Texts{"93.184.216.34:80"});
}

TEST(FetchAddressTest, redirectsToPrivatePlacesAreRefused) {
    for (const std::string location :
         {"http://127.0.0.1/secret", "http://2130706433/", "http://[::ffff:127.0.0.1]/", "http://[::1]/",
          "http://localhost/", "http://images.example.com:22/", "file:///etc/passwd", "ftp://images.example.com/x",
          "http://x@images.example.com/ok", "//10.0.0.1/ok", "http://inner.example.com/", "http://0x7f.1/",
          "gopher://127.0.0.1:6379/_INFO"}) {
        LoopbackOrigin origin(redirecting(location));
        FetchFixture fixture(origin.port());
        fixture.resolver->set("inner.example.com", {{"192.168.0.10"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(location, std::string("address"), fixture.code(URL));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), fixture.detour->addresses().size());
    }
}

TEST(FetchAddressTest, threeRedirectsAreFollowedAndNoMore) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        const int left = std::stoi(connection.target().substr(1));
        if (left == 0)
            connection.answer("200 OK", "picture");
        else
            connection.redirect("/" + std::to_string(left - 1));
    });
    FetchFixture fixture(origin.port());
    CPPUNIT_ASSERT_EQUAL(std::string("http://images.example.com/0"), fixture.fetch("http://images.example.com/3").url);
    CPPUNIT_ASSERT_EQUAL(4u, origin.connections());
    CPPUNIT_ASSERT_EQUAL(std::string("http_status: the image's server redirects more than 3 times"),
                         fixture.failure("http://images.example.com/4"));
    CPPUNIT_ASSERT_EQUAL(8u, origin.connections());
    LoopbackOrigin loop(redirecting("/a.jpg"));
    CPPUNIT_ASSERT_EQUAL(std::string("http_status"), FetchFixture(loop.port()).code(URL));
    CPPUNIT_ASSERT_EQUAL(4u, loop.connections());
}

TEST(FetchAddressTest, everyKindOfRedirectIsFollowed) {
    for (const std::string status : {"301 X", "302 X", "303 X", "307 X", "308 X"})
        for (const std::string location : {"ok", "/ok", "//other.example.com/ok", "http://other.example.com/ok#x"}) {
            LoopbackOrigin origin([&](OriginConnection& connection) {
                if (connection.target() == "/ok")
                    pictureScript(connection);
                else
                    connection.redirect(location, status);
            });
            FetchFixture fixture(origin.port());
            CPPUNIT_ASSERT_EQUAL(std::string("picture"), fixture.fetch(URL).bytes);
            CPPUNIT_ASSERT(origin.requests().at(1).starts_with("GET /ok HTTP/1.1\r\n"));
        }
}

TEST(FetchAddressTest, redirectsThatLeadNowhereAreErrors) {
    for (const std::string fields :
         {"", "Location: /ok\r\nLocation: /ok\r\n", "Location: /ok\r\nLocation: http://127.0.0.1/\r\n"}) {
        LoopbackOrigin origin([&](OriginConnection& connection) { connection.answer("302 Found", "", fields); });
        CPPUNIT_ASSERT_EQUAL(std::string("http_status: the image's server redirects to nowhere"),
                             FetchFixture(origin.port()).failure(URL));
    }
    LoopbackOrigin encoded(redirecting("=?utf-8?Q?http://127.0.0.1/=0D=0AX:y?="));
    const FetchFixture fixture(encoded.port());
    CPPUNIT_ASSERT_EQUAL(std::string("http_status: the image's server redirects to nowhere"), fixture.failure(URL));
    CPPUNIT_ASSERT(fixture.detour->addresses() == Texts{"93.184.216.34:80"});
}

TEST(FetchAddressTest, bodyOfARedirectIsNotRead) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        if (connection.target() == "/ok") {
            pictureScript(connection);
            return;
        }
        connection.send("HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Encoding: gzip\r\n\r\n");
        for (;;)
            connection.send(std::string(0x10000, 'x'));
    });
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), FetchFixture(origin.port()).fetch(URL).bytes);
}

TEST(FetchAddressTest, allowedNetworkIsReached) {
    LoopbackOrigin origin(pictureScript);
    FetchFixture fixture;
    fixture.rules.allowNetworks = {AddressNetwork::parse("127.0.0.0/8").value()};
    fixture.rules.allowPorts = {origin.port()};
    const std::string port = std::to_string(origin.port());
    const media::ImageFetcher fetcher(
        fixture.options,
        std::make_unique<host::OutboundHttp>(fixture.rules, fixture.resolver, std::make_shared<host::Connector>()));
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), fetcher.fetch("http://127.0.0.1:" + port + "/", later()).bytes);
    fixture.resolver->set("localhost", {{"127.0.0.1"}});
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), fetcher.fetch("http://localhost:" + port + "/", later()).bytes);
}

TEST(FetchAddressTest, allowedNetworkIsNotReachedInDisguise) {
    FetchFixture fixture;
    fixture.rules.allowNetworks = {AddressNetwork::parse("127.0.0.0/8").value()};
    for (const std::string location : {"http://2130706433/", "http://[::ffff:127.0.0.1]/", "http://127.1/",
                                       "http://[64:ff9b::7f00:1]/", "http://10.0.0.1/"}) {
        LoopbackOrigin origin(redirecting(location));
        fixture.detour->leadTo(origin.port());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(location, std::string(NOT_ALLOWED), fixture.failure("http://127.0.0.1/"));
    }
    CPPUNIT_ASSERT(fixture.detour->addresses() == Texts(5, "127.0.0.1:80"));
}

TEST(FetchAddressTest, unknownNameIsADnsError) {
    const FetchFixture fixture;
    fixture.resolver->set("images.example.com", {{}});
    CPPUNIT_ASSERT_EQUAL(std::string("dns: the host of the URL is not known"), fixture.failure(URL));
}

} // namespace supplierd::tests
