#include "tests/system/faults/FixtureFiles.h"
#include "tests/system/faults/SupplierWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <future>
#include <latch>
#include <set>

namespace supplierd::tests {
namespace {

constexpr int RACERS = 50;

} // namespace

/// Requests that get in each other's way.
class RacingRequestsTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RacingRequestsTest);
    CPPUNIT_TEST(testFiftyRequestsWithOneKeyCreateOneProduct);
    CPPUNIT_TEST(testAKeyOfARefusedRequestRefusesAllWhoRace);
    CPPUNIT_TEST(testTheSameKeyOfTwoSuppliersIsTwoKeys);
    CPPUNIT_TEST(testTwoTransactionsThatDeadlockBothSucceed);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        _world = std::make_unique<SupplierWorld>(WorldOptions{.suppliers = 2, .pluginFiles = {faultFixture()}});
    }
    void tearDown() override { _world.reset(); }

    void testFiftyRequestsWithOneKeyCreateOneProduct() {
        for (int round = 0; round < 5; ++round) {
            const auto name = "Race " + std::to_string(round);
            const auto answers = race(_world->product(name), name);
            std::set<std::int64_t> ids;
            int firsts = 0;
            for (const auto& answer : answers) {
                CPPUNIT_ASSERT_MESSAGE(answer.statusLine + answer.body, answer.status == 201 || answer.status == 409);
                if (answer.status == 409) {
                    CPPUNIT_ASSERT_EQUAL(std::string("CONFLICT"), answer.error().at("code").get<std::string>());
                    continue;
                }
                ids.insert(answer.data().at("product").at("id").get<std::int64_t>());
                firsts += answer.hasHeader("Idempotent-Replayed") ? 0 : 1;
            }
            CPPUNIT_ASSERT_EQUAL(1, firsts);
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, ids.size());
            CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _world->productsNamed(name));
            const auto again = _world->client().post("/products", _world->product(name), {{"Idempotency-Key", name}});
            CPPUNIT_ASSERT_EQUAL(*ids.begin(), again.data().at("product").at("id").get<std::int64_t>());
        }
        _world->requireTrueNumbers();
    }

    void testAKeyOfARefusedRequestRefusesAllWhoRace() {
        auto body = _world->product("Refused");
        body["base_price"] = -1;
        int firsts = 0;
        for (const auto& answer : race(body, "refused")) {
            CPPUNIT_ASSERT_MESSAGE(answer.statusLine + answer.body, answer.status == 422 || answer.status == 409);
            firsts += answer.status == 422 && !answer.hasHeader("Idempotent-Replayed") ? 1 : 0;
        }
        CPPUNIT_ASSERT_EQUAL(1, firsts);
    }

    void testTheSameKeyOfTwoSuppliersIsTwoKeys() {
        const HttpHeaders headers{{"Idempotency-Key", "shared"}};
        const auto first = _world->client(0).post("/products", _world->product("Ours"), headers);
        const auto second = _world->client(1).post("/products", _world->product("Theirs"), headers);
        CPPUNIT_ASSERT_EQUAL(201, first.status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(second.body, 201, second.status);
        CPPUNIT_ASSERT(!second.hasHeader("Idempotent-Replayed"));
    }

    void testTwoTransactionsThatDeadlockBothSucceed() {
        const auto one = _world->account(0).id;
        const auto other = _world->account(1).id;
        for (int round = 0; round < 5; ++round) {
            const auto before = changeSeqs();
            auto forwards = std::async(std::launch::async, [&] { return lockBoth(0, one, other); });
            auto backwards = std::async(std::launch::async, [&] { return lockBoth(1, other, one); });
            int attempts = 0;
            for (auto* answering : {&forwards, &backwards}) {
                const auto answer = answering->get();
                CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
                attempts += answer.data().at("attempts").get<int>();
            }
            CPPUNIT_ASSERT_MESSAGE("they did not deadlock", attempts > 2);
            // What the undone attempts did has left no trace.
            CPPUNIT_ASSERT_EQUAL(before + 4, changeSeqs());
        }
    }

private:
    /// Everybody at once, each on a connection of its own.
    std::vector<HttpResponse> race(const nlohmann::json& body, const std::string& key) {
        std::latch together(RACERS);
        std::vector<std::future<HttpResponse>> racers;
        for (int i = 0; i < RACERS; ++i)
            racers.push_back(std::async(std::launch::async, [&] {
                auto client = _world->client();
                together.arrive_and_wait();
                return client.post("/products", body, {{"Idempotency-Key", key}});
            }));
        std::vector<HttpResponse> answers;
        for (auto& racer : racers)
            answers.push_back(racer.get());
        return answers;
    }

    HttpResponse lockBoth(std::size_t account, std::int64_t first, std::int64_t second) {
        return _world->client(account).post("/test/lock-both", {{"first", first}, {"second", second}});
    }

    std::int64_t changeSeqs() { return _world->database().integer("SELECT SUM(change_seq) FROM supplier_state"); }

    std::unique_ptr<SupplierWorld> _world;
};

CPPUNIT_TEST_SUITE_REGISTRATION(RacingRequestsTest);

} // namespace supplierd::tests
