#include "FetchFixture.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <Poco/Net/ServerSocket.h>

#include <functional>
#include <thread>

namespace supplierd::tests {

using media::FetchError;
using media::FetchErrorCode;
using Clock = media::ImageFetcher::Clock;
using std::chrono::milliseconds;

/// Servers that take their time. Nothing here asserts how long something takes: a fetch that is not ended by its limit
/// hangs the test.
class FetchTimeTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* URL = "http://images.example.com/a.jpg";
    static constexpr const char* TIMEOUT = "timeout: fetching the image took too long";

    static std::string failure(const LoopbackOrigin::Script& script) {
        LoopbackOrigin origin(script);
        FetchFixture fixture(origin.port());
        fixture.options.timeout = milliseconds(300);
        return fixture.failure(URL);
    }

    static void drip(OriginConnection& connection, const std::string& bytes) {
        for (const char byte : bytes) {
            connection.send({&byte, 1});
            connection.pause(milliseconds(20));
        }
    }
};

TEST(FetchTimeTest, silentServerEndsAtTheLimit) {
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), failure([](OriginConnection& c) { c.holdOpen(); }));
}

TEST(FetchTimeTest, drippingHeadEndsAtTheLimit) {
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), failure([](OriginConnection& c) {
                             drip(c, "HTTP/1.1 200 OK\r\nX: " + std::string(10'000, 'a'));
                         }));
}

TEST(FetchTimeTest, drippingBodyEndsAtTheLimit) {
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), failure([](OriginConnection& c) {
                             c.send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
                             drip(c, std::string(10'000, 'a'));
                         }));
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), failure([](OriginConnection& c) {
                             c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                             for (;;)
                                 drip(c, "1\r\na\r\n");
                         }));
}

TEST(FetchTimeTest, fastButEndlessInterimBytesEndAtTheLimit) {
    // Always something to read: the limit must hold without any wait.
    LoopbackOrigin origin([](OriginConnection& c) {
        c.send("HTTP/1.1 200 OK\r\n\r\n");
        for (;;)
            c.send(std::string(0x10000, 'x'));
    });
    FetchFixture fixture(origin.port());
    fixture.options.timeout = milliseconds(300);
    fixture.options.maxBytes = std::uint64_t(1) << 40;
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), fixture.failure(URL));
}

TEST(FetchTimeTest, slowRedirectsShareOneLimit) {
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), failure([](OriginConnection& c) {
                             c.pause(milliseconds(120));
                             c.redirect("/again");
                         }));
}

TEST(FetchTimeTest, serverThatAcceptsNothingEndsAtTheConnectLimit) {
    // A listener with a full queue drops every further SYN.
    const Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0), 1);
    std::vector<Poco::Net::StreamSocket> fillers(8);
    for (auto& filler : fillers)
        filler.connectNB(listener.address());
    FetchFixture fixture(listener.address().port());
    fixture.rules.connectTimeout = milliseconds(200);
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), fixture.failure(URL));
}

TEST(FetchTimeTest, silentTlsHandshakeEndsAtTheConnectLimit) {
    const Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0), 16);
    FetchFixture fixture(listener.address().port());
    fixture.rules.connectTimeout = milliseconds(200);
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), fixture.failure("https://images.example.com/a.jpg"));
}

/// TCP is there: only until then the addresses share the time.
TEST(FetchTimeTest, silentTlsHandshakeIsNotTriedElsewhere) {
    const Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0), 16);
    FetchFixture fixture(listener.address().port());
    fixture.rules.connectTimeout = milliseconds(200);
    fixture.resolver->setDefault({"93.184.216.34", "93.184.216.35"});
    CPPUNIT_ASSERT_EQUAL(std::string(TIMEOUT), fixture.failure("https://images.example.com/a.jpg"));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), fixture.detour->addresses().size());
}

TEST(FetchTimeTest, limitOfTheWholeRequestEndsAFetch) {
    LoopbackOrigin origin([](OriginConnection& c) { c.holdOpen(); });
    const FetchFixture fixture(origin.port());
    const auto limit = Clock::now() + milliseconds(200);
    CPPUNIT_ASSERT_THROW(fixture.fetcher()->fetch(URL, limit), FetchError);
    const auto past = Clock::now() - milliseconds(1);
    CPPUNIT_ASSERT_THROW(fixture.fetcher()->fetch(URL, past), FetchError);
}

TEST(FetchTimeTest, slowButSteadyServerIsWaitedFor) {
    LoopbackOrigin origin([](OriginConnection& c) {
        c.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n");
        drip(c, "picture");
    });
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), FetchFixture(origin.port()).fetch(URL).bytes);
}

TEST(FetchTimeTest, stopEndsAFetchThatWaits) {
    StopSignal stop;
    LoopbackOrigin origin([&](OriginConnection& c) {
        stop.raise(); // the fetch waits, or is about to
        c.holdOpen();
    });
    const FetchFixture fixture(origin.port());
    CPPUNIT_ASSERT(thrownBy<FetchError>([&] { fixture.fetcher()->fetch(URL, later(), &stop); }).code() ==
                   FetchErrorCode::Stopped);
    CPPUNIT_ASSERT_THROW(fixture.fetcher()->fetch(URL, later(), &stop), FetchError);
    CPPUNIT_ASSERT_EQUAL(1u, origin.connections());
}

} // namespace supplierd::tests
