#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"
#include "tests/system/faults/WritingLoad.h"

#include <random>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr int ROUNDS = 20;
constexpr std::size_t MOST_RESPONSES = 60;
constexpr int LONGEST_MICROSECONDS = 20'000;
constexpr auto LOOK_INTERVAL = std::chrono::microseconds(200);
constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

} // namespace

/// supplierd is killed while clients write.
class ServerKillTest : public CppUnit::TestFixture {
protected:
    /// After some responses, in the middle of others.
    void awaitRandomMoment(const WritingLoad& load) {
        const auto responses = std::uniform_int_distribution<std::size_t>(0, MOST_RESPONSES)(_random);
        const auto deadline = std::chrono::steady_clock::now() + LOOK_LIMIT;
        while (load.acknowledged() < responses && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(LOOK_INTERVAL);
        std::this_thread::sleep_for(
            std::chrono::microseconds(std::uniform_int_distribution<int>(0, LONGEST_MICROSECONDS)(_random)));
    }

    /// Every acknowledged write of every server that was killed is answered as it did then.
    void requireFirstOutcomesReplayed(const std::vector<Write>& writes) {
        for (const auto& write : writes) {
            if (!write.acknowledged())
                continue;
            auto http = _fixture.client(write.account);
            const auto again = http.post("/products", _fixture.product(write.name), write.headers());
            requireStatus(201, again);
            CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
            CPPUNIT_ASSERT_EQUAL(write.productId, again.data().at("product").at("id").get<std::int64_t>());
        }
    }

    std::mt19937 _random{std::random_device{}()};
    FaultFixture _fixture{FaultOptions{.suppliers = 2}};
};

TEST(ServerKillTest, aKilledServerLosesAndDoublesNothing) {
    std::size_t acknowledged = 0;
    std::size_t unanswered = 0;
    std::vector<Write> earlier;
    for (int round = 0; round < ROUNDS; ++round) {
        WritingLoad load(_fixture, 2,
                         {.clients = 6, .prefix = "Round " + std::to_string(round), .serverMayVanish = true});
        awaitRandomMoment(load);
        _fixture.server().kill();
        load.finish();
        if (!load.complaints().empty())
            CPPUNIT_FAIL(load.complaints().front());
        _fixture.server().start();
        _fixture.requireTrueNumbers();
        for (const auto& write : load.writes()) {
            acknowledged += write.acknowledged() ? 1 : 0;
            unanswered += write.status == 0 ? 1 : 0;
        }
        requireWritesAsAcknowledged(_fixture, load.writes());
        _fixture.requireTrueNumbers();
        earlier.insert(earlier.end(), load.writes().begin(), load.writes().end());
    }
    CPPUNIT_ASSERT_MESSAGE("hardly anything was written", acknowledged > ROUNDS);
    CPPUNIT_ASSERT_MESSAGE("hardly a request was cut off", unanswered > ROUNDS);
    requireFirstOutcomesReplayed(earlier);
    CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(earlier.size()),
                         _fixture.database().integer("SELECT COUNT(*) FROM products"));
    _fixture.requireTrueNumbers();
}

/// SIGTERM lets what runs end: a request is answered, or was not taken at all.
TEST(ServerKillTest, anAskedForEndLosesNoResponse) {
    for (int round = 0; round < 3; ++round) {
        WritingLoad load(_fixture, 2,
                         {.clients = 6, .prefix = "Stop " + std::to_string(round), .serverMayVanish = true});
        awaitRandomMoment(load);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(_fixture.server().log(), 0, _fixture.server().stop());
        load.finish();
        if (!load.complaints().empty())
            CPPUNIT_FAIL(load.complaints().front());
        for (const auto& write : load.writes()) {
            const std::int64_t wanted = write.acknowledged() ? 1 : 0;
            CPPUNIT_ASSERT_EQUAL_MESSAGE(write.name + (wanted ? " is lost" : " was done and not answered"), wanted,
                                         _fixture.productsNamed(write.name));
        }
        _fixture.server().start();
        _fixture.requireTrueNumbers();
    }
}

} // namespace supplierd::tests
