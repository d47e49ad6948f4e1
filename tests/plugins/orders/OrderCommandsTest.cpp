#include "OrdersFixture.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// `supplierctl order list`, `show` and `complete`, which are rows of openapi.json; OrderImportTest has `import`.
class OrderCommandsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<OrdersClient>();
        _product = _supplier->product(100);
    }
    void tearDown() override { _supplier.reset(); }

protected:
    static std::string require(std::vector<std::string> arguments, int exitCode = 0) {
        arguments.insert(arguments.begin(), "order");
        return requireControl(fixture().server(), std::move(arguments), exitCode);
    }
    static json requireJson(std::vector<std::string> arguments, int exitCode = 0) {
        arguments.insert(arguments.begin(), "order");
        return controlJson(fixture().server(), std::move(arguments), exitCode);
    }
    std::string supplier() const { return std::to_string(_supplier->id()); }
    std::string groupIn(const std::string& status) { return std::to_string(_supplier->groupIn(status, _product)); }
    json statusOf(const std::string& group) { return _supplier->order(std::stoll(group)).at("status"); }

    std::unique_ptr<OrdersClient> _supplier;
    std::int64_t _product = 0;
};

TEST(OrderCommandsTest, ordersAreListedAndShown) {
    const std::string id = groupIn("pending");
    const json page = requireJson({"list", "--status", "pending", "--supplier", supplier()});
    CPPUNIT_ASSERT_EQUAL(id, page.at("orders").at(0).at("id").dump());
    const std::string listed = require({"list", "--supplier", supplier()});
    requireIn("CUSTOMER", listed);
    requireIn("Bloemen Jansen", listed);
    const std::string shown = require({"show", id});
    for (const auto* line : {"order_number: N-", "items:\n  -\n", "company_name: Bloemen Jansen\n"})
        requireIn(line, shown);
    CPPUNIT_ASSERT_EQUAL(std::string("There are no such orders.\n"),
                         require({"list", "--supplier", supplier(), "--status", "shipped"}));
    require({"show", "47110815"}, 1);
    require({"list", "--created-from", "yesterday"}, 2);
    require({"list", "--status", "sold"}, 2);
}

TEST(OrderCommandsTest, deliveredOrdersAreCompleted) {
    const std::string one = groupIn("delivered");
    const std::string other = groupIn("delivered");
    requireIn("is completed\n", require({"complete", one}));
    CPPUNIT_ASSERT_EQUAL(json("completed"), statusOf(one));
    CPPUNIT_ASSERT_EQUAL(json("delivered"), statusOf(other));
    require({"complete", one}, 2);
}

TEST(OrderCommandsTest, orderThatCannotBeCompletedDoesNotKeepOthersFromIt) {
    const std::string pending = groupIn("pending");
    const std::string delivered = groupIn("delivered");
    const json results = requireJson({"complete", "47110815", pending, delivered}, 1).at("results");
    CPPUNIT_ASSERT_EQUAL(json("Order group not found"), results.at(0).at("problem"));
    requireIn("pending", results.at(1).at("problem").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(json(true), results.at(2).at("done"));
    CPPUNIT_ASSERT_EQUAL(json("pending"), statusOf(pending));
    CPPUNIT_ASSERT_EQUAL(json("completed"), statusOf(delivered));
    require({"complete", "x"}, 2);
}

TEST(OrderCommandsTest, auditLogNamesTheUserOfTheMachine) {
    const std::string id = groupIn("delivered");
    require({"complete", id});
    CPPUNIT_ASSERT(fixture()
                       .database()
                       .text("SELECT actor FROM audit_log WHERE action = 'order_group.complete' AND object_id = " + id)
                       .starts_with("local: "));
}

} // namespace supplierd::tests
