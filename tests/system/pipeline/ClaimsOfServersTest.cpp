#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <csignal>
#include <exception>
#include <future>
#include <optional>
#include <string>

namespace supplierd::tests {

/// Two servers on one database: a client's request is at work on the first, and its repeat comes to the second.
class ClaimsOfServersTest : public CppUnit::TestFixture {
public:
    void setUp() override { _key = _first.createKey(_first.createSupplier("Rozenhof")); }

protected:
    HttpResponse post(const ServerProcess& server, int milliseconds) const {
        return server.client(_key).post("/test/transact", {{"name", "claim"}, {"ms", milliseconds}},
                                        {{"Idempotency-Key", "k-1"}});
    }

    /// On the first server, whose claim is there now. Nothing: the server was killed.
    std::future<std::optional<HttpResponse>> begin(int milliseconds) {
        auto response = std::async(std::launch::async, [this, milliseconds]() -> std::optional<HttpResponse> {
            try {
                return post(_first, milliseconds);
            } catch (const std::exception&) {
                return std::nullopt;
            }
        });
        waitFor("the claim of the first request", [&] {
            return _database.integer("SELECT COUNT(*) FROM idempotency_keys WHERE state = 'running'") == 1;
        });
        return response;
    }

    static void requireReplayed(const HttpResponse& response) {
        requireStatus(201, response);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), response.header("Idempotent-Replayed"));
    }

    std::int64_t written() {
        return _database.integer("SELECT COUNT(*) FROM plugin_settings WHERE plugin = 'probe' AND value = 'claim'");
    }

    TestDatabase _database;
    ServerProcess _first{_database, probed()};
    ServerProcess _second{_database, probed()};
    std::string _key;
};

TEST(ClaimsOfServersTest, repeatAtAnotherServerGetsTheResponseOfTheFirst) {
    auto first = begin(1'000);
    requireReplayed(post(_second, 1'000));
    requireStatus(201, *first.get());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, written());
}

// It takes longer than a server may be silent, and than a repeat waits.
TEST(ClaimsOfServersTest, repeatOfALongRequestIsUnavailableUntilItEnds) {
    auto first = begin(5'000);
    const auto refused = post(_second, 5'000);
    requireError(503, "SERVICE_UNAVAILABLE", refused);
    CPPUNIT_ASSERT_EQUAL(std::string("1"), refused.header("Retry-After"));
    requireStatus(201, *first.get());
    requireReplayed(post(_second, 5'000));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, written());
}

TEST(ClaimsOfServersTest, requestOfAKilledServerIsDoneByItsRepeat) {
    auto first = begin(2'000);
    _first.kill();
    const auto repeat = post(_second, 2'000);
    requireStatus(201, repeat);
    CPPUNIT_ASSERT(!repeat.hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT(!first.get());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, written());
}

TEST(ClaimsOfServersTest, requestOfAPausedServerIsDoneOnceByItsRepeat) {
    auto first = begin(2'000);
    stopProcess(_first.pid());
    const auto repeat = post(_second, 2'000);
    ::kill(_first.pid(), SIGCONT);
    requireStatus(201, repeat);
    CPPUNIT_ASSERT(!repeat.hasHeader("Idempotent-Replayed"));
    // It woke up and found that its claim is another one's.
    const auto late = first.get();
    requireError(503, "SERVICE_UNAVAILABLE", *late);
    CPPUNIT_ASSERT(late->hasHeader("Retry-After"));
    requireReplayed(post(_first, 2'000));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, written());
}

} // namespace supplierd::tests
