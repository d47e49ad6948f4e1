#include "AnswerCheck.h"
#include "ListReaders.h"
#include "ListServers.h"
#include "ProductWriters.h"

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

/// Sixteen writers and eight readers on two servers, one of which is killed again and again: every answer is what the
/// commits up to its number give, replayed in a plain map, and none is older than what somebody had heard of before.
/// SUPPLIERD_TEST_MODEL_SECONDS: for so long. SUPPLIERD_TEST_SEED: the same choices again.
class ConcurrentListsTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ConcurrentListsTest);
    CPPUNIT_TEST(testEveryAnswerIsWhatTheCommitsGive);
    CPPUNIT_TEST_SUITE_END();

public:
    void testEveryAnswerIsWhatTheCommitsGive() {
        const auto seed =
            static_cast<unsigned>(setting("SUPPLIERD_TEST_SEED", static_cast<int>(std::random_device{}() % 1'000'000)));
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::seconds(setting("SUPPLIERD_TEST_MODEL_SECONDS", 6));
        ListServers servers;
        AnswerCheck check(servers.log());
        std::size_t answers = 0;
        std::size_t unchanged = 0;
        std::size_t kills = 0;
        std::size_t acknowledged = 0;
        std::map<std::string, std::size_t> written;
        std::map<std::string, std::size_t> failures;
        const auto isEnough = [&] { return answers > 200 && check.walksChecked() > 0 && check.commits() > 50; };
        for (unsigned round = 0; std::chrono::steady_clock::now() < end || (!isEnough() && round < MOST_ROUNDS);
             ++round) {
            ProductWriters writers(servers, seed + round * 10'000);
            ListReaders readers(servers, seed + round * 10'000);
            std::this_thread::sleep_for(ROUND / 2);
            servers.killAndStart(1);
            ++kills;
            std::this_thread::sleep_for(ROUND / 2);
            readers.finish();
            writers.finish();
            auto recorded = readers.takeAnswers();
            auto writes = writers.takeWrites();
            answers += recorded.size();
            acknowledged += writes.size();
            unchanged += readers.unchanged();
            for (const auto& [what, count] : writers.answers())
                written[what] += count;
            for (const auto& [what, count] : readers.failures())
                failures[what] += count;
            try {
                check.check(std::move(recorded), std::move(writes));
            } catch (const std::exception& error) {
                CPPUNIT_FAIL("seed " + std::to_string(seed) + ": " + error.what());
            }
        }
        std::cerr << "\n(seed " << seed << ": " << answers << " answers, " << unchanged << " of them 304, "
                  << check.productsCompared() << " products compared, " << check.walksChecked()
                  << " walks to their end; " << check.commits() << " commits replayed, " << acknowledged
                  << " acknowledged values found, " << kills << " kills; writes:";
        for (const auto& [what, count] : written)
            std::cerr << ' ' << what << " x" << count << ',';
        std::cerr << " refused reads: ";
        for (const auto& [what, count] : failures)
            std::cerr << ' ' << what << " x" << count;
        std::cerr << ") ";
        std::size_t unavailable = failures["503"];
        failures.erase("503");
        CPPUNIT_ASSERT_MESSAGE(failures.empty() ? "" : failures.begin()->first, failures.empty());
        CPPUNIT_ASSERT_MESSAGE("most reads were refused", unavailable < answers / 10);
        CPPUNIT_ASSERT_MESSAGE("hardly anything was read or written", isEnough());
    }

private:
    static constexpr auto ROUND = std::chrono::seconds(3);
    /// For a slow machine to come to enough.
    static constexpr unsigned MOST_ROUNDS = 10;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ConcurrentListsTest);

} // namespace supplierd::tests
