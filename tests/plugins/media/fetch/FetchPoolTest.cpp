#include "FetchPool.h"

#include "FetchFixture.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <future>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

using media::FetchedImage;
using media::FetchError;
using media::FetchErrorCode;
using media::FetchOutcome;
using media::FetchPool;
using Clock = media::ImageFetcher::Clock;

/// Opened once; everybody may wait for it.
class Gate {
public:
    void open() { _promise.set_value(); }
    void wait() const { _future.wait(); }

private:
    std::promise<void> _promise;
    std::shared_future<void> _future = _promise.get_future().share();
};

class FetchPoolTest : public CppUnit::TestFixture {
protected:
    static std::vector<std::string> urls(std::size_t count) {
        std::vector<std::string> result;
        for (std::size_t i = 0; i < count; ++i)
            result.push_back("http://images.example.com/" + std::to_string(i));
        return result;
    }

    static std::string textOf(const FetchOutcome& outcome) {
        if (const auto* image = std::get_if<FetchedImage>(&outcome))
            return image->bytes;
        return std::string(media::codeName(std::get<FetchError>(outcome).code()));
    }

    static std::vector<std::string> texts(const std::vector<FetchOutcome>& outcomes) {
        std::vector<std::string> result;
        for (const auto& outcome : outcomes)
            result.push_back(textOf(outcome));
        return result;
    }

    static void answerWithTarget(OriginConnection& connection) {
        connection.answer("200 OK", "picture of " + connection.target());
    }

    /// The largest number of connections at once, of `suppliers` requests with 6 URLs each at the same time.
    static unsigned mostAtOnce(media::FetchPoolLimits limits, unsigned expected, int suppliers) {
        std::mutex mutex;
        std::condition_variable changed;
        unsigned now = 0;
        unsigned most = 0;
        LoopbackOrigin origin([&](OriginConnection& connection) {
            {
                std::unique_lock lock(mutex);
                most = std::max(most, ++now);
                changed.notify_all();
                changed.wait(lock, [&] { return most >= expected; });
                --now;
            }
            answerWithTarget(connection);
        });
        FetchPool pool(FetchFixture(origin.port()).fetcher(), limits);
        std::vector<std::thread> requests;
        for (int supplier = 1; supplier <= suppliers; ++supplier)
            requests.emplace_back([&pool, supplier] { pool.fetchAll(supplier, urls(6), later()); });
        for (auto& request : requests)
            request.join();
        return most;
    }
};

TEST(FetchPoolTest, outcomesAreInTheOrderOfTheUrls) {
    Gate second;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        if (connection.target() == "/0")
            second.wait();
        answerWithTarget(connection);
        if (connection.target() == "/1")
            second.open();
    });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {});
    CPPUNIT_ASSERT(texts(pool.fetchAll(1, urls(2), later())) ==
                   (std::vector<std::string>{"picture of /0", "picture of /1"}));
    CPPUNIT_ASSERT(pool.fetchAll(1, {}, later()).empty());
}

TEST(FetchPoolTest, allUrlsOfARequestRunAtOnce) {
    std::latch allThere(10);
    LoopbackOrigin origin([&](OriginConnection& connection) {
        allThere.arrive_and_wait();
        answerWithTarget(connection);
    });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {16, 10});
    for (const auto& text : texts(pool.fetchAll(1, urls(10), later())))
        CPPUNIT_ASSERT(text.starts_with("picture"));
}

TEST(FetchPoolTest, badUrlsCostOnlyThemselves) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        if (connection.target() == "/missing")
            connection.answer("404 Not Found", "no");
        else
            answerWithTarget(connection);
    });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {});
    const std::vector<std::string> mixed{"ftp://example.com/", "http://images.example.com/a", "http://127.0.0.1/",
                                         "http://images.example.com/missing", "http://images.example.com/b"};
    CPPUNIT_ASSERT(texts(pool.fetchAll(1, mixed, later())) ==
                   (std::vector<std::string>{"address", "picture of /a", "address", "http_status", "picture of /b"}));
}

TEST(FetchPoolTest, imagesAreHandedOverAsTheyArrive) {
    Gate firstArrived;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        if (connection.target() == "/0")
            firstArrived.wait();
        answerWithTarget(connection);
    });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {});
    std::mutex mutex;
    std::vector<std::size_t> order;
    pool.fetchEach(1, urls(2), later(), [&](std::size_t position, const FetchOutcome&) {
        const std::lock_guard lock(mutex);
        order.push_back(position);
        if (position == 1)
            firstArrived.open();
    });
    CPPUNIT_ASSERT(order == (std::vector<std::size_t>{1, 0}));
}

TEST(FetchPoolTest, supplierHasNoMoreThanItsShare) {
    CPPUNIT_ASSERT_EQUAL(2u, mostAtOnce({8, 2}, 2, 1));
}

TEST(FetchPoolTest, serverHasNoMoreThanItsLimit) {
    CPPUNIT_ASSERT_EQUAL(3u, mostAtOnce({3, 2}, 3, 4));
}

TEST(FetchPoolTest, freeThreadGoesToTheSupplierWithTheFewest) {
    Gate released;
    std::latch twoAreHeld(2);
    LoopbackOrigin origin([&](OriginConnection& connection) {
        if (connection.target() != "/other") {
            twoAreHeld.count_down();
            released.wait();
        }
        answerWithTarget(connection);
    });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {3, 2});
    // Supplier 1 has two running and waits with four; the third thread is for supplier 2.
    auto slow = std::async(std::launch::async, [&] {
        std::atomic<int> begun = 0;
        pool.fetchEach(1, urls(2), later(), [&](std::size_t, const FetchOutcome&) { ++begun; });
        return begun.load();
    });
    twoAreHeld.wait();
    auto waiting = std::async(std::launch::async, [&] { return pool.fetchAll(1, urls(4), later()).size(); });
    CPPUNIT_ASSERT_EQUAL(std::string("picture of /other"),
                         textOf(pool.fetchAll(2, {"http://images.example.com/other"}, later()).front()));
    released.open();
    CPPUNIT_ASSERT_EQUAL(2, slow.get());
    CPPUNIT_ASSERT_EQUAL(std::size_t(4), waiting.get());
}

TEST(FetchPoolTest, workOnAnImageCountsAsRunning) {
    LoopbackOrigin origin(answerWithTarget);
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {1, 1});
    std::vector<unsigned> connections;
    pool.fetchEach(1, urls(3), later(),
                   [&](std::size_t, const FetchOutcome&) { connections.push_back(origin.connections()); });
    CPPUNIT_ASSERT(connections == (std::vector<unsigned>{1, 2, 3}));
}

TEST(FetchPoolTest, deadlineEndsWhatRunsAndWhatWaits) {
    LoopbackOrigin origin([](OriginConnection& connection) { connection.holdOpen(); });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {1, 1});
    const auto outcomes = pool.fetchAll(1, urls(3), Clock::now() + std::chrono::milliseconds(300));
    CPPUNIT_ASSERT(texts(outcomes) == std::vector<std::string>(3, "timeout"));
    CPPUNIT_ASSERT(origin.connections() <= 1);
}

TEST(FetchPoolTest, stopEndsWhatRunsAndWhatWaits) {
    Gate held;
    LoopbackOrigin origin([&](OriginConnection& connection) {
        held.open();
        connection.holdOpen();
    });
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {1, 1});
    auto request = std::async(std::launch::async, [&] { return pool.fetchAll(1, urls(3), later()); });
    held.wait();
    pool.stop();
    auto outcomes = request.get();
    const auto afterwards = pool.fetchAll(1, urls(2), later());
    outcomes.insert(outcomes.end(), afterwards.begin(), afterwards.end());
    CPPUNIT_ASSERT_EQUAL(std::size_t(5), outcomes.size());
    for (const auto& outcome : outcomes)
        CPPUNIT_ASSERT(std::get<FetchError>(outcome).code() == FetchErrorCode::Stopped);
    CPPUNIT_ASSERT_EQUAL(1u, origin.connections());
    pool.stop();
}

TEST(FetchPoolTest, exceptionOfTheReceiverComesBackAtTheEnd) {
    LoopbackOrigin origin(answerWithTarget);
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {1, 1});
    std::atomic<int> delivered = 0;
    CPPUNIT_ASSERT_THROW(pool.fetchEach(1, urls(4), later(),
                                        [&](std::size_t position, const FetchOutcome&) {
                                            ++delivered;
                                            if (position == 1)
                                                throw std::runtime_error("no");
                                        }),
                         std::runtime_error);
    CPPUNIT_ASSERT_EQUAL(4, delivered.load());
    CPPUNIT_ASSERT_EQUAL(std::string("picture of /0"), textOf(pool.fetchAll(1, urls(1), later()).front()));
}

TEST(FetchPoolTest, manyRequestsAtOnceAllEnd) {
    LoopbackOrigin origin(answerWithTarget);
    FetchPool pool(FetchFixture(origin.port()).fetcher(), {8, 3});
    std::vector<std::future<std::size_t>> requests;
    for (int i = 0; i < 24; ++i)
        requests.push_back(std::async(std::launch::async, [&pool, i] {
            const auto found = texts(pool.fetchAll(i % 5, urls(10), later()));
            return static_cast<std::size_t>(
                std::ranges::count_if(found, [](const std::string& text) { return text.starts_with("picture"); }));
        }));
    for (auto& request : requests)
        CPPUNIT_ASSERT_EQUAL(std::size_t(10), request.get());
    CPPUNIT_ASSERT_EQUAL(240u, origin.connections());
}

} // namespace supplierd::tests
