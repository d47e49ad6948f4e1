#include "host/auth/LocalRateLimiter.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Json.h"
#include "tests/support/Test.h"

#include <supplierd/testing/FakeDatabase.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

using namespace std::chrono_literals;
using host::LocalRateLimiter;
using host::RateLimitMoment;

constexpr std::int64_t NOON = 1'800'000'000;
constexpr std::int64_t KEY = 7;

/// So many seconds after noon, by both clocks; the world's clock may have been set since.
RateLimitMoment at(std::int64_t seconds, std::int64_t step = 0) {
    return {std::chrono::steady_clock::time_point(100h) + std::chrono::seconds(seconds), NOON + seconds + step};
}

/// What was added to a row.
struct Addition {
    std::int64_t key = 0;
    std::int64_t windowId = 0;
    std::chrono::microseconds age{0};
    std::int64_t requests = 0;
};

/// Keeps what is saved. Something may happen after a transaction, before the limiter goes on.
class SavedRows final : public Database {
public:
    void withSession(const std::function<void(SqlSession&)>& work) override { _database.withSession(work); }
    void withSnapshot(const std::function<void(SqlSession&)>& work) override { _database.withSnapshot(work); }
    CommittedNumbers committed(std::int64_t supplierId) override { return _database.committed(supplierId); }
    std::int64_t execute(std::string_view sql, SqlParams params) override { return _database.execute(sql, params); }
    void withTransaction(const std::function<void(Transaction&)>& work) override {
        _database.withTransaction(work);
        meanwhile();
    }

    testing::FakeResult& answers() { return _database.whenExecute("INSERT INTO rate_limit_windows"); }
    /// Of the saving that ended last.
    std::vector<Addition> take() {
        std::vector<Addition> rows;
        for (; _taken < _database.statements().size(); ++_taken)
            for (const auto& row : Json::parse(_database.statements()[_taken].parameters.at(0).text()))
                rows.push_back({row[0], row[1], std::chrono::microseconds(row[2]), row[3]});
        return rows;
    }

    std::function<void()> meanwhile = [] {};

private:
    testing::FakeDatabase _database;
    std::size_t _taken = 0;
};

} // namespace

class LocalRateLimiterTest : public CppUnit::TestFixture {
protected:
    host::RateLimitState count(std::int64_t limit, RateLimitMoment when, std::int64_t key = KEY) {
        _now = when;
        return _limiter.count(key, limit);
    }
    host::RateLimitState countOf(std::int64_t key, std::int64_t limit, const host::SupplierLimit& supplier,
                                 RateLimitMoment when) {
        _now = when;
        return _limiter.count(key, limit, supplier);
    }
    void merge(host::StoredRateLimitWindow stored, RateLimitMoment when) {
        stored.readAt = when.steady;
        _limiter.merge(KEY, stored);
    }
    std::vector<Addition> save(RateLimitMoment when) {
        _now = when;
        _rows.answers().thenAffects(1);
        _limiter.save(_rows);
        return _rows.take();
    }

    RateLimitMoment _now = at(0);
    LocalRateLimiter _limiter{[this] { return _now; }};
    SavedRows _rows;
};

TEST(LocalRateLimiterTest, windowBeginsWithTheFirstRequest) {
    const auto state = count(1'000, at(0));
    CPPUNIT_ASSERT(state.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000}, state.limit);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{999}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'600, count(1'000, at(1'800)).resetAt);
}

TEST(LocalRateLimiterTest, remainingCountsDownToZero) {
    for (std::int64_t left = 2; left >= 0; --left) {
        const auto state = count(3, at(0));
        CPPUNIT_ASSERT(state.allowed);
        CPPUNIT_ASSERT_EQUAL(left, state.remaining);
    }
}

TEST(LocalRateLimiterTest, requestBeyondTheLimitIsRefused) {
    count(1, at(0));
    const auto state = count(1, at(1));
    CPPUNIT_ASSERT(!state.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
}

TEST(LocalRateLimiterTest, refusedRequestsDoNotExtendTheWindow) {
    count(1, at(0));
    for (std::int64_t second = 1; second < 3'600; ++second) {
        const auto state = count(1, at(second));
        CPPUNIT_ASSERT(!state.allowed);
        CPPUNIT_ASSERT_EQUAL(NOON + 3'600, state.resetAt);
    }
    CPPUNIT_ASSERT(count(1, at(3'600)).allowed);
}

TEST(LocalRateLimiterTest, newWindowBeginsAfterAnHour) {
    count(2, at(0));
    count(2, at(3'599));
    const auto state = count(2, at(5'000));
    CPPUNIT_ASSERT(state.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 5'000 + 3'600, state.resetAt);
}

TEST(LocalRateLimiterTest, keysAreCountedApart) {
    count(1, at(0));
    CPPUNIT_ASSERT(count(1, at(0), KEY + 1).allowed);
    CPPUNIT_ASSERT(count(1, at(0), KEY + 16).allowed); // the same shard
    CPPUNIT_ASSERT(!count(1, at(0)).allowed);
}

TEST(LocalRateLimiterTest, keysOfOneSupplierShareItsLimit) {
    for (std::int64_t key = 1; key <= 5; ++key)
        CPPUNIT_ASSERT(countOf(key, 1'000, {3, 5}, at(0)).allowed);
    const auto refused = countOf(6, 1'000, {3, 5}, at(60));
    CPPUNIT_ASSERT(!refused.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, refused.limit);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3'540}, refused.secondsLeft);
    CPPUNIT_ASSERT(countOf(6, 1'000, {4, 5}, at(60)).allowed);
    CPPUNIT_ASSERT(countOf(1, 1'000, {3, 5}, at(3'600)).allowed);
}

TEST(LocalRateLimiterTest, aKeyThatIsRefusedUsesNothingOfItsSuppliersLimit) {
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT_EQUAL(i == 0, countOf(1, 1, {3, 5}, at(0)).allowed);
    for (int i = 0; i < 4; ++i)
        CPPUNIT_ASSERT(countOf(2, 1'000, {3, 5}, at(0)).allowed);
}

TEST(LocalRateLimiterTest, changedLimitAppliesWithinTheWindow) {
    for (int i = 0; i < 5; ++i)
        count(10, at(0));
    const auto lowered = count(3, at(0));
    CPPUNIT_ASSERT(!lowered.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, lowered.remaining);
    const auto raised = count(20, at(0));
    CPPUNIT_ASSERT(raised.allowed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{14}, raised.remaining);
}

TEST(LocalRateLimiterTest, clockThatIsSetNeitherFreesNorLocksAKey) {
    for (const std::int64_t step : {-86'400, -3'600, -1, 3'600, 86'400}) {
        LocalRateLimiter limiter([this] { return _now; });
        const auto countAt = [&](RateLimitMoment when) {
            _now = when;
            return limiter.count(KEY, 1);
        };
        countAt(at(0));
        const auto state = countAt(at(1'800, step));
        CPPUNIT_ASSERT(!state.allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'800}, state.secondsLeft);
        CPPUNIT_ASSERT(std::abs(NOON + 3'600 + step - state.resetAt) <= 1);
        CPPUNIT_ASSERT(!countAt(at(3'599, step)).allowed);
        CPPUNIT_ASSERT(countAt(at(3'600, step)).allowed);
    }
}

TEST(LocalRateLimiterTest, peekingCountsNothing) {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _limiter.peek(KEY, 3).remaining);
    count(3, at(10));
    _now = at(20);
    const auto state = _limiter.peek(KEY, 3);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 10 + 3'600, state.resetAt);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, count(3, at(30)).remaining);
}

TEST(LocalRateLimiterTest, whatWasCountedIsSavedOnce) {
    count(10, at(0));
    count(10, at(1));
    count(10, at(1), KEY + 1);
    _rows.meanwhile = [&] { count(10, at(3)); };
    const auto first = save(at(2));
    _rows.meanwhile = [] {};
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, first.size());
    CPPUNIT_ASSERT_EQUAL(KEY, first[0].key);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, first[0].requests);
    CPPUNIT_ASSERT(first[0].age == 2s);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, first[1].requests);
    const auto next = save(at(4));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, next.size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, next[0].requests);
    CPPUNIT_ASSERT_EQUAL(first[0].windowId, next[0].windowId);
    CPPUNIT_ASSERT(save(at(5)).empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, count(10, at(6)).remaining);
}

TEST(LocalRateLimiterTest, whatCouldNotBeSavedIsSavedWithTheNextCall) {
    for (std::int64_t key = 1; key <= 1'500; ++key)
        count(10, at(0), key);
    _rows.answers().thenAffects(1).thenThrows(1290, "read only"); // a statement has a thousand rows
    CPPUNIT_ASSERT_THROW(_limiter.save(_rows), DatabaseError);
    _rows.take();
    count(10, at(1), 1'500);
    const auto rest = save(at(2));
    CPPUNIT_ASSERT_EQUAL(std::size_t{500}, rest.size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'001}, rest.front().key);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, rest.back().requests);
}

TEST(LocalRateLimiterTest, windowOfTheDatabaseGoesOn) {
    merge({4711, 1'000s, 8}, at(0));
    const auto state = count(10, at(0));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 2'600, state.resetAt);
    CPPUNIT_ASSERT(count(10, at(1)).allowed);
    CPPUNIT_ASSERT(!count(10, at(2)).allowed);
    CPPUNIT_ASSERT(count(10, at(2'600)).allowed);
}

TEST(LocalRateLimiterTest, windowOfTheDatabaseThatIsOverIsNone) {
    merge({4711, 3'600s, 10}, at(0));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, count(10, at(0)).remaining);
}

TEST(LocalRateLimiterTest, usesOfOtherServersCount) {
    count(10, at(0));
    save(at(1));
    count(10, at(2));
    const auto id = save(at(3)).at(0).windowId;
    count(10, at(4));
    merge({id, 5s, 6}, at(5)); // four of them others'
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, count(10, at(5)).remaining);
}

TEST(LocalRateLimiterTest, twoServersThatBeganAtOnceAgree) {
    count(10, at(2));
    merge({4711, 3s, 6}, at(3)); // the other one's was saved first
    const auto state = count(10, at(3));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4'711}, save(at(4)).at(0).windowId);
}

TEST(LocalRateLimiterTest, windowBeforeThisOneIsIgnored) {
    count(10, at(0));
    merge({4711, 3'599s, 10}, at(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, count(10, at(1)).remaining);
}

TEST(LocalRateLimiterTest, nextWindowOfAnotherServerGoesOn) {
    count(10, at(0));
    merge({4711, 1s, 6}, at(3'599));
    const auto state = count(10, at(3'599));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, state.remaining);
    CPPUNIT_ASSERT_EQUAL(NOON + 3'598 + 3'600, state.resetAt);
}

TEST(LocalRateLimiterTest, clockOfTheDatabaseThatIsSetNeitherFreesNorLocksAKey) {
    count(3, at(0));
    const auto id = save(at(1)).at(0).windowId;
    for (const auto age : {-86'400s, -600s, 600s, 86'400s}) {
        merge({id, age, 2}, at(10));
        merge({4711, std::chrono::seconds(age.count() < 0 ? -86'400 : 86'400), 3}, at(10)); // of a process before
        CPPUNIT_ASSERT_EQUAL(NOON + 3'600, _limiter.peek(KEY, 3).resetAt);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _limiter.peek(KEY, 3).remaining);
    }
    CPPUNIT_ASSERT(count(3, at(11)).allowed);
    CPPUNIT_ASSERT(!count(3, at(3'599)).allowed);
    merge({4711, -86'400s, 3}, at(3'600));
    CPPUNIT_ASSERT(count(3, at(3'600)).allowed);
}

// It may hold what is being saved, or may not.
TEST(LocalRateLimiterTest, whatIsReadDuringASavingIsIgnored) {
    count(10, at(0));
    std::int64_t id = 0;
    _rows.meanwhile = [&] {
        id = _rows.take().at(0).windowId;
        merge({id, 1s, 9}, at(1));
    };
    save(at(1));
    merge({id, 1s, 9}, at(0)); // was read before
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, count(10, at(1)).remaining);
    merge({id, 2s, 8}, at(2));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count(10, at(2)).remaining);
}

TEST(LocalRateLimiterTest, reservedRequestsAreSavedBeforehandAndTheRestReturned) {
    for (int i = 0; i < 5; ++i)
        count(10, at(0));
    count(2, at(0), KEY + 1);
    _limiter.reserve(3);
    const auto uses = save(at(1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, uses.at(0).requests);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, uses.at(1).requests);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, count(10, at(2)).remaining);
    CPPUNIT_ASSERT(count(2, at(2), KEY + 1).allowed);
    CPPUNIT_ASSERT(!count(2, at(2), KEY + 1).allowed);
    _limiter.reserve(0);
    const auto rest = save(at(3));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{-2}, rest.at(0).requests);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{-2}, rest.at(1).requests);
}

TEST(LocalRateLimiterTest, reservedRequestsStayWhenTheSuccessorUsesAllOthers) {
    for (int i = 0; i < 5; ++i)
        count(10, at(0));
    _limiter.reserve(3);
    const auto id = save(at(1)).at(0).windowId;
    count(10, at(2));
    merge({id, 3s, 10}, at(3)); // two of them are the successor's
    CPPUNIT_ASSERT(count(10, at(3)).allowed);
    CPPUNIT_ASSERT(count(10, at(3)).allowed);
    CPPUNIT_ASSERT(!count(10, at(3)).allowed);
}

TEST(LocalRateLimiterTest, savingKeepsWindowsThatStillRun) {
    count(1, at(0));
    count(1, at(10), KEY + 1);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, save(at(3'605)).size());
    CPPUNIT_ASSERT(count(1, at(3'605)).allowed);
    CPPUNIT_ASSERT(!count(1, at(3'605), KEY + 1).allowed);
}

TEST(LocalRateLimiterTest, threadsTogetherGetExactlyTheLimit) {
    std::atomic<int> allowed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int request = 0; request < 1'000; ++request)
                if (_limiter.count(KEY, 1'234).allowed)
                    ++allowed;
        });
    for (auto& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(1'234, allowed.load());
}

TEST(LocalRateLimiterTest, savingThatFailsBesideRequestsForgetsNone) {
    constexpr int REQUESTS = 50'000;
    std::atomic<bool> isDone{false};
    _rows.answers().thenThrows(1290, "read only");
    together({[&] {
                  for (int request = 0; request < REQUESTS; ++request)
                      _limiter.count(KEY, 2 * REQUESTS);
                  isDone = true;
              },
              [&] {
                  int failures = 0;
                  while (!isDone || failures == 0) // what is counted last cannot be saved, either
                      try {
                          _limiter.save(_rows);
                      } catch (const DatabaseError&) {
                          ++failures;
                      }
              }});
    _rows.take();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{REQUESTS}, save(at(1)).at(0).requests);
}

} // namespace supplierd::tests
