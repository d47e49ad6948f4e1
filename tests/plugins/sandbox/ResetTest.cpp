#include "SandboxFixture.h"
#include "tests/support/Test.h"

#include <memory>

namespace supplierd::tests {

using nlohmann::json;

class ResetTest : public CppUnit::TestFixture {
public:
    void setUp() override { _on = std::make_unique<SandboxFixture>(); }
    void tearDown() override { _on.reset(); }

protected:
    json reset() { return dataOf(_on->twin.request("DELETE", "/sandbox/data")); }

    std::unique_ptr<SandboxFixture> _on;
};

TEST(ResetTest, nothingIsOpenAndNothingIsOnSaleAfterwards) {
    const std::int64_t real = _on->liveProduct();
    const std::int64_t product = _on->product({{"stock_qty", 100}, {"sku", "R-1"}});
    const std::int64_t open = idOf(_on->order(product));
    const std::int64_t shipped = idOf(_on->order(product));
    const std::int64_t delivered = idOf(_on->order(product));
    _on->clock({{"order_id", shipped}, {"to", "shipped"}});
    _on->clock({{"order_id", delivered}, {"to", "delivered"}});
    CPPUNIT_ASSERT_EQUAL(json({{"orders_ended", 3}, {"products_deleted", 1}, {"has_more", false}}), reset());
    CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), _on->statusOf(open));
    CPPUNIT_ASSERT_EQUAL(std::string("completed"), _on->statusOf(shipped));
    CPPUNIT_ASSERT_EQUAL(std::string("completed"), _on->statusOf(delivered));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _on->twin.ids().size());
    CPPUNIT_ASSERT_EQUAL(json(100), _on->live.read(real)["stock_qty"]);
    _on->product({{"sku", "R-1"}}); // it is free again
    _on->twin.requireTrueTotals();
}

TEST(ResetTest, moreThanAPageIsReset) {
    _on->twin.fill(250);
    CPPUNIT_ASSERT_EQUAL(json({{"orders_ended", 0}, {"products_deleted", 250}, {"has_more", false}}), reset());
    CPPUNIT_ASSERT_EQUAL(json({{"orders_ended", 0}, {"products_deleted", 0}, {"has_more", false}}), reset());
}

} // namespace supplierd::tests
