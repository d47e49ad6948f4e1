#include "SandboxFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

class ClockTest : public CppUnit::TestFixture {
public:
    void setUp() override { _on = std::make_unique<SandboxFixture>(); }
    void tearDown() override { _on.reset(); }

protected:
    HttpResponse clockOf(const json& body) { return _on->twin.post("/sandbox/clock", body); }

    std::unique_ptr<SandboxFixture> _on;
};

TEST(ClockTest, everyStateIsReachedStepByStep) {
    const std::int64_t order = idOf(_on->order(_on->product()));
    std::string before = "pending";
    for (const char* status : {"confirmed", "processing", "shipped", "delivered", "completed"}) {
        const json moved = _on->clock({{"order_id", order}})["orders"].at(0);
        CPPUNIT_ASSERT_EQUAL(json(before), moved["from_status"]);
        CPPUNIT_ASSERT_EQUAL(json(status), moved["status"]);
        CPPUNIT_ASSERT_EQUAL(std::string(status), _on->statusOf(order));
        before = status;
    }
}

TEST(ClockTest, anOrderGoesUpToAState) {
    const std::int64_t order = idOf(_on->order(_on->product()));
    _on->clock({{"order_id", order}, {"to", "shipped"}});
    CPPUNIT_ASSERT_EQUAL(std::string("shipped"), _on->statusOf(order));
    const json whole = dataOf(_on->twin.get("/orders/" + std::to_string(order)))["order"];
    CPPUNIT_ASSERT_EQUAL(json("Sandbox"), whole["tracking"]["carrier"]);
    _on->clock({{"order_id", order}, {"steps", 5}}); // as far as there is a way
    CPPUNIT_ASSERT_EQUAL(std::string("completed"), _on->statusOf(order));
}

TEST(ClockTest, aCancelledOrderGivesItsStockBack) {
    const std::int64_t product = _on->product();
    for (const char* from : {"pending", "confirmed", "processing"}) {
        const std::int64_t order = idOf(_on->order(product, 40));
        if (std::string(from) != "pending")
            _on->clock({{"order_id", order}, {"to", from}});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{60}, _on->stockOf(product));
        _on->clock({{"order_id", order}, {"to", "cancelled"}});
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), _on->statusOf(order));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, _on->stockOf(product));
    }
}

TEST(ClockTest, whereThereIsNoWayIsA422) {
    const std::int64_t order = idOf(_on->order(_on->product()));
    _on->clock({{"order_id", order}, {"to", "delivered"}});
    requireProblems(clockOf({{"order_id", order}, {"to", "cancelled"}}), {"status:unsupported"});
    requireProblems(clockOf({{"order_id", order}, {"to", "shipped"}}), {"status:unsupported"});
    requireProblems(clockOf({{"order_id", order}, {"to", "delivered"}}), {"status:unsupported"});
    _on->clock({{"order_id", order}});
    requireProblems(clockOf({{"order_id", order}}), {"status:unsupported"});
    CPPUNIT_ASSERT_EQUAL(std::string("completed"), _on->statusOf(order));
}

TEST(ClockTest, everythingGoesOnByAStep) {
    const std::int64_t product = _on->product();
    const std::int64_t waiting = _on->product({{"stock_qty", 1}}, false);
    const std::int64_t first = idOf(_on->order(product));
    const std::int64_t second = idOf(_on->order(product));
    const std::int64_t ended = idOf(_on->order(product));
    _on->clock({{"order_id", second}, {"to", "delivered"}});
    _on->clock({{"order_id", ended}, {"to", "cancelled"}});
    const json done = _on->clock(json::object());
    CPPUNIT_ASSERT(idsOf(done["orders"]) == (std::vector{first, second}));
    CPPUNIT_ASSERT_EQUAL(json({waiting}), done["approved_products"]);
    CPPUNIT_ASSERT_EQUAL(json(false), done["has_more"]);
    CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), _on->statusOf(first));
    CPPUNIT_ASSERT_EQUAL(std::string("completed"), _on->statusOf(second));
    CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), _on->statusOf(ended));
    CPPUNIT_ASSERT_EQUAL(json(true), _on->twin.read(waiting)["is_approved"]);
}

TEST(ClockTest, allOrdersGoUpToAState) {
    const std::int64_t product = _on->product();
    const std::int64_t first = idOf(_on->order(product));
    const std::int64_t second = idOf(_on->order(product));
    const std::int64_t third = idOf(_on->order(product));
    _on->clock({{"order_id", second}, {"to", "processing"}});
    _on->clock({{"order_id", third}, {"to", "shipped"}});
    CPPUNIT_ASSERT(idsOf(_on->clock({{"to", "processing"}})["orders"]) == std::vector{first});
    // What has left cannot be cancelled, and is left alone.
    CPPUNIT_ASSERT(idsOf(_on->clock({{"to", "cancelled"}})["orders"]) == (std::vector{first, second}));
    CPPUNIT_ASSERT_EQUAL(std::string("shipped"), _on->statusOf(third));
    CPPUNIT_ASSERT(idsOf(_on->clock({{"to", "completed"}})["orders"]) == std::vector{third});
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _on->clock(json::object())["orders"].size());
}

TEST(ClockTest, whatIsRejectedStaysSo) {
    const std::int64_t product = _on->product(json::object(), false);
    const std::string path = "/sandbox/products/" + std::to_string(product) + "/reject";
    requireStatus(200, _on->twin.post(path, {{"reason", "Blurred"}}));
    CPPUNIT_ASSERT_EQUAL(json::array(), _on->clock(json::object())["approved_products"]);
    CPPUNIT_ASSERT_EQUAL(json("rejected"), _on->twin.read(product)["approval"]["status"]);
}

TEST(ClockTest, theHistorySaysWhoMovedIt) {
    const std::int64_t order = idOf(_on->order(_on->product()));
    _on->clock({{"order_id", order}, {"to", "completed"}});
    const json history = dataOf(_on->twin.get("/orders/" + std::to_string(order)))["order"]["status_history"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{6}, history.size());
    CPPUNIT_ASSERT_EQUAL(json("supplier"), history.at(4)["changed_by"]);
    CPPUNIT_ASSERT_EQUAL(json("platform"), history.at(5)["changed_by"]);
    const json entries = _on->marketplace.audit("order_group", order);
    CPPUNIT_ASSERT_EQUAL(json("sandbox"), entries.at(0)["actor"]);
    CPPUNIT_ASSERT_EQUAL(json(_on->twin.key().substr(0, 16)), entries.at(1)["actor"]);
}

TEST(ClockTest, everyProblemIsNamed) {
    requireProblems(clockOf({{"order_id", 0}, {"steps", 6}, {"to", "pending"}}),
                    {"order_id:out_of_range", "steps:out_of_range", "to:not_in_set"});
    requireProblems(clockOf({{"steps", 1}, {"to", "shipped"}}), {"to:unsupported"});
    requireError(404, "NOT_FOUND", clockOf({{"order_id", 4'711'000}}));
}

} // namespace supplierd::tests
