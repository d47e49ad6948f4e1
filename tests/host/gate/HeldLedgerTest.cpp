#include "host/gate/HeldLedger.h"

#include "tests/host/gate/GateServer.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t MIB = std::uint64_t{1} << 20;
constexpr std::uint64_t PIECE = 256 << 10; // more than a window

host::HeldLedger::Holder strangerAt(const std::string& address) {
    return {host::ClientNetwork(Poco::Net::IPAddress(address))};
}

host::HeldLedger::Holder supplierAt(std::int64_t supplier, const std::string& address) {
    return {host::ClientNetwork(Poco::Net::IPAddress(address)), supplier, true};
}

/// Holds pieces until there is no more room: how much that was.
std::uint64_t filledBy(host::HeldLedger& ledger, const host::HeldLedger::Holder& holder,
                       std::vector<host::Holding>& held) {
    std::uint64_t bytes = 0;
    while (auto holding = ledger.holdInMemory(holder, PIECE)) {
        held.push_back(std::move(*holding));
        bytes += PIECE;
    }
    return bytes;
}

host::GateSettings smallLimits() {
    auto settings = oneWorker();
    settings.held = {8 * MIB, 256 * MIB};
    return settings;
}

std::string post(const std::string& target, std::size_t size) {
    return "POST " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + std::to_string(size) +
           "\r\n\r\n";
}

} // namespace

/// What is held for others, and who gets how much of it.
class HeldLedgerTest : public CppUnit::TestFixture {};

TEST(HeldLedgerTest, aStrangersNetworkGetsASixteenthOfTheMemory) {
    host::HeldLedger ledger({64 * MIB, 64 * MIB});
    std::vector<host::Holding> held;
    CPPUNIT_ASSERT_EQUAL(4 * MIB, filledBy(ledger, strangerAt("2001:db8::1"), held));
    CPPUNIT_ASSERT(!ledger.holdInMemory(strangerAt("2001:db8::2:3"), PIECE)); // the same /64
    CPPUNIT_ASSERT(ledger.holdInMemory(strangerAt("2001:db8:0:1::1"), PIECE));
    CPPUNIT_ASSERT(ledger.holdInMemory(supplierAt(1, "2001:db8::1"), PIECE)); // it has shown who it is
}

TEST(HeldLedgerTest, allStrangersTogetherLeaveMostOfItToOthers) {
    host::HeldLedger ledger({64 * MIB, 64 * MIB});
    std::vector<host::Holding> held;
    std::uint64_t bytes = 0;
    for (int i = 1; i < 100; ++i)
        bytes += filledBy(ledger, strangerAt("192.0.2." + std::to_string(i)), held);
    CPPUNIT_ASSERT_EQUAL(8 * MIB, bytes);
    CPPUNIT_ASSERT_EQUAL(16 * MIB, filledBy(ledger, supplierAt(1, "198.51.100.1"), held));
}

TEST(HeldLedgerTest, aSupplierGetsNoMoreFromManyAddresses) {
    host::HeldLedger ledger({64 * MIB, 64 * MIB});
    std::vector<host::Holding> held;
    std::uint64_t bytes = 0;
    for (int i = 1; i < 10; ++i)
        bytes += filledBy(ledger, supplierAt(7, "192.0.2." + std::to_string(i)), held);
    CPPUNIT_ASSERT_EQUAL(16 * MIB, bytes);
    CPPUNIT_ASSERT(ledger.holdInMemory(supplierAt(8, "192.0.2.9"), PIECE));
}

TEST(HeldLedgerTest, whatIsInFilesHasAWindowWhenTheMemoryIsFull) {
    host::HeldLedger ledger({64 * MIB, 64 * MIB});
    std::vector<host::Holding> held;
    filledBy(ledger, supplierAt(7, "192.0.2.1"), held);
    const auto inFile = ledger.holdInFile(supplierAt(7, "192.0.2.1"), 10 * MIB);
    CPPUNIT_ASSERT(inFile);
    CPPUNIT_ASSERT_EQUAL(10 * MIB, ledger.held().files);
    CPPUNIT_ASSERT(!ledger.holdInFile(supplierAt(7, "192.0.2.1"), 6 * MIB + 1)); // a quarter of the files
    CPPUNIT_ASSERT(ledger.holdInFile(supplierAt(7, "192.0.2.1"), 6 * MIB));
}

TEST(HeldLedgerTest, whatIsReleasedIsThereAgain) {
    host::HeldLedger ledger({64 * MIB, 64 * MIB});
    for (int round = 0; round < 2; ++round) {
        std::vector<host::Holding> held;
        CPPUNIT_ASSERT_EQUAL(16 * MIB, filledBy(ledger, supplierAt(7, "192.0.2.1"), held));
        CPPUNIT_ASSERT_EQUAL(16 * MIB, ledger.held().memory);
    }
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, ledger.held().memory);
}

TEST(HeldLedgerTest, whatManyThreadsHoldIsCountedAsAWhole) {
    host::HeldLedger ledger({64 * MIB, 64 * MIB});
    together(4, [&](int i) {
        for (int round = 0; round < 20'000; ++round) {
            const auto inFile = ledger.holdInFile(supplierAt(i + 1, "192.0.2." + std::to_string(i)), MIB);
            CPPUNIT_ASSERT(inFile);
            const auto held = ledger.held();
            CPPUNIT_ASSERT(held.files >= MIB && held.files <= 4 * MIB);
            CPPUNIT_ASSERT_EQUAL(held.files / MIB * host::HeldLedger::WINDOW, held.memory);
        }
    });
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, ledger.held().files);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, ledger.held().memory);
}

TEST(HeldLedgerTest, bodiesOfStrangersAreRefusedBeyondTheirShare) {
    GateServer server(smallLimits());
    std::vector<RawConnection> senders;
    for (int i = 0; i < 20; ++i) {
        senders.push_back(server.connect());
        senders.back().send(post("/stranger", 60'000) + letters(59'999));
    }
    waitFor("the refusals", [&] { return server.gate().ledger().refused() >= 12; });
    CPPUNIT_ASSERT(server.gate().ledger().held().memory <= MIB / 2);
    int refused = 0;
    for (auto& sender : senders) {
        sender.send("x");
        const auto received = sender.receiveAll(30s);
        refused += received.starts_with("HTTP/1.1 503 ") ? 1 : 0;
        CPPUNIT_ASSERT(received.starts_with("HTTP/1.1 503 ") || received.starts_with("HTTP/1.1 200 "));
    }
    CPPUNIT_ASSERT(refused >= 12 && refused < 20);
}

TEST(HeldLedgerTest, bodiesOfOthersGoToFilesAndComeWhole) {
    GateServer server(smallLimits());
    const auto body = letters(900'000);
    std::vector<RawConnection> senders;
    for (int i = 0; i < 6; ++i) {
        senders.push_back(server.connect());
        senders.back().send(post("/echo", body.size()) + body.substr(1));
    }
    waitFor("the bodies in files", [&] { return server.gate().ledger().held().files == 4 * body.size(); });
    CPPUNIT_ASSERT(server.gate().ledger().held().memory <= 2 * MIB + 4 * host::HeldLedger::WINDOW);
    for (auto& sender : senders) {
        sender.send(body.substr(body.size() - 1));
        CPPUNIT_ASSERT(bodyOf(sender.receiveAll(30s)) == "POST /echo " + body.substr(1) + body.substr(body.size() - 1));
    }
    waitFor("nothing held", [&] { return server.gate().ledger().held().files == 0; });
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, server.gate().ledger().held().memory);
}

TEST(HeldLedgerTest, abandonedBodiesHoldNothing) {
    GateServer server(smallLimits());
    {
        auto sender = server.connect();
        sender.send(post("/echo", 900'000) + letters(100'000));
        waitFor("the body", [&] { return server.gate().ledger().held().memory == 900'000; });
    }
    waitFor("nothing held", [&] { return server.gate().ledger().held().memory == 0; });
}

TEST(HeldLedgerTest, responsesOfSlowReadersGoToFilesAndAreCutOffBeyond) {
    GateServer server(smallLimits());
    constexpr std::size_t SIZE = 16'000'000; // more than the buffers on the way hold
    std::vector<RawConnection> readers;
    for (int i = 0; i < 8; ++i) {
        readers.push_back(server.connect());
        readers.back().send("GET /large/" + std::to_string(SIZE) + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    }
    waitFor("the first one that is cut off", [&] { return server.cutOff() > 0; });
    CPPUNIT_ASSERT(server.gate().ledger().held().memory <= 2 * MIB);
    CPPUNIT_ASSERT(server.gate().ledger().held().files <= 64 * MIB);
    CPPUNIT_ASSERT(bodyOf(readers.front().receiveAll(30s)) == letters(SIZE));
}

TEST(HeldLedgerTest, responseThatNoDiskHasRoomForIsCutOff) {
    ::setenv("TMPDIR", "/nowhere", 1); // NOLINT(concurrency-mt-unsafe): no other thread yet
    {
        GateServer server(smallLimits());
        auto reader = server.connect();
        reader.send("GET /large/16000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        waitFor("its being cut off", [&] { return server.gate().ledger().refused() == 1; });
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, server.gate().ledger().held().files);
    }
    ::unsetenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): none any more
}

} // namespace supplierd::tests
