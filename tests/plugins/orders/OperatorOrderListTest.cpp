#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <set>

namespace supplierd::tests {

/// OrderBook::list: order groups of every supplier.
class OperatorOrderListTest : public CppUnit::TestFixture {
protected:
    static TestDatabase& database() { return fixture().database(); }

    static json list(const std::string& query) {
        const HttpResponse response = operatorClient().get("/order-groups?" + query);
        requireStatus(200, response);
        return response.data();
    }
};

TEST(OperatorOrderListTest, supplierFilterIsTheSuppliersOwnList) {
    OrdersClient supplier;
    fillWithGroups(supplier.id(), 30);
    for (const std::string query :
         {"per_page=9", "per_page=9&page=2", "status=shipped", "created_from=2026-01-01T00:00:10Z",
          "updated_since=2026-01-02T00:00:10Z", "page=100"}) {
        json data = list(query + "&supplier_id=" + std::to_string(supplier.id()));
        json own = supplier.orders(query);
        CPPUNIT_ASSERT(idsOf(own["orders"]) == idsOf(data["orders"]));
        for (const char* name : {"total_items", "total_pages", "current_page", "per_page"})
            CPPUNIT_ASSERT_EQUAL(own["pagination"][name], data["pagination"][name]);
    }
    CPPUNIT_ASSERT_EQUAL(json(0), list("supplier_id=999999999")["pagination"]["total_items"]);
    requireProblems(operatorClient().get("/order-groups?supplier_id=0&status=x"),
                    {"supplier_id:out_of_range", "status:not_in_set"});
}

TEST(OperatorOrderListTest, filtersAndTotalsOverAllSuppliers) {
    for (int i = 0; i < 3; ++i)
        fillWithGroups(OrdersClient().id(), 20);
    const auto requireSame = [](const std::string& query, const std::string& condition) {
        const json data = list(query + "&per_page=15");
        const auto ids = database().query("SELECT id FROM order_groups WHERE " + condition + " ORDER BY " +
                                          (query.substr(0, 7) == "created" ? "created_at DESC, id DESC" : "id DESC"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json(ids.size()), data["pagination"]["total_items"]);
        std::vector<std::int64_t> expected;
        for (std::size_t i = 0; i < std::min<std::size_t>(15, ids.size()); ++i)
            expected.push_back(std::stoll(*ids[i][0]));
        CPPUNIT_ASSERT_MESSAGE(query, expected == idsOf(data["orders"]));
    };
    requireSame("status=pending", "status = 0");
    requireSame("status=cancelled", "status = 6");
    requireSame("created_from=2026-01-01T00:00:05Z&created_to=2026-01-01T00:00:09Z",
                "created_at BETWEEN '2026-01-01 00:00:05' AND '2026-01-01 00:00:09.999999'");
    requireSame("status=shipped&created_to=2026-01-01T00:00:09Z",
                "status = 3 AND created_at <= '2026-01-01 00:00:09.999999'");
    requireSame("updated_since=2026-01-02T00:00:11Z", "updated_at >= '2026-01-02 00:00:11'");
}

TEST(OperatorOrderListTest, cursorWalksEveryFilteredList) {
    const json first = list("per_page=3");
    const json second = list("per_page=3&cursor=" + first["pagination"]["next_cursor"].get<std::string>());
    CPPUNIT_ASSERT(idsOf(second["orders"]) == idsOf(list("per_page=3&page=2")["orders"]));
    for (int i = 0; i < 2; ++i)
        fillWithGroups(OrdersClient().id(), 20);
    for (const char* filter :
         {"created_to=2026-01-01T00:00:20Z&status=pending", "status=shipped", "created_to=2026-01-01T00:00:20Z",
          "updated_since=2026-01-02T00:00:05Z&status=shipped"}) {
        const std::string query = std::string(filter) + "&per_page=13";
        std::vector<std::int64_t> walked;
        std::size_t total = 0;
        for (json data = list(query);;
             data = list(query + "&cursor=" + data["pagination"]["next_cursor"].get<std::string>())) {
            for (const auto id : idsOf(data["orders"]))
                walked.push_back(id);
            total = data["pagination"]["total_items"];
            if (data["pagination"]["next_cursor"].is_null())
                break;
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, total, walked.size());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, total, std::set<std::int64_t>(walked.begin(), walked.end()).size());
    }
}

TEST(OperatorOrderListTest, deepPages) {
    fillWithGroups(OrdersClient().id(), 1'500);
    const auto ids = database().query("SELECT id FROM order_groups ORDER BY id DESC");
    for (const std::size_t page : {std::size_t{12}, ids.size() / 100, ids.size() / 100 + 1}) {
        const json data = list("per_page=100&page=" + std::to_string(page));
        std::vector<std::int64_t> expected;
        for (std::size_t i = (page - 1) * 100; i < std::min(page * 100, ids.size()); ++i)
            expected.push_back(std::stoll(*ids[i][0]));
        CPPUNIT_ASSERT(expected == idsOf(data["orders"]));
    }
}

} // namespace supplierd::tests
