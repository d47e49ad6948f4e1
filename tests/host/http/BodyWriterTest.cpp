#include "host/http/response/BodyWriter.h"

#include <Poco/Net/ServerSocket.h>

#include <cppunit/extensions/HelperMacros.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

namespace supplierd::tests {

using host::BodyWriter;
using host::ClientGone;

namespace {

struct Connection {
    Connection() {
        Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0));
        client.connect(listener.address());
        server = listener.acceptConnection();
    }

    Poco::Net::StreamSocket client;
    Poco::Net::StreamSocket server;
};

constexpr std::uint64_t MANY = std::uint64_t{1} << 30;

void sendMany(BodyWriter& output) {
    const std::string piece(1 << 20, 'x');
    while (output.sent() < MANY)
        output.send(piece, false);
}

void drip(Poco::Net::StreamSocket& socket, const std::stop_token& stop) {
    std::array<char, 4096> buffer{};
    while (!stop.stop_requested()) {
        if (socket.poll(Poco::Timespan(0, 100'000), Poco::Net::Socket::SELECT_READ))
            socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

bool isBlocking(const Poco::Net::StreamSocket& socket) {
    return (::fcntl(socket.impl()->sockfd(), F_GETFL) & O_NONBLOCK) == 0;
}

} // namespace

class BodyWriterTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(BodyWriterTest);
    CPPUNIT_TEST(testSocketIsBlockingAgainAfterwards);
    CPPUNIT_TEST(testClientThatTakesNothingIsGivenUp);
    CPPUNIT_TEST(testClientThatTakesTooLittleIsGivenUp);
    CPPUNIT_TEST(testClosedConnectionIsToldFromABadFile);
    CPPUNIT_TEST(testFileThatTheKernelCannotSendIsToldApart);
    CPPUNIT_TEST_SUITE_END();

public:
    void testSocketIsBlockingAgainAfterwards() {
        Connection connection;
        {
            BodyWriter output(connection.server, {}, 5);
            CPPUNIT_ASSERT(!isBlocking(connection.server));
            output.send("tulip", false);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t{5}, output.sent());
        }
        CPPUNIT_ASSERT(isBlocking(connection.server));
        std::array<char, 5> received{};
        CPPUNIT_ASSERT_EQUAL(5, connection.client.receiveBytes(received.data(), 5));
        CPPUNIT_ASSERT_EQUAL(std::string("tulip"), std::string(received.data(), received.size()));
    }

    void testClientThatTakesNothingIsGivenUp() {
        Connection connection;
        BodyWriter output(connection.server, {std::chrono::milliseconds(50)}, MANY);
        CPPUNIT_ASSERT_THROW(sendMany(output), ClientGone);
        CPPUNIT_ASSERT(output.sent() < MANY);
    }

    /// It is never still for as long as it may be, and far too slow all the same.
    void testClientThatTakesTooLittleIsGivenUp() {
        Connection connection;
        const std::jthread reader([&](const std::stop_token& stop) { drip(connection.client, stop); });
        BodyWriter output(connection.server, {std::chrono::milliseconds(500), MANY}, MANY);
        CPPUNIT_ASSERT_THROW(sendMany(output), ClientGone);
        CPPUNIT_ASSERT(output.sent() < MANY);
    }

    void testClosedConnectionIsToldFromABadFile() {
        Connection connection;
        const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        BodyWriter output(connection.server, {}, MANY);
        CPPUNIT_ASSERT_THROW(output.sendFile(-1, 0, 100), std::system_error);
        CPPUNIT_ASSERT_EQUAL(std::size_t{100}, output.sendFile(file, 0, 100).value());
        connection.server.shutdownSend();
        CPPUNIT_ASSERT_THROW(output.sendFile(file, 0, 100), ClientGone);
        CPPUNIT_ASSERT_THROW(output.send("x", false), ClientGone);
        ::close(file);
    }

    void testFileThatTheKernelCannotSendIsToldApart() {
        Connection connection;
        std::array<int, 2> pipe{};
        CPPUNIT_ASSERT_EQUAL(0, ::pipe(pipe.data()));
        BodyWriter output(connection.server, {}, 10);
        CPPUNIT_ASSERT(!output.sendFile(pipe[0], 0, 10));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, output.sent());
        ::close(pipe[0]);
        ::close(pipe[1]);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(BodyWriterTest);

} // namespace supplierd::tests
