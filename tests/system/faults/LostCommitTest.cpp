#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <array>
#include <thread>

namespace supplierd::tests {
namespace {

constexpr int ROUNDS = 200;
constexpr std::array<Fault, 4> FAULTS{Fault::AfterReply, Fault::AtOnce, Fault::Late, Fault::BeforeCommand};
constexpr auto BREATH = std::chrono::milliseconds(50);
constexpr int BREATHS = 600;

constexpr const char* TIME_LIMITS = R"(
read_timeout = "3s"
statement_time_limit = "2s"
lock_wait_timeout = "2s"
)";

struct Round {
    std::string name;
    std::string key; ///< the Idempotency-Key; empty: none
    HttpResponse response;

    HttpHeaders headers() const { return key.empty() ? HttpHeaders{} : HttpHeaders{{"Idempotency-Key", key}}; }
    bool acknowledged() const { return response.status == 201; }
    std::int64_t productId() const { return response.data().at("product").at("id").get<std::int64_t>(); }
};

} // namespace

/// The connection to the database is lost around COMMIT: whether the change took effect is unknown at first.
class LostCommitTest : public CppUnit::TestFixture {
protected:
    Round runRound(int i) {
        const auto number = std::to_string(i);
        Round round{"Round " + number, i % 2 == 0 ? "round-" + number : "", {}};
        _fixture.proxy().arm("COMMIT", FAULTS[static_cast<std::size_t>(i / 2) % FAULTS.size()]);
        round.response = _client.post("/products", _fixture.product(round.name), round.headers());
        return round;
    }

    void requireFirstResponse(const Round& round) {
        const auto found = _fixture.productsNamed(round.name);
        if (round.acknowledged()) {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(round.name + " was acknowledged", std::int64_t{1}, found);
            CPPUNIT_ASSERT_EQUAL(round.name, _client.get("/products/" + std::to_string(round.productId()))
                                                 .data()["product"]["name"]
                                                 .get<std::string>());
            return;
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE(round.response.body, 503, round.response.status);
        CPPUNIT_ASSERT_MESSAGE("a 503 without Retry-After", round.response.hasHeader("Retry-After"));
        CPPUNIT_ASSERT_EQUAL(std::string("SERVICE_UNAVAILABLE"), round.response.error()["code"].get<std::string>());
        CPPUNIT_ASSERT_MESSAGE(round.name + " is there twice", found <= 1);
    }

    void requireSameProductAgain(const Round& round) {
        HttpResponse again;
        for (int i = 0; i < BREATHS; ++i) {
            again = _client.post("/products", _fixture.product(round.name), round.headers());
            if (again.status != 409) // the first is still worked on
                break;
            std::this_thread::sleep_for(BREATH);
        }
        requireStatus(201, again);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.productsNamed(round.name));
        const auto id = again.data().at("product").at("id").get<std::int64_t>();
        CPPUNIT_ASSERT_EQUAL(_fixture.database().integer("SELECT id FROM products WHERE name = " +
                                                         _fixture.database().quote(round.name)),
                             id);
        if (!round.acknowledged())
            return;
        CPPUNIT_ASSERT_EQUAL(round.productId(), id);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(round.response.body, again.body);
    }

    FaultFixture _fixture{FaultOptions{.proxied = true, .database = TIME_LIMITS}};
    HttpClient _client{_fixture.client()};
};

TEST(LostCommitTest, nothingIsDoubledOrLostWhenTheAnswerToCommitIsCut) {
    std::vector<Round> rounds;
    for (int i = 0; i < ROUNDS; ++i)
        rounds.push_back(runRound(i));
    CPPUNIT_ASSERT_EQUAL(ROUNDS, _fixture.proxy().strikes());
    int acknowledged = 0;
    for (auto& round : rounds) {
        requireFirstResponse(round);
        acknowledged += round.acknowledged() ? 1 : 0;
        if (!round.key.empty())
            requireSameProductAgain(round);
    }
    // The database was there all the time: every outcome could be found out.
    CPPUNIT_ASSERT_EQUAL(ROUNDS, acknowledged);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{ROUNDS}, _fixture.database().integer("SELECT COUNT(*) FROM products"));
    CPPUNIT_ASSERT_EQUAL(ROUNDS, _client.get("/products").data().at("pagination").at("total_items").get<int>());
    _fixture.requireTrueNumbers();
}

TEST(LostCommitTest, aLookUpThatIsCutTooIsAskedAgain) {
    for (int i = 0; i < 20; ++i) {
        // What is asked after a COMMIT without an answer, with and without an Idempotency-Key.
        _fixture.proxy().arm("INSERT INTO operations (id, abandoned)", FAULTS[(i / 2) % 2]);
        _fixture.proxy().arm("UPDATE idempotency_keys SET owner", FAULTS[(i / 2) % 2]);
        auto round = runRound(i);
        CPPUNIT_ASSERT_MESSAGE("neither look-up was cut", _fixture.proxy().strikes() >= 2 * (i + 1));
        _fixture.proxy().disarm();
        requireFirstResponse(round);
        if (!round.key.empty())
            requireSameProductAgain(round);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _fixture.productsNamed(round.name));
    }
    _fixture.requireTrueNumbers();
}

TEST(LostCommitTest, anOutcomeThatCannotBeAskedForIsA503AndTheRepeatFindsIt) {
    const std::vector<std::pair<Fault, bool>> cases{
        {Fault::AfterReply, true}, {Fault::BeforeCommand, true}, {Fault::AfterReply, false}};
    for (const auto& [fault, withKey] : cases) {
        Round round;
        // A job of a server that has just started commits, too: then it was struck instead.
        for (int attempt = 0; attempt < 5 && round.response.status != 503; ++attempt) {
            const auto name = "Unknown " + std::to_string(_fixture.proxy().strikes());
            round = {name, withKey ? name : "", {}};
            _fixture.proxy().arm("COMMIT", fault);
            _fixture.proxy().refuseConnectionsFromNextFault();
            round.response = _fixture.client().post("/products", _fixture.product(name), round.headers());
            _fixture.proxy().refuseConnections(false);
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE(round.response.body, 503, round.response.status);
        requireFirstResponse(round);
        if (withKey)
            requireSameProductAgain(round);
    }
    _fixture.requireTrueNumbers();
}

TEST(LostCommitTest, aCommitThatIsNotAnsweredInTimeIsFoundOut) {
    for (const bool withKey : {true, false}) {
        const auto name = withKey ? "Silence with a key" : "Silence";
        Round round{name, withKey ? "silence" : "", {}};
        _fixture.proxy().arm("COMMIT", Fault::Silence);
        round.response = _client.post("/products", _fixture.product(name), round.headers());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(round.response.body, 201, round.response.status);
        requireFirstResponse(round);
    }
    CPPUNIT_ASSERT_EQUAL(2, _fixture.proxy().strikes());
    _fixture.requireTrueNumbers();
}

TEST(LostCommitTest, aConnectionCutAtAnyStatementOfTheRequestIsNotSeenByTheClient) {
    const std::vector<std::string> statements{"START TRANSACTION",     "UPDATE supplier_state",  "INSERT INTO products",
                                              "INTO changes",          "INTO product_skus",      "INTO operations",
                                              "INTO idempotency_keys", "UPDATE idempotency_keys"};
    int number = 0;
    for (const auto& statement : statements)
        for (const auto fault : FAULTS)
            for (const bool withKey : {false, true}) {
                const auto name = "Cut " + std::to_string(++number);
                Round round{name, withKey ? name : "", {}};
                auto body = _fixture.product(name);
                body["sku"] = name;
                _fixture.proxy().arm(statement, fault);
                round.response = _client.post("/products", body, round.headers());
                _fixture.proxy().disarm();
                CPPUNIT_ASSERT_EQUAL_MESSAGE(statement + ": " + round.response.body, 201, round.response.status);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(statement, std::int64_t{1}, _fixture.productsNamed(name));
            }
    CPPUNIT_ASSERT_MESSAGE("hardly a statement was met", _fixture.proxy().strikes() >= number / 2);
    _fixture.requireTrueNumbers();
}

TEST(LostCommitTest, aRefusalIsStoredOnceWhenItsReplyIsCut) {
    for (const auto fault : FAULTS) {
        const HttpHeaders headers{{"Idempotency-Key", "refused-" + std::to_string(static_cast<int>(fault))}};
        auto body = _fixture.product("Refused");
        body["unit"] = "bouquet";
        _fixture.proxy().arm("UPDATE idempotency_keys SET state", fault);
        const auto first = _client.post("/products", body, headers);
        requireStatus(422, first);
        const auto again = _client.post("/products", body, headers);
        requireStatus(422, again);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    }
    CPPUNIT_ASSERT_EQUAL(static_cast<int>(FAULTS.size()), _fixture.proxy().strikes());
}

} // namespace supplierd::tests
