#include "tests/support/Test.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/TestAuthority.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

const std::filesystem::path TESTSSL = "/usr/bin/testssl";

} // namespace

/// What testssl.sh (Debian's package testssl.sh) finds about the API by HTTPS: protocols, cipher categories, forward
/// secrecy, the server's defaults, its HTTP head, renegotiation, compression. By hand it takes two minutes to find
/// everything:
///     testssl --nodns none --ip 127.0.0.1 https://localhost:8443/
class TestsslTest : public CppUnit::TestFixture {
protected:
    /// What should have been found to be well, and was not checked. Fails the test for anything that is not well.
    std::string check(const std::string& url) const {
        const TemporaryDirectory directory("testssl");
        const auto found = (directory / "found.json").string();
        std::istringstream words(" --quiet --color 0 --warnings off --nodns none --ip 127.0.0.1 --add-ca " +
                                 _authority.certificate() + " --jsonfile " + found +
                                 " --protocols --std -f --server-defaults --headers --renegotiation --compression " +
                                 url);
        std::vector<std::string> arguments{TESTSSL.string()};
        arguments.insert(arguments.end(), std::istream_iterator<std::string>(words), {});
        const auto result = runCommand({.arguments = arguments});
        CPPUNIT_ASSERT_MESSAGE(result.output + result.errors, std::filesystem::exists(found));
        std::map<std::string, std::string> severities;
        for (const auto& finding : Json::parse(readWholeFile(found))) {
            const auto id = finding.at("id").get<std::string>();
            const auto severity = finding.at("severity").get<std::string>();
            // testssl 3.2 has other words than 3.0 for forward secrecy.
            severities[id == "FS" ? "PFS" : id == "cipherlist_STRONG_FS" ? "cipherlist_STRONG" : id] = severity;
            // Certificates of a test live for two days, and nobody revokes them. A warning is of testssl itself.
            if (!id.starts_with("cert"))
                CPPUNIT_ASSERT_MESSAGE(finding.dump(), severity == "OK" || severity == "INFO" || severity == "WARN");
        }
        std::string unchecked;
        for (const auto* id :
             {"TLS1_2", "TLS1_3", "SSLv3", "cipherlist_STRONG", "cipherlist_LOW", "PFS", "HSTS_time",
              "X-Content-Type-Options", "secure_renego", "secure_client_renego", "CRIME_TLS", "cert_chain_of_trust"})
            if (severities[id] != "OK")
                unchecked.append(id).append(" ");
        return unchecked;
    }

    TestAuthority _authority;
};

TEST(TestsslTest, nothingIsFound) {
    if (!std::filesystem::exists(TESTSSL)) {
        throw Skip("testssl.sh is not installed");
    }
    const auto certificate = _authority.issue("server", "IP:127.0.0.1");
    ServerFixture fixture(probed("[server]\ntls_certificate = \"" + certificate.chain.string() + "\"\ntls_key = \"" +
                                 certificate.key.string() + "\"\nhsts = \"365d\"\n"));
    auto unchecked = check(fixture.server().url() + "/me");
    if (!unchecked.empty()) // it gives up soon on what is slow, as a busy machine is
        unchecked = check(fixture.server().url() + "/me");
    CPPUNIT_ASSERT_EQUAL(std::string(), unchecked);
}

} // namespace supplierd::tests
