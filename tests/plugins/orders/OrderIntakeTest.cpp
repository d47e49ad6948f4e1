#include "OrdersFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

/// What an order that is taken in becomes.
class OrderIntakeTest : public CppUnit::TestFixture {
public:
    void tearDown() override { fixture().requireSoundOrders(); }
};

TEST(OrderIntakeTest, orderOfFiveHundredItemsOfManySuppliers) {
    std::vector<OrdersClient> suppliers;
    for (int i = 0; i < 10; ++i)
        suppliers.emplace_back(SupplierOptions{.name = "Grower " + std::to_string(i)});
    json items = json::array();
    for (int i = 0; i < 500; ++i)
        items.push_back({{"product_id", suppliers[static_cast<std::size_t>(i) % 10].product(5)}, {"quantity", 2}});
    const json order = place(items);
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, order["groups"].size());
    for (const json& group : order["groups"]) {
        CPPUNIT_ASSERT_EQUAL(json(50), group["items_count"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{50}, group["items"].size());
        for (const json& item : group["items"])
            CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, stockOf(item["product_id"]));
    }
}

} // namespace supplierd::tests
