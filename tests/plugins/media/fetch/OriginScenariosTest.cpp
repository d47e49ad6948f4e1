#include "FetchFixture.h"
#include "host/outbound/OutboundHttp.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/StringTokenizer.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace supplierd::tests {

/// The misbehaving web server of ../shared/corpora/ssrf, scenario by scenario, over real connections.
class OriginScenariosTest : public CppUnit::TestFixture {
protected:
    static std::filesystem::path corpora() { return sourcePath("../shared/corpora"); }

    static unsigned findFreePort() {
        return Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port();
    }

    static void waitUntilListening(unsigned port) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for (;;) {
            try {
                Poco::Net::StreamSocket probe(Poco::Net::SocketAddress("127.0.0.1", static_cast<std::uint16_t>(port)));
                return;
            } catch (const Poco::Exception&) {
                CPPUNIT_ASSERT_MESSAGE("origin.py does not listen", std::chrono::steady_clock::now() < end);
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        }
    }

    static void check(const FetchFixture& fixture, const media::ImageFetcher& fetcher, const std::string& base,
                      const std::string& path, const std::string& verdict) {
        const std::string suffix = path.starts_with("/cl_5mb_") ? "?i" : "";
        std::string found = "accept";
        std::string text;
        try {
            const auto image = fetcher.fetch(base + path + suffix, later());
            text = std::to_string(image.bytes.size()) + " bytes";
            CPPUNIT_ASSERT_MESSAGE(path, image.bytes.size() <= fixture.options.maxBytes);
        } catch (const media::FetchError& problem) {
            found = "reject";
            text = std::string(media::codeName(problem.code())) + ": " + problem.what();
        }
        if (verdict != "either")
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path + " → " + text, verdict, found);
    }
};

TEST(OriginScenariosTest, everyScenarioHasItsVerdict) {
    std::ifstream scenarios(corpora() / "ssrf/origin_scenarios.tsv");
    if (!scenarios) {
        throw Skip("there is no ../shared/corpora/ssrf");
    }
    const TemporaryDirectory directory("origin");
    writeWholeFile(directory / "image.jpg", "\xff\xd8\xff\xe0" + pictureOf(50'000) + "\xff\xd9");
    const unsigned port = findFreePort();
    const unsigned canary = findFreePort();
    ChildProcess origin({{"python3", (corpora() / "ssrf/origin.py").string(), std::to_string(port),
                          std::to_string(canary), (directory / "image.jpg").string()},
                         {},
                         directory / "log",
                         directory / "log",
                         {}});
    waitUntilListening(port);

    FetchFixture fixture;
    fixture.rules.allowNetworks = {AddressNetwork::parse("127.0.0.0/8").value()};
    fixture.rules.allowPorts = {static_cast<std::uint16_t>(port)};
    fixture.options.timeout = std::chrono::seconds(3);
    const media::ImageFetcher fetcher(
        fixture.options,
        std::make_unique<host::OutboundHttp>(fixture.rules, fixture.resolver, std::make_shared<host::Connector>()));
    // Whether the bytes are a picture is for others to say; the bomb keeps its own server busy for a minute, and
    // a compressed body is refused by its head anyway (ImageFetcherTest).
    const std::set<std::string> notForUs{"/html_as_jpeg", "/gzip_bomb"};
    unsigned checked = 0;
    std::string line;
    std::getline(scenarios, line);
    while (std::getline(scenarios, line)) {
        const Poco::StringTokenizer fields(line, "\t");
        if (notForUs.contains(fields[0]))
            continue;
        check(fixture, fetcher, "http://127.0.0.1:" + std::to_string(port), fields[0], fields[1]);
        ++checked;
    }
    CPPUNIT_ASSERT(checked > 50);
    const std::string log = readWholeFile(directory / "log");
    CPPUNIT_ASSERT_MESSAGE(log, log.find("CANARY HIT") == std::string::npos);
    for (const std::string word : {"Authorization", "Cookie", "Bearer"})
        CPPUNIT_ASSERT_MESSAGE(word, log.find(word) == std::string::npos);
}

} // namespace supplierd::tests
