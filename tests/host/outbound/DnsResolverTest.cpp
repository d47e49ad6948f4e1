#include "host/outbound/DnsResolver.h"

#include "FakeNameServer.h"
#include "tests/host/outbound/OutboundFixtures.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::DnsResolver;
using host::TimeLimit;
using Reply = FakeNameServer::Reply;

class DnsResolverTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(DnsResolverTest);
    CPPUNIT_TEST(testAddressesOfBothFamiliesAreFound);
    CPPUNIT_TEST(testAliasesAreFollowed);
    CPPUNIT_TEST(testNamesAreAskedAsTheyAre);
    CPPUNIT_TEST(testUnknownNameIsADnsError);
    CPPUNIT_TEST(testNameWithoutAddressesIsADnsError);
    CPPUNIT_TEST(testFailingServerIsADnsError);
    CPPUNIT_TEST(testAnswerWithAnotherIdIsIgnored);
    CPPUNIT_TEST(testSilentServerEndsAtTheLimit);
    CPPUNIT_TEST(testStopEndsALookup);
    CPPUNIT_TEST_SUITE_END();

    using Texts = std::set<std::string>;

    static Texts resolve(const FakeNameServer& server, const std::string& name) {
        Texts texts;
        for (const auto& address : DnsResolver(server.address()).resolve(name, longLimit()))
            texts.insert(address.toString());
        return texts;
    }

    static HttpErrorCode codeOf(const FakeNameServer& server, const TimeLimit& limit) {
        try {
            DnsResolver(server.address()).resolve("images.example.com", limit);
        } catch (const HttpError& problem) {
            return problem.code();
        }
        CPPUNIT_FAIL("found");
        return HttpErrorCode::Damaged;
    }

    static HttpErrorCode codeFor(const Reply& reply) {
        const FakeNameServer server([&](const std::string&) { return reply; });
        return codeOf(server, longLimit());
    }

    void testAddressesOfBothFamiliesAreFound() {
        const FakeNameServer server([](const std::string&) {
            return Reply{0, {"1.1.1.1", "1.0.0.1", "2606:4700:4700::1111"}};
        });
        CPPUNIT_ASSERT(resolve(server, "images.example.com") == (Texts{"1.1.1.1", "1.0.0.1", "2606:4700:4700::1111"}));
        const FakeNameServer only4([](const std::string&) { return Reply{0, {"1.1.1.1"}}; });
        CPPUNIT_ASSERT(resolve(only4, "images.example.com") == Texts{"1.1.1.1"});
        const FakeNameServer only6([](const std::string&) { return Reply{0, {"2606:4700:4700::1111"}}; });
        CPPUNIT_ASSERT(resolve(only6, "images.example.com") == Texts{"2606:4700:4700::1111"});
    }

    void testAliasesAreFollowed() {
        const FakeNameServer server([](const std::string&) { return Reply{0, {"10.0.0.1"}, "inner.example.net"}; });
        CPPUNIT_ASSERT(resolve(server, "images.example.com") == Texts{"10.0.0.1"});
    }

    void testNamesAreAskedAsTheyAre() {
        const FakeNameServer server([](const std::string&) { return Reply{3, {}}; });
        for (const std::string name : {"images.example.com", "printer"})
            CPPUNIT_ASSERT_THROW(DnsResolver(server.address()).resolve(name, longLimit()), HttpError);
        for (const auto& question : server.questions())
            CPPUNIT_ASSERT_MESSAGE(question,
                                   question.ends_with(" images.example.com") || question.ends_with(" printer"));
        CPPUNIT_ASSERT(std::ranges::count(server.questions(), "A images.example.com") == 1);
    }

    void testUnknownNameIsADnsError() { CPPUNIT_ASSERT(codeFor({3, {}}) == HttpErrorCode::Dns); }

    void testNameWithoutAddressesIsADnsError() { CPPUNIT_ASSERT(codeFor({0, {}}) == HttpErrorCode::Dns); }

    void testFailingServerIsADnsError() { CPPUNIT_ASSERT(codeFor({2, {}}) == HttpErrorCode::Dns); }

    void testAnswerWithAnotherIdIsIgnored() {
        const FakeNameServer server([](const std::string&) { return Reply{0, {"1.1.1.1"}, {}, true}; });
        CPPUNIT_ASSERT(resolve(server, "images.example.com") == Texts{"1.1.1.1"});
    }

    void testSilentServerEndsAtTheLimit() {
        const FakeNameServer server([](const std::string&) { return std::nullopt; });
        const TimeLimit limit(TimeLimit::Clock::now() + std::chrono::milliseconds(200));
        CPPUNIT_ASSERT(codeOf(server, limit) == HttpErrorCode::Timeout);
        CPPUNIT_ASSERT(codeOf(server, longLimit()) == HttpErrorCode::Dns);
    }

    void testStopEndsALookup() {
        StopSignal stop;
        const FakeNameServer server([&](const std::string&) {
            stop.raise();
            return std::nullopt;
        });
        CPPUNIT_ASSERT(codeOf(server, longLimit(&stop)) == HttpErrorCode::Stopped);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(DnsResolverTest);

} // namespace supplierd::tests
