#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"
#include "tests/system/faults/ReadingLoad.h"
#include "tests/system/faults/WritingLoad.h"

#include <functional>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr auto LOOK_INTERVAL = std::chrono::milliseconds(10);
constexpr auto LOOK_LIMIT = std::chrono::seconds(60);

// Short, so that a database that says nothing is noticed soon.
constexpr const char* IMPATIENT = R"(
pool_size = 6
pool_wait = "1s"
connect_timeout = "1s"
read_timeout = "3s"
write_timeout = "3s"
statement_time_limit = "2s"
lock_wait_timeout = "2s"
)";

constexpr auto AWAY = std::chrono::milliseconds(700);
constexpr auto PAUSED = std::chrono::seconds(8); // longer than read_timeout twice: a read is repeated

} // namespace

/// The database goes and comes back under reading and writing clients; supplierd runs on.
class DatabaseRestartTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        // Suppliers 0 and 1 are written to, supplier 2 is read.
        _fixture = std::make_unique<FaultFixture>(FaultOptions{.suppliers = 3, .database = IMPATIENT});
        for (int i = 0; i < 30; ++i)
            _fixture->client(2).post("/products", _fixture->product("Known " + std::to_string(i)));
    }
    void tearDown() override {
        if (_fixture && _fixture->mariaDb().pid() > 0)
            _fixture->mariaDb().resume(); // dropping the test's database would wait for ever
        _reads.reset();
        _writes.reset();
        _fixture.reset();
    }

protected:
    void underLoad(const std::function<void()>& disturb) {
        const auto page = _fixture->client(2).get("/products?per_page=10").data().at("products");
        _reads = std::make_unique<ReadingLoad>(
            *_fixture, 2,
            std::vector<std::string>{"/products?per_page=10", "/products?status=pending&page=2", "/categories",
                                     "/products/" + std::to_string(page.at(0).at("id").get<std::int64_t>())},
            3);
        _writes =
            std::make_unique<WritingLoad>(*_fixture, 2, WritingLoad::Settings{.clients = 4, .someWithoutKey = true});
        disturb();
        awaitProgress();
        _reads->finish();
        _writes->finish();
        requireNoComplaints();
        requireStatus(200, _fixture->server().adminClient().get("/readyz"));
        CPPUNIT_ASSERT_MESSAGE("supplierd ended", _fixture->server().process().isRunning());
        _fixture->requireTrueNumbers();
        requireWritesAsAcknowledged(*_fixture, _writes->writes());
        _fixture->requireTrueNumbers();
        CPPUNIT_ASSERT_EQUAL(0.0, _fixture->server().metric("supplierd_internal_errors_total"));
    }

    /// Reads and writes go on: some more of each are answered.
    void awaitProgress() {
        const auto reads = _reads->answered() + 50;
        const auto writes = _writes->acknowledged() + 20;
        const auto deadline = std::chrono::steady_clock::now() + LOOK_LIMIT;
        while (_reads->answered() < reads || _writes->acknowledged() < writes) {
            if (std::chrono::steady_clock::now() > deadline) {
                _reads->finish();
                _writes->finish();
                requireNoComplaints();
                CPPUNIT_FAIL("reads or writes do not work any more:\n" + _fixture->server().log());
            }
            std::this_thread::sleep_for(LOOK_INTERVAL);
        }
    }

    void requireNoComplaints() {
        for (const auto* complaints : {&_reads->complaints(), &_writes->complaints()})
            if (!complaints->empty())
                CPPUNIT_FAIL(std::to_string(complaints->size()) +
                             " wrong responses, the first: " + complaints->front());
    }

    void killSession(const std::string& id) {
        try {
            _fixture->database().exec("KILL " + id);
        } catch (const std::exception&) {
            // It was gone by itself.
        }
    }

    std::unique_ptr<FaultFixture> _fixture;
    std::unique_ptr<ReadingLoad> _reads;
    std::unique_ptr<WritingLoad> _writes;
};

TEST(DatabaseRestartTest, aStoppedDatabaseCostsOnly503s) {
    underLoad([this] {
        for (int i = 0; i < 3; ++i) {
            awaitProgress();
            _fixture->mariaDb().stop();
            std::this_thread::sleep_for(AWAY);
            requireStatus(503, _fixture->server().adminClient().get("/readyz"));
            requireStatus(200, _fixture->server().adminClient().get("/healthz"));
            _fixture->mariaDb().start();
        }
    });
    CPPUNIT_ASSERT_MESSAGE("nobody noticed", _reads->refused() > 0);
}

TEST(DatabaseRestartTest, aCrashedDatabaseCostsOnly503s) {
    underLoad([this] {
        for (int i = 0; i < 4; ++i) {
            awaitProgress();
            _fixture->mariaDb().kill();
            std::this_thread::sleep_for(i % 2 == 0 ? AWAY : LOOK_INTERVAL);
            _fixture->mariaDb().start();
        }
    });
}

TEST(DatabaseRestartTest, aDatabaseThatSaysNothingCostsOnly503s) {
    underLoad([this] {
        for (int i = 0; i < 2; ++i) {
            awaitProgress();
            _fixture->mariaDb().pause();
            std::this_thread::sleep_for(PAUSED);
            _fixture->mariaDb().resume();
        }
    });
    CPPUNIT_ASSERT_MESSAGE("nobody noticed", _reads->refused() > 0);
}

TEST(DatabaseRestartTest, sessionsKilledOneByOneCostOnly503s) {
    underLoad([this] {
        for (int i = 0; i < 200; ++i) {
            for (const auto& row : _fixture->database().query(
                     "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> "
                     "CONNECTION_ID() ORDER BY RAND() LIMIT 1"))
                killSession(row[0].value());
            std::this_thread::sleep_for(LOOK_INTERVAL);
        }
    });
}

TEST(DatabaseRestartTest, theServerEndsInOrderWithoutItsDatabase) {
    const WritingLoad writes(*_fixture, 2, {.clients = 4, .serverMayVanish = true});
    _fixture->mariaDb().kill();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(_fixture->server().log(), 0, _fixture->server().stop());
}

TEST(DatabaseRestartTest, theServerEndsInOrderWhileItsDatabaseSaysNothing) {
    const WritingLoad writes(*_fixture, 2, {.clients = 4, .serverMayVanish = true});
    _fixture->mariaDb().pause();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(_fixture->server().log(), 0, _fixture->server().stop());
}

} // namespace supplierd::tests
