#include "host/http/ListeningSocket.h"

#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <Poco/Net/StreamSocket.h>

#include <sys/socket.h>

#include <stdexcept>
#include <string>

namespace supplierd::tests {

using host::ListeningSocket;

class ListeningSocketTest : public CppUnit::TestFixture {};

TEST(ListeningSocketTest, clientThatTakesNothingTakesLittleOfTheKernelsMemory) {
    ListeningSocket listening({Poco::Net::SocketAddress("127.0.0.1", 0), "server.listen"});
    Poco::Net::StreamSocket client;
    client.init(AF_INET);
    client.setReceiveBufferSize(4'096);
    client.connect(listening.address());
    CPPUNIT_ASSERT(listening.poll(Poco::Timespan(30, 0), Poco::Net::Socket::SELECT_READ));
    auto connection = listening.acceptConnection();
    const std::string piece(16'384, 'x');
    std::size_t taken = 0;
    const auto send = [&] {
        return ::send(connection.impl()->sockfd(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    };
    for (auto sent = send(); sent > 0; sent = send())
        taken += static_cast<std::size_t>(sent);
    CPPUNIT_ASSERT_MESSAGE(std::to_string(taken), taken >= 128 * 1024);
    CPPUNIT_ASSERT_MESSAGE(std::to_string(taken), taken < 512 * 1024); // it would be some megabytes
}

TEST(ListeningSocketTest, addressInUseIsNamedWithItsSetting) {
    const ListeningSocket first({Poco::Net::SocketAddress("127.0.0.1", 0), "server.listen"});
    const std::string text = thrownBy<std::runtime_error>([&] {
                                 const ListeningSocket second({first.address(), "server.admin_listen"});
                             }).what();
    requireIn(first.address().toString(), text);
    requireIn("server.admin_listen", text);
}

} // namespace supplierd::tests
