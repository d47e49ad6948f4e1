#include "OrdersFixture.h"
#include "tests/support/Numbers.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

/// GET /orders/{id} from memory: its tag, the number that it shows, and when it is read anew.
class CachedOrdersTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<OrdersClient>();
        _product = _supplier->product(1'000);
        _order = _supplier->sell(_product, 1);
        _path = "/orders/" + std::to_string(_order);
    }

protected:
    static TestDatabase& database() { return fixture().database(); }
    static double detailsBy(const std::string& result) {
        return fixture().server().metric("supplierd_orders_details_total{result=\"" + result + "\"}");
    }

    std::unique_ptr<OrdersClient> _supplier;
    std::int64_t _product = 0;
    std::int64_t _order = 0;
    std::string _path;
};

TEST(CachedOrdersTest, stockLeavesOrdersInMemoryUnderItsNumber) {
    const HttpResponse first = _supplier->get(_path);
    CPPUNIT_ASSERT_EQUAL(std::string("1"), first.header("X-Change-Seq"));
    for (int stock = 1; stock <= 5; ++stock) {
        requireStatus(200, _supplier->post("/stock", {{"items", {{{"product_id", _product}, {"stock_qty", stock}}}}}));
        const double hits = detailsBy("hit");
        const HttpResponse again = _supplier->get(_path);
        CPPUNIT_ASSERT_EQUAL(std::to_string(1 + stock), again.header("X-Change-Seq"));
        CPPUNIT_ASSERT_EQUAL(first.body, again.body);
        CPPUNIT_ASSERT_EQUAL(hits + 1, detailsBy("hit"));
    }
}

TEST(CachedOrdersTest, aMoveIsSeenAtOnceAndTheOthersStay) {
    const std::int64_t other = _supplier->sell(_product, 1);
    for (const std::int64_t id : {_order, other})
        _supplier->order(id);
    requireStatus(200, _supplier->move(_order, "confirmed"));
    const double misses = detailsBy("miss");
    CPPUNIT_ASSERT_EQUAL(json("confirmed"), _supplier->order(_order)["status"]);
    CPPUNIT_ASSERT_EQUAL(json("pending"), _supplier->order(other)["status"]);
    CPPUNIT_ASSERT_EQUAL(misses + 1, detailsBy("miss"));
}

/// As a server of an older release moves orders.
TEST(CachedOrdersTest, aMoveWithoutAnEntryInTheLogIsSeen) {
    const std::string tag = _supplier->get(_path).header("ETag");
    const std::string id = std::to_string(_order);
    database().exec("UPDATE order_groups SET status = 1, updated_at = NOW(6) WHERE id = " + id);
    database().exec("INSERT INTO order_status_history (order_group_id, from_status, to_status, changed_by) VALUES (" +
                    id + ", 0, 1, 0)");
    const std::string supplier = std::to_string(_supplier->id());
    database().exec("UPDATE order_totals SET pending = 0, confirmed = 1 WHERE supplier_id = " + supplier);
    database().exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = " + supplier);
    const HttpResponse response = _supplier->get(_path, {{"If-None-Match", tag}});
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(json("confirmed"), response.data()["order"]["status"]);
    CPPUNIT_ASSERT_EQUAL(std::string("2"), response.header("X-Change-Seq"));
}

TEST(CachedOrdersTest, aLogThatWasCutIsSeen) {
    _supplier->order(_order);
    requireStatus(200, _supplier->move(_order, "cancelled"));
    const std::string supplier = std::to_string(_supplier->id());
    database().exec("DELETE FROM changes WHERE supplier_id = " + supplier);
    CPPUNIT_ASSERT_EQUAL(json("cancelled"), _supplier->order(_order)["status"]);
}

TEST(CachedOrdersTest, aLongPauseIsNotReadFromTheLog) {
    _supplier->order(_order);
    const std::string supplier = std::to_string(_supplier->id());
    // Without the move in it: it must not be looked for there.
    database().exec("INSERT INTO changes (supplier_id, change_seq, changed_at, kind, ids, actor, request_id) SELECT " +
                    supplier + ", 1 + seq, NOW(6), '', '', 'test', '' FROM " + numbersTo(1001));
    database().exec("UPDATE supplier_state SET change_seq = 1002 WHERE supplier_id = " + supplier);
    database().exec("UPDATE orders o JOIN order_groups g ON g.order_id = o.id SET o.contact_name = 'Jan' "
                    "WHERE g.id = " +
                    std::to_string(_order));
    const HttpResponse response = _supplier->get(_path);
    CPPUNIT_ASSERT_EQUAL(std::string("1002"), response.header("X-Change-Seq"));
    CPPUNIT_ASSERT_EQUAL(json("Jan"), response.data()["order"]["customer"]["contact_name"]);
}

} // namespace supplierd::tests
