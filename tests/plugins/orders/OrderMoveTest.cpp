#include "OrderStatus.h"
#include "Trader.h"

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <utility>

namespace supplierd::tests {

using nlohmann::json;
using orders::STATUS_NAMES;

namespace {

const std::set<std::pair<std::string, std::string>> MOVES{
    {"pending", "confirmed"},    {"pending", "cancelled"},  {"confirmed", "processing"}, {"confirmed", "cancelled"},
    {"processing", "cancelled"}, {"processing", "shipped"}, {"shipped", "delivered"}};

} // namespace

/// POST /orders/{id}/status, and the platform's completion.
class OrderMoveTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(OrderMoveTest);
    CPPUNIT_TEST(testEveryPairOfStatesIsAllowedOrRefusedAsTheTableSays);
    CPPUNIT_TEST(testOnlyDeliveredOrdersAreCompletedByThePlatform);
    CPPUNIT_TEST(testMoveAnswersTheOrderAsItIsThen);
    CPPUNIT_TEST(testSupplierIsToldThatOnlyThePlatformCompletes);
    CPPUNIT_TEST(testPresentStatusAgainIsRefused);
    CPPUNIT_TEST(testBodyIsChecked);
    CPPUNIT_TEST(testUnknownOrderIsNotFoundWhateverTheBodySays);
    CPPUNIT_TEST(testCommentIsKeptInTheHistory);
    CPPUNIT_TEST(testTrackingComesWithShipped);
    CPPUNIT_TEST(testTrackingWithAnotherStatusIsIgnoredWithAWarning);
    CPPUNIT_TEST(testProblemsOfTheBodyAndOfTheMoveComeTogether);
    CPPUNIT_TEST(testUpdatedAtFollowsTheMove);
    CPPUNIT_TEST(testIdempotencyKeyMovesOnce);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _product = _trader.product(1'000); }
    void tearDown() override { requireSoundOrders(OrdersWorld::instance().database()); }

    void testEveryPairOfStatesIsAllowedOrRefusedAsTheTableSays() {
        for (const auto from : STATUS_NAMES)
            for (const auto to : STATUS_NAMES) {
                const std::string state(from);
                const std::string wanted(to);
                const auto group = _trader.groupIn(state, _product);
                const json before = _trader.read(group);
                const HttpResponse response = _trader.move(group, wanted);
                if (MOVES.contains({state, wanted})) {
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
                    CPPUNIT_ASSERT_EQUAL(json(wanted), response.data()["order"]["status"]);
                    continue;
                }
                const json error = requireProblems(response, {"status:unsupported"});
                const auto message = error["message"].get<std::string>();
                CPPUNIT_ASSERT_MESSAGE(message, message.find("from " + state + " to " + wanted) != std::string::npos);
                CPPUNIT_ASSERT_EQUAL(before, _trader.read(group));
            }
        for (const auto from : STATUS_NAMES) {
            std::set<std::string> allowed;
            for (const auto& [state, next] : MOVES)
                if (state == from)
                    allowed.insert(next);
            const json order = _trader.read(_trader.groupIn(std::string(from), _product));
            CPPUNIT_ASSERT(allowed == order["allowed_statuses"].get<std::set<std::string>>());
        }
    }

    void testOnlyDeliveredOrdersAreCompletedByThePlatform() {
        for (const auto from : STATUS_NAMES) {
            const auto group = _trader.groupIn(std::string(from), _product);
            const HttpResponse response = complete(group);
            if (from == "delivered") {
                CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
                const json order = response.data()["order"];
                CPPUNIT_ASSERT_EQUAL(json("completed"), order["status"]);
                CPPUNIT_ASSERT_EQUAL(json(_trader.id()), order["supplier"]["id"]);
                CPPUNIT_ASSERT_EQUAL(json("platform"), order["status_history"].back()["changed_by"]);
                continue;
            }
            const auto message = requireProblems(response, {"status:unsupported"})["message"].get<std::string>();
            CPPUNIT_ASSERT_MESSAGE(message,
                                   message.find("from " + std::string(from) + " to completed") != std::string::npos);
        }
        CPPUNIT_ASSERT_EQUAL(404, complete(999'999'999).status);
    }

    void testMoveAnswersTheOrderAsItIsThen() {
        const auto group = _trader.sell(_product, 2);
        const HttpResponse response = _trader.move(group, "confirmed");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
        CPPUNIT_ASSERT_EQUAL(_trader.read(group), response.data()["order"]);
        const json entry = response.data()["order"]["status_history"][1];
        CPPUNIT_ASSERT_EQUAL(json("pending"), entry["from_status"]);
        CPPUNIT_ASSERT_EQUAL(json("confirmed"), entry["to_status"]);
        CPPUNIT_ASSERT_EQUAL(json("supplier"), entry["changed_by"]);
        CPPUNIT_ASSERT(entry["comment"].is_null());
    }

    void testSupplierIsToldThatOnlyThePlatformCompletes() {
        const json error =
            requireProblems(_trader.move(_trader.groupIn("delivered", _product), "completed"), {"status:unsupported"});
        CPPUNIT_ASSERT_EQUAL(json("an order cannot go from delivered to completed: only the platform does that"),
                             error["message"]);
    }

    void testPresentStatusAgainIsRefused() {
        const json error =
            requireProblems(_trader.move(_trader.groupIn("shipped", _product), "shipped"), {"status:unsupported"});
        CPPUNIT_ASSERT_EQUAL(json("an order cannot go from shipped to shipped: it is shipped already"),
                             error["message"]);
    }

    void testBodyIsChecked() {
        const auto group = _trader.sell(_product, 1);
        const std::string path = "/orders/" + std::to_string(group) + "/status";
        HttpClient& http = _trader.http();
        requireProblems(http.post(path, json::object()), {"status:required"});
        requireProblems(http.post(path, {{"status", nullptr}}), {"status:required"});
        requireProblems(http.post(path, {{"status", 1}, {"comment", 5}}), {"status:type", "comment:type"});
        requireProblems(http.post(path, {{"status", "Confirmed"}}), {"status:not_in_set"});
        requireProblems(http.post(path, {{"status", ""}}), {"status:required"});
        requireProblems(http.post(path, {{"status", " \t"}}), {"status:required"});
        const json error =
            requireProblems(http.post(path, {{"status", "refunded"}, {"comment", std::string(1'001, 'x')}}),
                            {"status:not_in_set", "comment:too_long"});
        CPPUNIT_ASSERT_EQUAL(json("status"), error["details"][0]["field"]);
        CPPUNIT_ASSERT_EQUAL(415, http.request("POST", path, {{"Content-Type", "text/plain"}}, "{}").status);
        CPPUNIT_ASSERT_EQUAL(405, http.get(path).status);
        CPPUNIT_ASSERT_EQUAL(json("pending"), _trader.read(group)["status"]);
        CPPUNIT_ASSERT_EQUAL(200, http.post(path, {{"status", " confirmed\n"}}).status);
        CPPUNIT_ASSERT_EQUAL(json("confirmed"), _trader.read(group)["status"]);
    }

    void testUnknownOrderIsNotFoundWhateverTheBodySays() {
        const std::string path = "/orders/999999999/status";
        for (const json& body : {json{{"status", "confirmed"}}, json::object(), json{{"status", "refunded"}},
                                 json{{"status", "shipped"}, {"comment", 5}}, json{{"status", "pending"}}}) {
            const HttpResponse answer = _trader.http().post(path, body);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), 404, answer.status);
            CPPUNIT_ASSERT_EQUAL(json("Order not found"), answer.error()["message"]);
        }
        // What is no JSON object never reaches the route's handler.
        CPPUNIT_ASSERT_EQUAL(422, _trader.http().postText(path, "[]").status);
    }

    void testCommentIsKeptInTheHistory() {
        std::string longest;
        for (int i = 0; i < 1'000; ++i)
            longest += "💐";
        const auto group = _trader.sell(_product, 1);
        CPPUNIT_ASSERT_EQUAL(200, _trader.move(group, "confirmed", {{"comment", longest}}).status);
        CPPUNIT_ASSERT_EQUAL(200, _trader.move(group, "processing", {{"comment", "  \t"}}).status);
        CPPUNIT_ASSERT_EQUAL(200, _trader.move(group, "cancelled", {{"comment", " Frost. "}}).status);
        const json history = _trader.read(group)["status_history"];
        CPPUNIT_ASSERT_EQUAL(json(longest), history[1]["comment"]);
        CPPUNIT_ASSERT(history[2]["comment"].is_null());
        CPPUNIT_ASSERT_EQUAL(json("Frost."), history[3]["comment"]);
    }

    void testTrackingComesWithShipped() {
        const json tracking{{"carrier", "PostNL"}, {"number", "3S123"}, {"url", "https://example.com/t?n=3S123"}};
        const auto group = _trader.groupIn("processing", _product);
        const HttpResponse response = _trader.move(group, "shipped", {{"tracking", tracking}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
        CPPUNIT_ASSERT_EQUAL(tracking, response.data()["order"]["tracking"]);
        CPPUNIT_ASSERT_EQUAL(200, _trader.move(group, "delivered").status);
        CPPUNIT_ASSERT_EQUAL(tracking, _trader.read(group)["tracking"]);

        const auto ship = [&](const json& sent) {
            return _trader.move(_trader.groupIn("processing", _product), "shipped", {{"tracking", sent}});
        };
        CPPUNIT_ASSERT_EQUAL(json({{"carrier", nullptr}, {"number", "1"}, {"url", nullptr}}),
                             ship({{"number", "1"}}).data()["order"]["tracking"]);
        CPPUNIT_ASSERT(ship(json::object()).data()["order"]["tracking"].is_null());
        CPPUNIT_ASSERT(ship(nullptr).data()["order"]["tracking"].is_null());
        CPPUNIT_ASSERT(
            _trader.move(_trader.groupIn("processing", _product), "shipped").data()["order"]["tracking"].is_null());
        requireProblems(ship("3S123"), {"tracking:type"});
        requireProblems(ship({{"carrier", std::string(256, 'c')},
                              {"number", std::string(256, 'n')},
                              {"url", "https://" + std::string(2'048, 'u')}}),
                        {"tracking.carrier:too_long", "tracking.number:too_long", "tracking.url:too_long"});
        for (const char* url : {"javascript:alert(1)", "ftp://example.com", "https://", "http://a b", "example.com"})
            requireProblems(ship({{"url", url}}), {"tracking.url:type"});
    }

    void testTrackingWithAnotherStatusIsIgnoredWithAWarning() {
        const auto group = _trader.sell(_product, 1);
        const HttpResponse moved = _trader.move(group, "confirmed", {{"tracking", {{"number", "1"}}}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        CPPUNIT_ASSERT_EQUAL(json::parse(R"([{"field": "tracking", "code": "unsupported",
                             "message": "tracking was ignored: it belongs to the status shipped only"}])"),
                             moved.json()["warnings"]);
        CPPUNIT_ASSERT(_trader.read(group)["tracking"].is_null());
        const HttpResponse next = _trader.move(group, "processing", {{"tracking", nullptr}});
        CPPUNIT_ASSERT(next.status == 200 && !next.json().contains("warnings"));
    }

    void testProblemsOfTheBodyAndOfTheMoveComeTogether() {
        const auto group = _trader.sell(_product, 1);
        requireProblems(_trader.move(group, "delivered", {{"comment", std::string(1'001, 'x')}, {"tracking", 5}}),
                        {"comment:too_long", "status:unsupported"});
    }

    void testUpdatedAtFollowsTheMove() {
        TestDatabase& database = OrdersWorld::instance().database();
        const auto group = _trader.sell(_product, 1);
        database.exec("UPDATE order_groups SET created_at = '2026-01-02 03:04:05', updated_at = '2026-01-02 03:04:05' "
                      "WHERE id = " +
                      std::to_string(group));
        CPPUNIT_ASSERT_EQUAL(json("2026-01-02T03:04:05Z"), _trader.read(group)["updated_at"]);
        _trader.move(group, "confirmed");
        const json order = _trader.read(group);
        CPPUNIT_ASSERT_EQUAL(json("2026-01-02T03:04:05Z"), order["created_at"]);
        CPPUNIT_ASSERT(order["updated_at"].get<std::string>() > "2026-01-02T03:04:05Z");
        CPPUNIT_ASSERT(order["updated_at"].get<std::string>() <=
                       order["status_history"][1]["created_at"].get<std::string>());
    }

    void testIdempotencyKeyMovesOnce() {
        const auto group = _trader.sell(_product, 1);
        const std::string path = "/orders/" + std::to_string(group) + "/status";
        const HttpHeaders headers{{"Idempotency-Key", "confirm-" + std::to_string(group)}};
        const HttpResponse first = _trader.http().post(path, {{"status", "confirmed"}}, headers);
        const HttpResponse again = _trader.http().post(path, {{"status", "confirmed"}}, headers);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 200, first.status);
        CPPUNIT_ASSERT_EQUAL(200, again.status);
        CPPUNIT_ASSERT_EQUAL(first.body, again.body);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _trader.read(group)["status_history"].size());
    }

private:
    static HttpResponse complete(std::int64_t group) {
        return OrdersWorld::instance().platform().postEmpty("/order-groups/" + std::to_string(group) + "/complete");
    }

    Trader _trader;
    std::int64_t _product = 0;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OrderMoveTest);

} // namespace supplierd::tests
