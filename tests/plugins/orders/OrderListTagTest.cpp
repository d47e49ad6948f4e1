#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// The tag of GET /orders, and the number as of which it is.
class OrderListTagTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<OrdersClient>();
        _product = _supplier->product(1'000);
    }

protected:
    void pushStock() {
        requireStatus(200, _supplier->post("/stock", {{"items", {{{"product_id", _product}, {"stock_qty", 99}}}}}));
    }

    void requireNumber(const std::string& number, const std::string& path) {
        const HttpResponse response = _supplier->get(path);
        requireStatus(200, response);
        CPPUNIT_ASSERT(response.data()["orders"].empty());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, number, response.header("X-Change-Seq"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 304,
                                     _supplier->get(path, {{"If-None-Match", response.header("ETag")}}).status);
    }

    std::unique_ptr<OrdersClient> _supplier;
    std::int64_t _product = 0;
};

TEST(OrderListTagTest, everyListCarriesItsNumber) {
    fillWithGroups(_supplier->id(), 1'200);
    pushStock();
    const json cursor = _supplier->orders("per_page=2")["pagination"]["next_cursor"];
    const json counted = _supplier->orders("per_page=2&created_from=2026-01-01T00:00:00Z")["pagination"]["next_cursor"];
    const json changes = _supplier->orders("per_page=2&changed_after=0")["pagination"]["next_cursor"];
    for (const std::string& query :
         {std::string(), std::string("?status=shipped"), std::string("?page=3"), std::string("?page=59"),
          std::string("?updated_since=2026-01-02T00:00:00Z"), std::string("?created_from=2026-01-01T00:00:00Z"),
          std::string("?changed_after=0"), std::string("?changed_after=99"), "?cursor=" + cursor.get<std::string>(),
          "?created_from=2026-01-01T00:00:00Z&cursor=" + counted.get<std::string>(),
          "?cursor=" + changes.get<std::string>()}) {
        const HttpResponse response = _supplier->get("/orders" + query);
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::string("1"), response.header("X-Change-Seq"));
        const std::string tag = response.header("ETag");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::string("W/\""), tag.substr(0, 3));
        const HttpResponse again = _supplier->get("/orders" + query, {{"If-None-Match", tag}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, 304, again.status);
        CPPUNIT_ASSERT_EQUAL(tag, again.header("ETag"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), again.header("X-Change-Seq"));
    }
}

TEST(OrderListTagTest, emptyPagesCarryTheirNumber) {
    pushStock();
    requireNumber("1", "/orders");
    requireNumber("1", "/orders?changed_after=0");
    const auto first = _supplier->sell(_product, 1);
    _supplier->sell(_product, 1);
    for (const char* path : {"/orders?page=2", "/orders?page=999999", "/orders?status=shipped",
                             "/orders?updated_since=2099-01-01T00:00:00Z", "/orders?changed_after=3"})
        requireNumber("3", path);
    // A walk whose rows have left the list.
    const std::string filter = "per_page=1&status=pending&created_from=2026-01-01T00:00:00Z";
    const json page = _supplier->orders(filter);
    requireStatus(200, _supplier->move(first, "cancelled"));
    const HttpResponse rest =
        _supplier->get("/orders?" + filter + "&cursor=" + page["pagination"]["next_cursor"].get<std::string>());
    requireStatus(200, rest);
    CPPUNIT_ASSERT(rest.data()["orders"].empty());
    CPPUNIT_ASSERT_EQUAL(json(2), rest.data()["pagination"]["total_items"]); // of the walk's begin
    CPPUNIT_ASSERT_EQUAL(std::string("4"), rest.header("X-Change-Seq"));
}

TEST(OrderListTagTest, stockLeavesAListAsItIs) {
    _supplier->sell(_product, 1);
    const std::string tag = _supplier->get("/orders").header("ETag");
    pushStock();
    const HttpResponse again = _supplier->get("/orders", {{"If-None-Match", tag}});
    CPPUNIT_ASSERT_EQUAL(304, again.status);
    CPPUNIT_ASSERT_EQUAL(std::string("2"), again.header("X-Change-Seq"));
    CPPUNIT_ASSERT_EQUAL(tag, _supplier->get("/orders").header("ETag"));
}

TEST(OrderListTagTest, anOrderAndAMoveChangeIt) {
    const auto order = _supplier->sell(_product, 1);
    std::string tag = _supplier->get("/orders").header("ETag");
    const auto requireAnother = [&] {
        const HttpResponse response = _supplier->get("/orders", {{"If-None-Match", tag}});
        requireStatus(200, response);
        CPPUNIT_ASSERT(tag != response.header("ETag"));
        tag = response.header("ETag");
    };
    requireStatus(200, _supplier->move(order, "confirmed"));
    requireAnother();
    _supplier->sell(_product, 1);
    requireAnother();
}

TEST(OrderListTagTest, aListOfChangesChangesWithEveryNumber) {
    _supplier->sell(_product, 1);
    const std::string path = "/orders?changed_after=0";
    const std::string tag = _supplier->get(path).header("ETag");
    pushStock();
    const HttpResponse response = _supplier->get(path, {{"If-None-Match", tag}});
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(json(2), response.data()["pagination"]["last_change_seq"]);
}

TEST(OrderListTagTest, tagsOfOtherListsAreOthers) {
    OrdersClient other;
    other.sell(other.product(5), 1);
    _supplier->sell(_product, 1);
    const std::string tag = _supplier->get("/orders").header("ETag");
    requireStatus(200, _supplier->get("/orders?status=pending", {{"If-None-Match", tag}}));
    requireStatus(200, _supplier->get("/orders?per_page=7", {{"If-None-Match", tag}}));
    requireStatus(200, other.get("/orders", {{"If-None-Match", tag}}));
}

TEST(OrderListTagTest, wrongParametersAreToldWhateverIsKnown) {
    requireStatus(422, _supplier->get("/orders?status=lost", {{"If-None-Match", "*"}}));
}

} // namespace supplierd::tests
