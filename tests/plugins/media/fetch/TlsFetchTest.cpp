#include "FetchFixture.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace supplierd::tests {

class TlsFetchTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* URL = "https://images.example.com/a.jpg";

    static TestAuthority& authority() {
        static TestAuthority one;
        return one;
    }

    static const LoopbackOrigin::Certificate& goodCertificate() {
        static const auto one = authority().issue("good", "DNS:images.example.com,DNS:*.wild.example.com,IP:1.1.1.1");
        return one;
    }

    static void pictureScript(OriginConnection& connection) { connection.answer("200 OK", "picture"); }

    static FetchFixture worldOf(const LoopbackOrigin& origin) {
        FetchFixture fixture(origin.port());
        fixture.rules.trustedCertificatesFile = authority().certificate();
        return fixture;
    }
};

TEST(TlsFetchTest, trustedCertificateOfTheHostIsAccepted) {
    const std::string picture = pictureOf(1'000'000);
    LoopbackOrigin origin([&](OriginConnection& connection) { connection.answer("200 OK", picture); },
                          goodCertificate());
    const auto fixture = worldOf(origin);
    CPPUNIT_ASSERT(fixture.fetch(URL).bytes == picture);
    CPPUNIT_ASSERT(fixture.fetch("https://IMAGES.example.com./a.jpg").bytes == picture);
    CPPUNIT_ASSERT(fixture.detour->addresses() == std::vector<std::string>(2, "93.184.216.34:443"));
    CPPUNIT_ASSERT(origin.serverNames() == std::vector<std::string>(2, "images.example.com"));
    requireIn("\r\nHost: images.example.com\r\n", origin.requests().at(1));
}

TEST(TlsFetchTest, certificateOfAnotherHostIsRefused) {
    LoopbackOrigin origin(pictureScript, goodCertificate());
    const auto fixture = worldOf(origin);
    CPPUNIT_ASSERT_EQUAL(std::string("tls: the certificate is not accepted: hostname mismatch"),
                         fixture.failure("https://other.example.com/a.jpg"));
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), fixture.code("https://example.com/a.jpg"));
    CPPUNIT_ASSERT(origin.requests().empty());
}

TEST(TlsFetchTest, commonNameAloneDoesNotCount) {
    LoopbackOrigin origin(pictureScript, authority().issue("common", "email:a@example.com"));
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), worldOf(origin).code(URL));
}

TEST(TlsFetchTest, wildcardsCoverOneLabelOnly) {
    LoopbackOrigin origin(pictureScript, goodCertificate());
    const auto fixture = worldOf(origin);
    CPPUNIT_ASSERT_EQUAL(std::string("fetched"), fixture.code("https://a.wild.example.com/"));
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), fixture.code("https://a.b.wild.example.com/"));
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), fixture.code("https://wild.example.com/"));
}

TEST(TlsFetchTest, unknownAuthorityIsRefused) {
    LoopbackOrigin origin(pictureScript, goodCertificate());
    const FetchFixture fixture(origin.port()); // trusts the system's store
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), fixture.code(URL));
    CPPUNIT_ASSERT(origin.requests().empty());
}

TEST(TlsFetchTest, expiredCertificateIsRefused) {
    LoopbackOrigin origin(pictureScript, authority().issue("expired", "DNS:images.example.com", {.days = -1}));
    CPPUNIT_ASSERT_EQUAL(std::string("tls: the certificate is not accepted: certificate has expired"),
                         worldOf(origin).failure(URL));
}

TEST(TlsFetchTest, localhostIsNoException) {
    LoopbackOrigin origin(pictureScript, goodCertificate());
    auto fixture = worldOf(origin);
    fixture.rules.allowNetworks = {AddressNetwork::parse("127.0.0.0/8").value()};
    fixture.resolver->setDefault({"127.0.0.1"});
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), fixture.code("https://localhost/"));
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), fixture.code("https://127.0.0.1/"));
}

TEST(TlsFetchTest, addressInTheCertificateIsAccepted) {
    LoopbackOrigin origin(pictureScript, goodCertificate());
    const auto fixture = worldOf(origin);
    CPPUNIT_ASSERT_EQUAL(std::string("fetched"), fixture.code("https://1.1.1.1/"));
    CPPUNIT_ASSERT(origin.serverNames() == std::vector<std::string>{""});
    CPPUNIT_ASSERT_EQUAL(std::string("tls: the certificate is not accepted: IP address mismatch"),
                         fixture.failure("https://1.1.1.2/"));
}

TEST(TlsFetchTest, plainHttpOnATlsPortIsRefused) {
    Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0), 16);
    std::thread plain([&] {
        auto socket = listener.acceptConnection();
        const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
        socket.sendBytes(text.data(), static_cast<int>(text.size()));
        socket.shutdownSend();
    });
    const std::string code = FetchFixture(listener.address().port()).code(URL);
    plain.join();
    CPPUNIT_ASSERT_EQUAL(std::string("tls"), code);
}

TEST(TlsFetchTest, cutConnectionIsDamaged) {
    // Without a length only TLS's own end tells that the body is whole; end() skips it.
    LoopbackOrigin cut(
        [](OriginConnection& connection) {
            connection.send("HTTP/1.1 200 OK\r\n\r\npicture");
            connection.end();
        },
        goodCertificate());
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), worldOf(cut).code(URL));
    LoopbackOrigin whole([](OriginConnection& connection) { connection.send("HTTP/1.1 200 OK\r\n\r\npicture"); },
                         goodCertificate());
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), worldOf(whole).fetch(URL).bytes);
}

TEST(TlsFetchTest, sizeLimitHoldsWithinTls) {
    for (const std::size_t size : {5'242'880, 5'242'881}) {
        LoopbackOrigin origin(
            [&](OriginConnection& connection) {
                connection.send("HTTP/1.1 200 OK\r\n\r\n");
                connection.send(pictureOf(size));
            },
            goodCertificate());
        CPPUNIT_ASSERT_EQUAL(std::string(size == 5'242'880 ? "fetched" : "too_large"), worldOf(origin).code(URL));
    }
}

TEST(TlsFetchTest, redirectFromHttpToHttpsIsFollowed) {
    LoopbackOrigin secure(pictureScript, goodCertificate());
    FetchFixture fixture;
    LoopbackOrigin plain([&](OriginConnection& connection) {
        fixture.detour->leadTo(secure.port());
        connection.redirect("https://images.example.com/b.jpg");
    });
    fixture.detour->leadTo(plain.port());
    fixture.rules.trustedCertificatesFile = authority().certificate();
    CPPUNIT_ASSERT_EQUAL(std::string("https://images.example.com/b.jpg"),
                         fixture.fetch("http://images.example.com/a.jpg").url);
}

TEST(TlsFetchTest, missingTrustFileIsNamed) {
    FetchFixture fixture;
    fixture.rules.trustedCertificatesFile = "/nonexistent/ca.pem";
    requireIn("/nonexistent/ca.pem", thrownBy<std::runtime_error>([&] { fixture.fetcher(); }).what());
}

} // namespace supplierd::tests
