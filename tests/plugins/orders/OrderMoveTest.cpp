#include "OrderStatus.h"
#include "OrdersFixture.h"
#include "tests/support/Test.h"

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
public:
    void setUp() override { _product = _supplier.product(1'000); }
    void tearDown() override { fixture().requireSoundOrders(); }

protected:
    static HttpResponse complete(std::int64_t group) {
        return operatorClient().postEmpty("/order-groups/" + std::to_string(group) + "/complete");
    }

    OrdersClient _supplier;
    std::int64_t _product = 0;
};

TEST(OrderMoveTest, everyPairOfStatesIsAllowedOrRefusedAsTheTableSays) {
    for (const auto from : STATUS_NAMES)
        for (const auto to : STATUS_NAMES) {
            const std::string state(from);
            const std::string wanted(to);
            const auto group = _supplier.groupIn(state, _product);
            const json before = _supplier.order(group);
            const HttpResponse response = _supplier.move(group, wanted);
            if (MOVES.contains({state, wanted})) {
                requireStatus(200, response);
                CPPUNIT_ASSERT_EQUAL(json(wanted), response.data()["order"]["status"]);
                continue;
            }
            const json error = requireProblems(response, {"status:unsupported"});
            const auto message = error["message"].get<std::string>();
            CPPUNIT_ASSERT_MESSAGE(message, message.find("from " + state + " to " + wanted) != std::string::npos);
            CPPUNIT_ASSERT_EQUAL(before, _supplier.order(group));
        }
    for (const auto from : STATUS_NAMES) {
        std::set<std::string> allowed;
        for (const auto& [state, next] : MOVES)
            if (state == from)
                allowed.insert(next);
        const json order = _supplier.order(_supplier.groupIn(std::string(from), _product));
        CPPUNIT_ASSERT(allowed == order["allowed_statuses"].get<std::set<std::string>>());
    }
}

TEST(OrderMoveTest, onlyDeliveredOrdersAreCompletedByThePlatform) {
    for (const auto from : STATUS_NAMES) {
        const auto group = _supplier.groupIn(std::string(from), _product);
        const HttpResponse response = complete(group);
        if (from == "delivered") {
            requireStatus(200, response);
            const json order = response.data()["order"];
            CPPUNIT_ASSERT_EQUAL(json("completed"), order["status"]);
            CPPUNIT_ASSERT_EQUAL(json(_supplier.id()), order["supplier"]["id"]);
            CPPUNIT_ASSERT_EQUAL(json("platform"), order["status_history"].back()["changed_by"]);
            continue;
        }
        const auto message = requireProblems(response, {"status:unsupported"})["message"].get<std::string>();
        CPPUNIT_ASSERT_MESSAGE(message,
                               message.find("from " + std::string(from) + " to completed") != std::string::npos);
    }
    requireStatus(404, complete(999'999'999));
}

TEST(OrderMoveTest, moveAnswersTheOrderAsItIsThen) {
    const auto group = _supplier.sell(_product, 2);
    const HttpResponse response = _supplier.move(group, "confirmed");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(_supplier.order(group), response.data()["order"]);
    const json entry = response.data()["order"]["status_history"][1];
    CPPUNIT_ASSERT_EQUAL(json("pending"), entry["from_status"]);
    CPPUNIT_ASSERT_EQUAL(json("confirmed"), entry["to_status"]);
    CPPUNIT_ASSERT_EQUAL(json("supplier"), entry["changed_by"]);
    CPPUNIT_ASSERT(entry["comment"].is_null());
}

TEST(OrderMoveTest, supplierIsToldThatOnlyThePlatformCompletes) {
    const json error =
        requireProblems(_supplier.move(_supplier.groupIn("delivered", _product), "completed"), {"status:unsupported"});
    CPPUNIT_ASSERT_EQUAL(json("an order cannot go from delivered to completed: only the platform does that"),
                         error["message"]);
}

TEST(OrderMoveTest, presentStatusAgainIsRefused) {
    const json error =
        requireProblems(_supplier.move(_supplier.groupIn("shipped", _product), "shipped"), {"status:unsupported"});
    CPPUNIT_ASSERT_EQUAL(json("an order cannot go from shipped to shipped: it is shipped already"), error["message"]);
}

TEST(OrderMoveTest, bodyIsChecked) {
    const auto group = _supplier.sell(_product, 1);
    const std::string path = "/orders/" + std::to_string(group) + "/status";
    HttpClient& http = _supplier;
    requireProblems(http.post(path, json::object()), {"status:required"});
    requireProblems(http.post(path, {{"status", nullptr}}), {"status:required"});
    requireProblems(http.post(path, {{"status", 1}, {"comment", 5}}), {"status:type", "comment:type"});
    requireProblems(http.post(path, {{"status", "Confirmed"}}), {"status:not_in_set"});
    requireProblems(http.post(path, {{"status", ""}}), {"status:required"});
    requireProblems(http.post(path, {{"status", " \t"}}), {"status:required"});
    const json error = requireProblems(http.post(path, {{"status", "refunded"}, {"comment", std::string(1'001, 'x')}}),
                                       {"status:not_in_set", "comment:too_long"});
    CPPUNIT_ASSERT_EQUAL(json("status"), error["details"][0]["field"]);
    requireStatus(415, http.request("POST", path, {{"Content-Type", "text/plain"}}, "{}"));
    requireStatus(405, http.get(path));
    CPPUNIT_ASSERT_EQUAL(json("pending"), _supplier.order(group)["status"]);
    requireStatus(200, http.post(path, {{"status", " confirmed\n"}}));
    CPPUNIT_ASSERT_EQUAL(json("confirmed"), _supplier.order(group)["status"]);
}

TEST(OrderMoveTest, unknownOrderIsNotFoundWhateverTheBodySays) {
    const std::string path = "/orders/999999999/status";
    for (const json& body : {json{{"status", "confirmed"}}, json::object(), json{{"status", "refunded"}},
                             json{{"status", "shipped"}, {"comment", 5}}, json{{"status", "pending"}}}) {
        const HttpResponse response = _supplier.post(path, body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), 404, response.status);
        CPPUNIT_ASSERT_EQUAL(json("Order not found"), response.error()["message"]);
    }
    // What is no JSON object never reaches the route's handler.
    requireStatus(422, _supplier.postText(path, "[]"));
}

TEST(OrderMoveTest, commentIsKeptInTheHistory) {
    std::string longest;
    for (int i = 0; i < 1'000; ++i)
        longest += "💐";
    const auto group = _supplier.sell(_product, 1);
    requireStatus(200, _supplier.move(group, "confirmed", {{"comment", longest}}));
    requireStatus(200, _supplier.move(group, "processing", {{"comment", "  \t"}}));
    requireStatus(200, _supplier.move(group, "cancelled", {{"comment", " Frost. "}}));
    const json history = _supplier.order(group)["status_history"];
    CPPUNIT_ASSERT_EQUAL(json(longest), history[1]["comment"]);
    CPPUNIT_ASSERT(history[2]["comment"].is_null());
    CPPUNIT_ASSERT_EQUAL(json("Frost."), history[3]["comment"]);
}

TEST(OrderMoveTest, trackingComesWithShipped) {
    const json tracking{{"carrier", "PostNL"}, {"number", "3S123"}, {"url", "https://example.com/t?n=3S123"}};
    const auto group = _supplier.groupIn("processing", _product);
    const HttpResponse response = _supplier.move(group, "shipped", {{"tracking", tracking}});
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(tracking, response.data()["order"]["tracking"]);
    requireStatus(200, _supplier.move(group, "delivered"));
    CPPUNIT_ASSERT_EQUAL(tracking, _supplier.order(group)["tracking"]);

    const auto ship = [&](const json& sent) {
        return _supplier.move(_supplier.groupIn("processing", _product), "shipped", {{"tracking", sent}});
    };
    CPPUNIT_ASSERT_EQUAL(json({{"carrier", nullptr}, {"number", "1"}, {"url", nullptr}}),
                         ship({{"number", "1"}}).data()["order"]["tracking"]);
    CPPUNIT_ASSERT(ship(json::object()).data()["order"]["tracking"].is_null());
    CPPUNIT_ASSERT(ship(nullptr).data()["order"]["tracking"].is_null());
    CPPUNIT_ASSERT(
        _supplier.move(_supplier.groupIn("processing", _product), "shipped").data()["order"]["tracking"].is_null());
    requireProblems(ship("3S123"), {"tracking:type"});
    requireProblems(ship({{"carrier", std::string(256, 'c')},
                          {"number", std::string(256, 'n')},
                          {"url", "https://" + std::string(2'048, 'u')}}),
                    {"tracking.carrier:too_long", "tracking.number:too_long", "tracking.url:too_long"});
    for (const char* url : {"javascript:alert(1)", "ftp://example.com", "https://", "http://a b", "example.com"})
        requireProblems(ship({{"url", url}}), {"tracking.url:type"});
}

TEST(OrderMoveTest, trackingWithAnotherStatusIsIgnoredWithAWarning) {
    const auto group = _supplier.sell(_product, 1);
    const HttpResponse moved = _supplier.move(group, "confirmed", {{"tracking", {{"number", "1"}}}});
    requireStatus(200, moved);
    CPPUNIT_ASSERT_EQUAL(json::parse(R"([{"field": "tracking", "code": "unsupported",
                         "message": "tracking was ignored: it belongs to the status shipped only"}])"),
                         moved.json()["warnings"]);
    CPPUNIT_ASSERT(_supplier.order(group)["tracking"].is_null());
    const HttpResponse next = _supplier.move(group, "processing", {{"tracking", nullptr}});
    CPPUNIT_ASSERT(next.status == 200 && !next.json().contains("warnings"));
}

TEST(OrderMoveTest, problemsOfTheBodyAndOfTheMoveComeTogether) {
    const auto group = _supplier.sell(_product, 1);
    requireProblems(_supplier.move(group, "delivered", {{"comment", std::string(1'001, 'x')}, {"tracking", 5}}),
                    {"comment:too_long", "status:unsupported"});
}

TEST(OrderMoveTest, updatedAtFollowsTheMove) {
    TestDatabase& database = fixture().database();
    const auto group = _supplier.sell(_product, 1);
    database.exec("UPDATE order_groups SET created_at = '2026-01-02 03:04:05', updated_at = '2026-01-02 03:04:05' "
                  "WHERE id = " +
                  std::to_string(group));
    CPPUNIT_ASSERT_EQUAL(json("2026-01-02T03:04:05Z"), _supplier.order(group)["updated_at"]);
    _supplier.move(group, "confirmed");
    const json order = _supplier.order(group);
    CPPUNIT_ASSERT_EQUAL(json("2026-01-02T03:04:05Z"), order["created_at"]);
    CPPUNIT_ASSERT(order["updated_at"].get<std::string>() > "2026-01-02T03:04:05Z");
    CPPUNIT_ASSERT(order["updated_at"].get<std::string>() <=
                   order["status_history"][1]["created_at"].get<std::string>());
}

TEST(OrderMoveTest, idempotencyKeyMovesOnce) {
    const auto group = _supplier.sell(_product, 1);
    const std::string path = "/orders/" + std::to_string(group) + "/status";
    const HttpHeaders headers{{"Idempotency-Key", "confirm-" + std::to_string(group)}};
    const HttpResponse first = _supplier.post(path, {{"status", "confirmed"}}, headers);
    const HttpResponse again = _supplier.post(path, {{"status", "confirmed"}}, headers);
    requireStatus(200, first);
    requireStatus(200, again);
    CPPUNIT_ASSERT_EQUAL(first.body, again.body);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _supplier.order(group)["status_history"].size());
}

} // namespace supplierd::tests
