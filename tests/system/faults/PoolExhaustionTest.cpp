#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <functional>
#include <future>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr auto LOOK_INTERVAL = std::chrono::milliseconds(10);
constexpr auto LOOK_LIMIT = std::chrono::seconds(30);

// Statements may wait for as long as a test holds the lock; a request waits for a session much shorter.
constexpr const char* SMALL_POOL = R"(
pool_size = 2
pool_wait = "300ms"
lock_wait_timeout = "60s"
statement_time_limit = "90s"
read_timeout = "120s"
)";

constexpr const char* IMPATIENT = R"(
pool_size = 4
lock_wait_timeout = "1s"
statement_time_limit = "2s"
)";

void requireUnavailable(const HttpResponse& response) {
    requireStatus(503, response);
    CPPUNIT_ASSERT_EQUAL(std::string("SERVICE_UNAVAILABLE"), response.error().at("code").get<std::string>());
    CPPUNIT_ASSERT_MESSAGE("a 503 without request_id", response.error().contains("request_id"));
    CPPUNIT_ASSERT_MESSAGE("a 503 without Retry-After", std::stoi("0" + response.header("Retry-After")) >= 1);
}

} // namespace

/// More work than sessions, and statements that wait for locks.
class PoolExhaustionTest : public CppUnit::TestFixture {
protected:
    void startWith(const std::string& database) {
        _fixture = std::make_unique<FaultFixture>(
            FaultOptions{.suppliers = 2, .database = database, .pluginFiles = {faultPlugin()}});
        // So that the server remembers who they are: what follows is about the catalog's statements.
        for (std::size_t i = 0; i < 2; ++i)
            requireStatus(200, _fixture->client(i).get("/products"));
    }

    /// Requests that wait for the lock of the first supplier.
    std::vector<std::future<HttpResponse>> startWriters(int count) {
        std::vector<std::future<HttpResponse>> writers;
        for (int i = 0; i < count; ++i)
            writers.push_back(startWriter(0, "Waiting " + std::to_string(i)));
        return writers;
    }

    std::future<HttpResponse> startWriter(std::size_t supplier, const std::string& product) {
        return std::async(std::launch::async, [this, supplier, product] {
            auto client = _fixture->client(supplier);
            client.setTimeout(std::chrono::minutes(2));
            return client.post("/products", _fixture->product(product));
        });
    }

    void awaitMetric(const std::string& name, double least) {
        const auto deadline = std::chrono::steady_clock::now() + LOOK_LIMIT;
        while (_fixture->server().metric(name) < least) {
            CPPUNIT_ASSERT_MESSAGE(name + " never rises", std::chrono::steady_clock::now() < deadline);
            std::this_thread::sleep_for(LOOK_INTERVAL);
        }
    }

    std::unique_ptr<FaultFixture> _fixture;
};

TEST(PoolExhaustionTest, requestsWithoutASessionGet503AndTheServerRecovers) {
    startWith(SMALL_POOL);
    std::vector<std::future<HttpResponse>> writers; // before the lock: they end once that has gone
    // Of two suppliers: one alone cannot take both sessions.
    auto lock = std::make_unique<CatalogLock>(_fixture->database(), _fixture->supplier(0).id());
    auto otherLock = std::make_unique<CatalogLock>(_fixture->database(), _fixture->supplier(1).id());
    writers = startWriters(1);
    writers.push_back(startWriter(1, "Another's"));
    awaitMetric("supplierd_pool_in_use", 2);

    // The lock is held until all these are answered: they cannot have waited for it.
    std::vector<std::future<HttpResponse>> readers;
    for (int i = 0; i < 6; ++i)
        readers.push_back(std::async(std::launch::async, [&] { return _fixture->client(1).get("/products"); }));
    awaitMetric("supplierd_pool_waiting", 1);
    for (auto& reader : readers)
        requireUnavailable(reader.get());
    requireUnavailable(_fixture->client(1).post("/products", _fixture->product("Too late")));
    // Lists that come together ask together, and so share a time-out; the write has one of its own.
    CPPUNIT_ASSERT(_fixture->server().metric("supplierd_pool_timeouts_total") >= 2);
    CPPUNIT_ASSERT_EQUAL(2.0, _fixture->server().metric("supplierd_pool_in_use"));
    // Busy is not away: the load balancer must not take a busy server out.
    requireStatus(200, _fixture->server().adminClient().get("/readyz"));

    lock.reset();
    otherLock.reset();
    for (auto& writer : writers) {
        const auto response = writer.get();
        requireStatus(201, response);
    }
    requireStatus(200, _fixture->client(1).get("/products"));
    requireStatus(201, _fixture->client(1).post("/products", _fixture->product("In time")));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _fixture->productsNamed("Too late"));
    // What the server does by itself takes a session for a moment, too.
    waitUntil([&] { return _fixture->server().metric("supplierd_pool_in_use") == 0.0; });
    CPPUNIT_ASSERT_EQUAL(0.0, _fixture->server().metric("supplierd_pool_waiting"));
    requireStatus(200, _fixture->server().adminClient().get("/readyz"));
    _fixture->requireTrueNumbers();
}

TEST(PoolExhaustionTest, otherSuppliersGoOnWhileSessionsAreFree) {
    startWith(SMALL_POOL);
    std::vector<std::future<HttpResponse>> writers;
    auto lock = std::make_unique<CatalogLock>(_fixture->database(), _fixture->supplier(0).id());
    writers = startWriters(1);
    awaitMetric("supplierd_pool_in_use", 1);
    auto other = _fixture->client(1);
    for (int i = 0; i < 20; ++i) {
        requireStatus(201, other.post("/products", _fixture->product("Other " + std::to_string(i))));
        requireStatus(200, other.get("/products"));
    }
    // Readers do not need the lock either, not even those of the locked catalog.
    requireStatus(200, _fixture->client(0).get("/products"));
    lock.reset();
    requireStatus(201, writers.front().get());
    _fixture->requireTrueNumbers();
}

TEST(PoolExhaustionTest, aWriterThatWaitsForALockTooLongGets503AndChangesNothing) {
    startWith(IMPATIENT);
    {
        const CatalogLock lock(_fixture->database(), _fixture->supplier(0).id());
        requireUnavailable(_fixture->client().post("/products", _fixture->product("Waits")));
        requireUnavailable(_fixture->client().post("/products", _fixture->product("Waits with a key"),
                                                   {{"Idempotency-Key", "waits"}}));
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _fixture->database().integer("SELECT COUNT(*) FROM products"));
    // The key was given back with the refusal.
    requireStatus(201, _fixture->client().post("/products", _fixture->product("Waits with a key"),
                                               {{"Idempotency-Key", "waits"}}));
    _fixture->requireTrueNumbers();
}

TEST(PoolExhaustionTest, aStatementOverItsTimeLimitGets503AndItsSessionWorksOn) {
    startWith(IMPATIENT);
    auto client = _fixture->client();
    for (int i = 0; i < 3; ++i)
        requireUnavailable(client.get("/test/sleep"));
    requireStatus(200, client.get("/products"));
    requireStatus(201, client.post("/products", _fixture->product("After")));
}

} // namespace supplierd::tests
