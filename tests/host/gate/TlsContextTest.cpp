#include "host/gate/tls/TlsContext.h"

#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"

#include <openssl/ssl.h>
#include <prometheus/registry.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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
protected:
    static std::string refusal(const host::TlsContext::Files& files) {
        try {
            host::TlsContext::check(files);
        } catch (const std::runtime_error& failure) {
            return failure.what();
        }
        return {};
    }

    static host::TlsContext::Files filesOf(const LoopbackOrigin::Certificate& certificate) {
        return {certificate.chain, certificate.key};
    }

    TestAuthority _authority;
    const host::TlsContext::Files _files = filesOf(_authority.issue("server", "IP:127.0.0.1"));
    prometheus::Registry _registry;
    host::TlsMetrics _metrics{_registry};
};

TEST(TlsContextTest, sessionIsKnownWhileItsTicketKeysLive) {
    host::TlsContext server(_files, _metrics, nullptr, {10s, 1h});
    ReturningClient client;
    CPPUNIT_ASSERT(!client.isKnownTo(server));
    CPPUNIT_ASSERT(client.isKnownTo(server));
    CPPUNIT_ASSERT(client.isKnownTo(server));
}

TEST(TlsContextTest, sessionOfOldTicketKeysIsNotKnown) {
    host::TlsContext server(_files, _metrics, nullptr, {10s, 0ms});
    ReturningClient client;
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT(!client.isKnownTo(server));
}

/// OpenSSL keeps a pair of each kind, and finds nothing wrong with half of two.
TEST(TlsContextTest, keyOfAnotherKindThanTheCertificateIsRefused) {
    const auto rsa = _authority.issue("rsa", "IP:127.0.0.1", {.isRsa = true});
    for (const auto& [certificate, key] : {std::pair(rsa.chain, _files.key), {_files.certificate, rsa.key}}) {
        const auto reason = refusal({certificate, key});
        CPPUNIT_ASSERT_MESSAGE(reason, reason.find(key.string() + " is not the key of " + certificate.string()) !=
                                           std::string::npos);
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), refusal({rsa.chain, rsa.key}));
}

/// The curve is none of those that are spoken here.
TEST(TlsContextTest, pairThatNoClientCanUseIsRefused) {
    const auto odd = _authority.issue("odd", "IP:127.0.0.1", {.curve = "secp256k1"});
    const auto reason = refusal({odd.chain, odd.key});
    CPPUNIT_ASSERT_MESSAGE(reason, reason.find("no client can connect with") != std::string::npos);
}

TEST(TlsContextTest, halfCopiedRenewalLeavesThePairThatWorks) {
    const TemporaryDirectory folder("renewal");
    const auto copy = [&](const std::filesystem::path& from, const char* name) {
        std::filesystem::copy_file(from, folder / name, std::filesystem::copy_options::overwrite_existing);
    };
    copy(_files.certificate, "server.pem");
    copy(_files.key, "server.key");
    std::vector<std::string> notices;
    host::TlsContext server({folder / "server.pem", folder / "server.key"}, _metrics,
                            [&](const std::string& failure) { notices.push_back(failure); }, {0ms, 1h});
    const auto renewed = _authority.issue("renewed", "IP:127.0.0.1", {.isRsa = true});
    copy(renewed.chain, "server.pem");
    CPPUNIT_ASSERT(!ReturningClient().isKnownTo(server)); // and it is served
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, notices.size());
    CPPUNIT_ASSERT_MESSAGE(notices[0], notices[0].find("is not the key of") != std::string::npos);
    copy(renewed.key, "server.key");
    CPPUNIT_ASSERT(!ReturningClient().isKnownTo(server));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, notices.size());
    CPPUNIT_ASSERT_EQUAL(std::string(), notices[1]);
}

TEST(TlsContextTest, checkTellsWhoseCertificateItIsAndUntilWhen) {
    const auto issued = _authority.issue("shop", "DNS:shop.example,DNS:api.shop.example", {.days = 10});
    const auto found = host::TlsContext::check({issued.chain, issued.key});
    CPPUNIT_ASSERT_EQUAL(std::string("shop.example, api.shop.example"), found.names);
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    CPPUNIT_ASSERT(found.expiresAt > now + 9 * 86'400 && found.expiresAt <= now + 11 * 86'400);
    CPPUNIT_ASSERT(found.expiryProblem(now).find("expires on") != std::string::npos);
    CPPUNIT_ASSERT(found.expiryProblem(now + 20 * 86'400).find("has expired on") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string(), found.expiryProblem(now - 20 * 86'400));
}

} // namespace supplierd::tests
