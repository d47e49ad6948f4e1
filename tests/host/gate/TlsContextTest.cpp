#include "host/gate/TlsContext.h"

#include "tests/support/TestAuthority.h"

#include <cppunit/extensions/HelperMacros.h>
#include <openssl/ssl.h>
#include <prometheus/registry.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// A client of TLS 1.2 that comes again and again with the session that it has.
class ReturningClient {
public:
    ReturningClient() : _context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
        SSL_CTX_set_max_proto_version(_context.get(), TLS1_2_VERSION);
    }

    /// Whether the server knows the session.
    bool isKnownTo(host::TlsContext& server) {
        std::array<int, 2> ends{};
        CPPUNIT_ASSERT_EQUAL(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()));
        const auto transport = server.accept(ends[0]);
        const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(_context.get()), SSL_free);
        SSL_set_fd(ssl.get(), ends[1]);
        SSL_set_connect_state(ssl.get());
        if (_session)
            SSL_set_session(ssl.get(), _session.get());
        bool isServerDone = false;
        for (int i = 0; i < 10 && !(isServerDone && SSL_is_init_finished(ssl.get()) == 1); ++i) {
            SSL_do_handshake(ssl.get());
            isServerDone = isServerDone || transport->handshake().status == host::Transfer::Status::Done;
        }
        CPPUNIT_ASSERT(isServerDone && SSL_is_init_finished(ssl.get()) == 1);
        _session.reset(SSL_get1_session(ssl.get()));
        const bool isKnown = SSL_session_reused(ssl.get()) == 1;
        SSL_set_shutdown(ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); // else the session is no good any more
        ::close(ends[1]);
        return isKnown;
    }

private:
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> _context;
    std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> _session{nullptr, SSL_SESSION_free};
};

} // namespace

class TlsContextTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(TlsContextTest);
    CPPUNIT_TEST(testSessionIsKnownWhileItsTicketKeysLive);
    CPPUNIT_TEST(testSessionOfOldTicketKeysIsNotKnown);
    CPPUNIT_TEST_SUITE_END();

public:
    void testSessionIsKnownWhileItsTicketKeysLive() {
        host::TlsContext server(_files, _metrics, nullptr, {10s, 1h});
        ReturningClient client;
        CPPUNIT_ASSERT(!client.isKnownTo(server));
        CPPUNIT_ASSERT(client.isKnownTo(server));
        CPPUNIT_ASSERT(client.isKnownTo(server));
    }

    void testSessionOfOldTicketKeysIsNotKnown() {
        host::TlsContext server(_files, _metrics, nullptr, {10s, 0ms});
        ReturningClient client;
        for (int i = 0; i < 3; ++i)
            CPPUNIT_ASSERT(!client.isKnownTo(server));
    }

private:
    static host::TlsContext::Files filesOf(const LoopbackOrigin::Certificate& certificate) {
        return {certificate.chain, certificate.key};
    }

    TestAuthority _authority;
    const host::TlsContext::Files _files = filesOf(_authority.issue("server", "IP:127.0.0.1"));
    prometheus::Registry _registry;
    host::TlsMetrics _metrics{_registry};
};

CPPUNIT_TEST_SUITE_REGISTRATION(TlsContextTest);

} // namespace supplierd::tests
