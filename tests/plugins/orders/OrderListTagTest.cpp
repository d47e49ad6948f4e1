#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

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

} // namespace supplierd::tests
