#include "tests/support/ChildProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// The API by HTTPS, with curl and the openssl command as clients.
class TlsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        install(_authority.issue("first", "IP:127.0.0.1"));
        auto options = probed("[server]\ntls_certificate = \"" + file("server.pem") + "\"\ntls_key = \"" +
                              file("server.key") + "\"\nhsts = \"1d\"\n");
        _fixture = std::make_unique<ServerFixture>(options);
        _key = _fixture->server().createKey(_fixture->server().createSupplier("Rozenhof"));
    }

protected:
    std::string file(const std::string& name) const { return (_directory / name).string(); }
    std::string url(const std::string& path) const { return _fixture->server().url() + path; }
    double handshakes(const std::string& outcome) const {
        return _fixture->server().metric("supplierd_tls_handshakes_total{outcome=\"" + outcome + "\"}");
    }
    void install(const LoopbackOrigin::Certificate& certificate) const {
        std::filesystem::copy_file(certificate.key, file("server.key"),
                                   std::filesystem::copy_options::overwrite_existing);
        std::filesystem::copy_file(certificate.chain, file("server.pem"),
                                   std::filesystem::copy_options::overwrite_existing);
    }
    CommandResult runCurl(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"/usr/bin/curl", "-sS", "--cacert", _authority.certificate(), "-H",
                                             "Authorization: Bearer " + _key});
        return runCommand({.arguments = std::move(arguments)});
    }
    /// The status; the first argument is the path.
    std::string curl(std::vector<std::string> arguments) const {
        arguments.front() = url(arguments.front());
        arguments.insert(arguments.begin(), {"-w", "%{http_code}"});
        if (std::find(arguments.begin() + 2, arguments.end(), "-o") == arguments.end())
            arguments.insert(arguments.begin(), {"-o", "/dev/null"});
        const auto result = runCurl(std::move(arguments));
        return result.exitCode == 0 ? result.output : result.errors;
    }
    /// What the openssl command says of a connection.
    std::string sClient(std::vector<std::string> arguments) const {
        const auto& url = _fixture->server().url();
        const auto begin = url.find("//") + 2;
        arguments.insert(arguments.begin(),
                         {"/usr/bin/openssl", "s_client", "-connect", url.substr(begin, url.find('/', begin) - begin),
                          "-CAfile", _authority.certificate()});
        const auto result = runCommand({.arguments = std::move(arguments)});
        return result.output + result.errors;
    }
    std::string commonName() const {
        const auto text = sClient({});
        std::smatch found; // OpenSSL 3.0 writes "CN = first", 3.5 "CN=first"
        return std::regex_search(text, found, std::regex("subject=CN ?= ?(.*)")) ? found[1].str() : "";
    }
    void assertRefused(const std::string& reason) const {
        const auto result = runCommand({.arguments = {ServerProcess::serverProgram().string(), "--check-config",
                                                      "--config=" + _fixture->server().configFile().string()}});
        const auto text = result.output + result.errors;
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, 1, result.exitCode);
        requireIn(reason, text);
    }

    TestAuthority _authority;
    TemporaryDirectory _directory{"tls"};
    std::unique_ptr<ServerFixture> _fixture;
    std::string _key;
};

TEST(TlsTest, requestsComeByHttpsAndNotInClear) {
    CPPUNIT_ASSERT(_fixture->server().url().starts_with("https://"));
    CPPUNIT_ASSERT_EQUAL(std::string("200"), curl({"/me"}));
    const auto plain = runCurl({"-o", "/dev/null", "http" + _fixture->server().url().substr(5) + "/me"});
    CPPUNIT_ASSERT(plain.exitCode != 0);
    waitFor("the metrics", [&] { return handshakes("completed") >= 1 && handshakes("failed") >= 1; });
    CPPUNIT_ASSERT(_fixture->server().metric("supplierd_tls_certificate_expiry_seconds") > 1.7e9);
}

TEST(TlsTest, connectionsServeSeveralRequests) {
    const auto result = runCurl({"-w", "%{http_code} %{num_connects}\n", "-o", "/dev/null", "-o", "/dev/null", "-o",
                                 "/dev/null", url("/me"), url("/me"), url("/test/whoami")});
    CPPUNIT_ASSERT_EQUAL(std::string("200 1\n200 0\n200 0\n"), result.output);
}

TEST(TlsTest, oldVersionsAreRefused) {
    const auto refused = sClient({"-tls1_1", "-cipher", "ALL@SECLEVEL=0"});
    requireIn("Cipher is (NONE)", refused);
    CPPUNIT_ASSERT_EQUAL(std::string("200"), curl({"/me", "--tls-max", "1.2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("200"), curl({"/me", "--tlsv1.3"}));
}

TEST(TlsTest, protocolIsHttp11OrNone) {
    const auto both = sClient({"-alpn", "h2,http/1.1"});
    requireIn("ALPN protocol: http/1.1", both);
    const auto none = sClient({"-alpn", "h2"});
    requireIn("no application protocol", none);
}

TEST(TlsTest, sessionsAreResumed) {
    const auto text = sClient({"-tls1_2", "-reconnect"});
    requireIn("Reused, TLSv1.2", text);
    waitFor("the metric", [&] { return handshakes("resumed") >= 1; });
}

TEST(TlsTest, largeBodiesTravelBothWays) {
    CPPUNIT_ASSERT_EQUAL(std::string("200"), curl({"/test/large?kib=5000", "-o", file("large")}));
    requireIn(std::string(5'000 * 1'024, 'x'), readWholeFile(file("large")));
    writeWholeFile(file("body.json"), R"({"text": ")" + std::string(900'000, 'x') + R"("})");
    const std::vector<std::string> sent{"-H", "Content-Type: application/json", "--data-binary"};
    CPPUNIT_ASSERT_EQUAL(std::string("201"), curl({"/test/run", sent[0], sent[1], sent[2], "@" + file("body.json")}));
    writeWholeFile(file("body.json"), R"({"text": ")" + std::string(2'000'000, 'x') + R"("})");
    CPPUNIT_ASSERT_EQUAL(std::string("413"), curl({"/test/run", sent[0], sent[1], sent[2], "@" + file("body.json")}));
}

TEST(TlsTest, browsersAreToldToStay) {
    const auto head = runCurl({"-D", "-", "-o", "/dev/null", url("/me")}).output;
    requireIn("\r\nStrict-Transport-Security: max-age=86400\r\n", head);
}

/// More than there are threads; each says nothing, or half of a handshake.
TEST(TlsTest, silentClientsHoldNobodyUp) {
    std::deque<RawConnection> silent;
    for (int i = 0; i < 200; ++i) {
        silent.emplace_back(_fixture->server().url());
        if (i % 2 == 0)
            silent.back().send(std::string("\x16\x03\x01\x02\x00\x01", 6));
    }
    for (int i = 0; i < 20; ++i)
        CPPUNIT_ASSERT_EQUAL(std::string("200"), curl({"/me", "--max-time", "20"}));
}

TEST(TlsTest, renewedCertificateIsTakenUp) {
    CPPUNIT_ASSERT_EQUAL(std::string("first"), commonName());
    install(_authority.issue("second", "IP:127.0.0.1"));
    waitFor("the new certificate", [&] { return commonName() == "second"; });
    CPPUNIT_ASSERT_EQUAL(std::string("200"), curl({"/me"}));
}

TEST(TlsTest, brokenFilesAreToldAndTheLastGoodOnesStay) {
    writeWholeFile(file("server.pem"), "-----BEGIN CERTIFICATE-----\nno");
    waitFor("the log", [&] {
        commonName();
        return _fixture->server().log().find("cannot be used; the one before stays in use") != std::string::npos;
    });
    CPPUNIT_ASSERT_EQUAL(std::string("first"), commonName());
    install(_authority.issue("third", "IP:127.0.0.1"));
    waitFor("the mended certificate", [&] { return commonName() == "third"; });
}

TEST(TlsTest, filesAreCheckedBeforeTheStart) {
    const auto mine = _authority.issue("mine", "IP:127.0.0.1");
    const auto other = _authority.issue("other", "IP:127.0.0.1");
    install({mine.chain, other.key});
    assertRefused("key values mismatch");
    std::filesystem::remove(file("server.key"));
    assertRefused("has no private key that can be used with");
}

} // namespace supplierd::tests
