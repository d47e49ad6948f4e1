#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

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
protected:
    /// Everybody at once, each on a connection of its own.
    std::vector<HttpResponse> race(const Json& body, const std::string& key) {
        std::latch together(RACERS);
        std::vector<std::future<HttpResponse>> racers;
        for (int i = 0; i < RACERS; ++i)
            racers.push_back(std::async(std::launch::async, [&] {
                auto client = _fixture.client();
                together.arrive_and_wait();
                return client.post("/products", body, {{"Idempotency-Key", key}});
            }));
        std::vector<HttpResponse> responses;
        for (auto& racer : racers)
            responses.push_back(racer.get());
        return responses;
    }

    HttpResponse lockBoth(std::size_t account, std::int64_t first, std::int64_t second) {
        return _fixture.client(account).post("/test/lock-both", {{"first", first}, {"second", second}});
    }

    std::int64_t changeSeqs() { return _fixture.database().integer("SELECT SUM(change_seq) FROM supplier_state"); }

    FaultFixture _fixture{FaultOptions{.suppliers = 2, .pluginFiles = {faultPlugin()}}};
};

TEST(RacingRequestsTest, fiftyRequestsWithOneKeyCreateOneProduct) {
    for (int round = 0; round < 5; ++round) {
        const auto name = "Race " + std::to_string(round);
        const auto responses = race(_fixture.product(name), name);
        std::set<std::int64_t> ids;
        int firsts = 0;
        for (const auto& response : responses) {
            CPPUNIT_ASSERT_MESSAGE(response.statusLine + response.body,
                                   response.status == 201 || response.status == 409);
            if (response.status == 409) {
                CPPUNIT_ASSERT_EQUAL(std::string("CONFLICT"), response.error().at("code").get<std::string>());
                continue;
            }
            ids.insert(response.data().at("product").at("id").get<std::int64_t>());
            firsts += response.hasHeader("Idempotent-Replayed") ? 0 : 1;
        }
        CPPUNIT_ASSERT_EQUAL(1, firsts);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, ids.size());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.productsNamed(name));
        const auto again = _fixture.client().post("/products", _fixture.product(name), {{"Idempotency-Key", name}});
        CPPUNIT_ASSERT_EQUAL(*ids.begin(), again.data().at("product").at("id").get<std::int64_t>());
    }
    _fixture.requireTrueNumbers();
}

TEST(RacingRequestsTest, aKeyOfARefusedRequestRefusesAllWhoRace) {
    auto body = _fixture.product("Refused");
    body["base_price"] = -1;
    int firsts = 0;
    for (const auto& response : race(body, "refused")) {
        CPPUNIT_ASSERT_MESSAGE(response.statusLine + response.body, response.status == 422 || response.status == 409);
        firsts += response.status == 422 && !response.hasHeader("Idempotent-Replayed") ? 1 : 0;
    }
    CPPUNIT_ASSERT_EQUAL(1, firsts);
}

TEST(RacingRequestsTest, theSameKeyOfTwoSuppliersIsTwoKeys) {
    const HttpHeaders headers{{"Idempotency-Key", "shared"}};
    const auto first = _fixture.client(0).post("/products", _fixture.product("Ours"), headers);
    const auto second = _fixture.client(1).post("/products", _fixture.product("Theirs"), headers);
    requireStatus(201, first);
    requireStatus(201, second);
    CPPUNIT_ASSERT(!second.hasHeader("Idempotent-Replayed"));
}

TEST(RacingRequestsTest, twoTransactionsThatDeadlockBothSucceed) {
    const auto one = _fixture.supplier(0).id();
    const auto other = _fixture.supplier(1).id();
    for (int round = 0; round < 5; ++round) {
        const auto before = changeSeqs();
        auto forwards = std::async(std::launch::async, [&] { return lockBoth(0, one, other); });
        auto backwards = std::async(std::launch::async, [&] { return lockBoth(1, other, one); });
        int attempts = 0;
        for (auto* answering : {&forwards, &backwards}) {
            const auto response = answering->get();
            requireStatus(200, response);
            attempts += response.data().at("attempts").get<int>();
        }
        CPPUNIT_ASSERT_MESSAGE("they did not deadlock", attempts > 2);
        // What the undone attempts did has left no trace.
        CPPUNIT_ASSERT_EQUAL(before + 4, changeSeqs());
    }
}

} // namespace supplierd::tests
