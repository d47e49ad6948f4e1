#include "OrderAnswerCheck.h"
#include "OrderReaders.h"
#include "OrderServers.h"
#include "OrderWriters.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>

namespace supplierd::tests {

namespace {

int setting(const char* name, int preset) {
    const char* const given = std::getenv(name);
    return given != nullptr ? std::atoi(given) : preset;
}

} // namespace

/// Seven writers and six readers of orders on two servers, one of which is killed again and again: every answer is what
/// the commits up to its number give, replayed in a plain map, and none is older than what somebody had heard of
/// before. SUPPLIERD_TEST_MODEL_SECONDS: for so long. SUPPLIERD_TEST_SEED: the same choices again.
class ConcurrentOrdersTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ConcurrentOrdersTest);
    CPPUNIT_TEST(testEveryAnswerIsWhatTheCommitsGive);
    CPPUNIT_TEST_SUITE_END();

public:
    void testEveryAnswerIsWhatTheCommitsGive() {
        const auto seed =
            static_cast<unsigned>(setting("SUPPLIERD_TEST_SEED", static_cast<int>(std::random_device{}() % 1'000'000)));
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::seconds(setting("SUPPLIERD_TEST_MODEL_SECONDS", 6));
        OrderServers servers;
        OrderAnswerCheck check(servers.database(), servers.log());
        std::size_t answers = 0;
        std::size_t unchanged = 0;
        std::size_t kills = 0;
        std::size_t moves = 0;
        std::map<std::string, std::size_t> written;
        std::map<std::string, std::size_t> failures;
        const auto isEnough = [&] {
            return answers > 200 && unchanged > 10 && moves > 20 && check.walksChecked() > 0 && check.commits() > 50;
        };
        for (unsigned round = 0; std::chrono::steady_clock::now() < end || (!isEnough() && round < MOST_ROUNDS);
             ++round) {
            OrderWriters writers(servers, seed + round * 10'000);
            OrderReaders readers(servers, seed + round * 10'000);
            std::this_thread::sleep_for(ROUND / 2);
            servers.killAndStart(1);
            ++kills;
            std::this_thread::sleep_for(ROUND / 2);
            readers.finish();
            writers.finish();
            auto recorded = readers.takeAnswers();
            auto moved = writers.takeMoves();
            answers += recorded.size();
            moves += moved.size();
            unchanged += readers.unchanged();
            for (const auto& [what, count] : writers.answers())
                written[what] += count;
            for (const auto& [what, count] : readers.failures())
                failures[what] += count;
            try {
                check.check(std::move(recorded), std::move(moved));
            } catch (const std::exception& error) {
                CPPUNIT_FAIL("seed " + std::to_string(seed) + ": " + error.what());
            }
        }
        const double hits = servers.server(0).metric(R"(supplierd_orders_details_total{result="hit"})");
        std::cerr << "\n(seed " << seed << ": " << answers << " answers, " << unchanged << " of them 304, "
                  << check.ordersCompared() << " orders compared, " << check.walksChecked() << " walks to their end; "
                  << check.commits() << " commits replayed, " << moves << " acknowledged moves found, " << kills
                  << " kills, " << hits << " orders from the first server's memory; writes:";
        for (const auto& [what, count] : written)
            std::cerr << ' ' << what << " x" << count << ',';
        std::cerr << " refused reads: ";
        for (const auto& [what, count] : failures)
            std::cerr << ' ' << what << " x" << count;
        std::cerr << ") ";
        const std::size_t unavailable = failures["503"];
        failures.erase("503");
        CPPUNIT_ASSERT_MESSAGE(failures.empty() ? "" : failures.begin()->first, failures.empty());
        CPPUNIT_ASSERT_MESSAGE("most reads were refused", unavailable < answers / 10);
        CPPUNIT_ASSERT_MESSAGE("memory was not asked", hits > 0);
        CPPUNIT_ASSERT_MESSAGE("hardly anything was read or written", isEnough());
    }

private:
    static constexpr auto ROUND = std::chrono::seconds(3);
    /// For a slow machine to come to enough.
    static constexpr unsigned MOST_ROUNDS = 10;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ConcurrentOrdersTest);

} // namespace supplierd::tests
