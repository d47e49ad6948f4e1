#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <chrono>
#include <future>
#include <string>

namespace supplierd::tests {

/// `Idempotency-Key`, with handlers that count their runs by the body's `name`.
class IdempotencyTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = fixture().server().createSupplier("Van der Berg Bloemen");
        _key = fixture().server().createKey(_supplier);
        _name = "idempotency-" + std::to_string(_supplier);
    }

protected:
    HttpClient client() const { return fixture().server().client(_key); }

    HttpResponse post(const std::string& path, const Json& body, const std::string& key = "k-1") const {
        return client().post(path, body, {{"Idempotency-Key", key}});
    }

    int runs() const { return client().get("/test/runs?name=" + _name).data().at("runs").get<int>(); }

    void assertReplayed(const std::string& path, const std::string& headerOfTheResponse) {
        const auto first = post(path, {{"name", _name}});
        requireStatus(201, first);
        CPPUNIT_ASSERT(!first.hasHeader("Idempotent-Replayed"));
        const auto second = post(path, {{"name", _name}});
        requireStatus(201, second);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), second.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first.body, second.body);
        CPPUNIT_ASSERT(!first.header(headerOfTheResponse).empty());
        CPPUNIT_ASSERT_EQUAL(first.header(headerOfTheResponse), second.header(headerOfTheResponse));
        CPPUNIT_ASSERT_EQUAL(1, runs());
    }

    /// Tests run one after the other, so that the newest claim is this test's.
    void assertTakenOver(const std::string& how) {
        requireStatus(201, post("/test/run", {{"name", _name}}));
        fixture().database().exec("UPDATE idempotency_keys SET state = 'running', status = NULL, headers = NULL, "
                                  "data = NULL, " +
                                  how + " ORDER BY created_at DESC LIMIT 1");
        const auto response = post("/test/run", {{"name", _name}});
        requireStatus(201, response);
        CPPUNIT_ASSERT(!response.hasHeader("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(2, runs());
        CPPUNIT_ASSERT_EQUAL(std::string("true"), post("/test/run", {{"name", _name}}).header("Idempotent-Replayed"));
    }

    std::int64_t _supplier = 0;
    std::string _key;
    std::string _name;
};

TEST(IdempotencyTest, withoutKeyEveryRequestRuns) {
    requireStatus(201, client().post("/test/run", {{"name", _name}}));
    requireStatus(201, client().post("/test/run", {{"name", _name}}));
    CPPUNIT_ASSERT_EQUAL(2, runs());
}

TEST(IdempotencyTest, repeatGetsTheFirstResponseAndDoesNotRun) {
    assertReplayed("/test/run", "Location");
}

TEST(IdempotencyTest, repeatOfATransactionGetsItsResponse) {
    assertReplayed("/test/transact", "ETag");
}

TEST(IdempotencyTest, textIsReplayedAsItWas) {
    assertReplayed("/test/text", "Content-Type");
    CPPUNIT_ASSERT_EQUAL(std::string("run 1"), post("/test/text", {{"name", _name}}).body);
}

TEST(IdempotencyTest, refusalIsReplayedToo) {
    const Json body = {{"name", _name}, {"what", "conflict"}};
    const auto first = post("/test/throw", body);
    requireError(409, "CONFLICT", first);
    const auto second = post("/test/throw", body);
    const auto error = requireError(409, "CONFLICT", second);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), second.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(std::string("Somebody else was faster"), error.at("message").get<std::string>());
    CPPUNIT_ASSERT(first.header("X-Request-Id") != second.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(1, runs());

    requireError(422, "VALIDATION_ERROR", client().postText("/test/run", "[]", {{"Idempotency-Key", "array"}}));
    const auto replayed = client().postText("/test/run", "[]", {{"Idempotency-Key", "array"}});
    requireError(422, "VALIDATION_ERROR", replayed);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), replayed.header("Idempotent-Replayed"));
}

TEST(IdempotencyTest, sameKeyWithAnotherBodyIsInvalid) {
    requireStatus(201, post("/test/run", {{"name", _name}}));
    const auto error =
        requireDetail(422, "VALIDATION_ERROR", "duplicate", post("/test/run", {{"name", _name}, {"more", 1}}));
    CPPUNIT_ASSERT_EQUAL(std::string("Idempotency-Key"), error.at("details")[0].at("field").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(1, runs());
    CPPUNIT_ASSERT_EQUAL(std::string("true"), post("/test/run", {{"name", _name}}).header("Idempotent-Replayed"));
}

TEST(IdempotencyTest, sameKeyOnAnotherPathIsAnotherRequest) {
    requireStatus(201, post("/test/run", {{"name", _name}}));
    const auto other = post("/test/transact", {{"name", _name}});
    requireStatus(201, other);
    CPPUNIT_ASSERT(!other.hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(2, runs());
}

TEST(IdempotencyTest, sameKeyOfAnotherSupplierIsAnotherRequest) {
    requireStatus(201, post("/test/run", {{"name", _name}}));
    const auto other = newClient().post("/test/run", {{"name", _name}}, {{"Idempotency-Key", "k-1"}});
    requireStatus(201, other);
    CPPUNIT_ASSERT(!other.hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(2, runs());
}

TEST(IdempotencyTest, sameKeyOfAnotherApiKeyOfTheSupplierIsTheSameRequest) {
    requireStatus(201, post("/test/run", {{"name", _name}}));
    _key = fixture().server().createKey(_supplier);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), post("/test/run", {{"name", _name}}).header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(1, runs());
}

TEST(IdempotencyTest, repeatWhileTheFirstRunsIsAConflict) {
    const Json slow = {{"name", _name}, {"ms", 3'000}};
    auto first = std::async(std::launch::async, [&] { return post("/test/run", slow); });
    waitFor("the first request running", [&] { return runs() == 1; });
    requireError(409, "CONFLICT", post("/test/run", slow));
    requireStatus(201, first.get());
    const auto replayed = post("/test/run", slow);
    requireStatus(201, replayed);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), replayed.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(1, runs());
}

TEST(IdempotencyTest, serverErrorIsNotKept) {
    const auto first = post("/test/fail-once", {{"name", _name}});
    requireError(500, "SERVER_ERROR", first);
    const auto second = post("/test/fail-once", {{"name", _name}});
    requireStatus(201, second);
    CPPUNIT_ASSERT(!second.hasHeader("Idempotent-Replayed"));
    requireError(503, "SERVICE_UNAVAILABLE", post("/test/throw", {{"name", _name}, {"what", "unavailable"}}));
    CPPUNIT_ASSERT(!post("/test/throw", {{"name", _name}, {"what", "unavailable"}}).hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(4, runs());
}

TEST(IdempotencyTest, malformedKeysAreInvalid) {
    for (const std::string& key : {std::string(), std::string(256, 'k'), std::string("caf\xc3\xa9")}) {
        const auto error = requireError(422, "VALIDATION_ERROR", post("/test/run", {{"name", _name}}, key));
        CPPUNIT_ASSERT_EQUAL(std::string("Idempotency-Key"), error.at("details")[0].at("field").get<std::string>());
    }
    requireError(400, "BAD_REQUEST", post("/test/run", {{"name", _name}}, "a\x01z"));
    CPPUNIT_ASSERT_EQUAL(0, runs());
}

TEST(IdempotencyTest, longestKeyIsAccepted) {
    const auto key = std::string(253, 'k') + " ~";
    requireStatus(201, post("/test/run", {{"name", _name}}, key));
    CPPUNIT_ASSERT_EQUAL(std::string("true"), post("/test/run", {{"name", _name}}, key).header("Idempotent-Replayed"));
}

TEST(IdempotencyTest, twoKeysAreABadRequest) {
    requireError(400, "BAD_REQUEST",
                 client().post("/test/run", {{"name", _name}}, {{"Idempotency-Key", "a"}, {"Idempotency-Key", "b"}}));
}

TEST(IdempotencyTest, readsIgnoreTheKey) {
    for (int i = 0; i < 2; ++i) {
        const auto response = client().get("/test/whoami", {{"Idempotency-Key", "read"}});
        requireStatus(200, response);
        CPPUNIT_ASSERT(!response.hasHeader("Idempotent-Replayed"));
    }
}

TEST(IdempotencyTest, refusedRequestsClaimNothing) {
    const HttpHeaders withKey = {{"Idempotency-Key", "k-1"}};
    requireStatus(401, fixture().server().client().post("/test/run", {{"name", _name}}, withKey));
    requireStatus(415, client().request("POST", "/test/run", withKey, "text"));
    const auto response = post("/test/run", {{"name", _name}});
    requireStatus(201, response);
    CPPUNIT_ASSERT(!response.hasHeader("Idempotent-Replayed"));
}

// What a server leaves behind that was killed while the request ran.
TEST(IdempotencyTest, claimOfAServerThatIsGoneIsTakenOver) {
    assertTakenOver("server = 'gone', created_at = NOW(6) - INTERVAL 1 MINUTE");
}

// What a failure leaves behind when the database was away, too, at that moment.
TEST(IdempotencyTest, claimThatThisServerGaveUpIsTakenOver) {
    assertTakenOver("created_at = NOW(6)");
}

TEST(IdempotencyTest, outdatedResponseIsForgotten) {
    requireStatus(201, post("/test/run", {{"name", _name}}));
    fixture().database().exec("UPDATE idempotency_keys SET created_at = NOW(6) - INTERVAL 25 HOUR");
    const auto response = post("/test/run", {{"name", _name}, {"more", 1}});
    requireStatus(201, response);
    CPPUNIT_ASSERT(!response.hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(2, runs());
}

TEST(IdempotencyTest, secretIsNeverStored) {
    const auto first = post("/test/secret", {{"name", _name}});
    requireStatus(201, first);
    CPPUNIT_ASSERT_EQUAL(std::string("rose-secret"), first.data().at("secret").get<std::string>());
    const auto second = post("/test/secret", {{"name", _name}});
    requireProblems(second, {"Idempotency-Key:duplicate"});
    CPPUNIT_ASSERT_EQUAL(std::string::npos, second.body.find("rose-secret"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, fixture().database().integer("SELECT COUNT(*) FROM idempotency_keys WHERE "
                                                                       "data LIKE '%rose-secret%'"));
    CPPUNIT_ASSERT_EQUAL(1, runs());
}

TEST(IdempotencyTest, routesWithoutBodyTakeAKeyToo) {
    const HttpHeaders withKey = {{"Idempotency-Key", "ping"}};
    CPPUNIT_ASSERT(!client().postEmpty("/test/ping", withKey).hasHeader("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(std::string("true"), client().postEmpty("/test/ping", withKey).header("Idempotent-Replayed"));
}

TEST(IdempotencyTest, replayCountsAgainstTheRateLimit) {
    const auto first = std::stoi(post("/test/run", {{"name", _name}}).header("X-RateLimit-Remaining"));
    const auto second = std::stoi(post("/test/run", {{"name", _name}}).header("X-RateLimit-Remaining"));
    CPPUNIT_ASSERT_EQUAL(first - 1, second);
}

} // namespace supplierd::tests
