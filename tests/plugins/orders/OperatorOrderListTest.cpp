#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <set>

namespace supplierd::tests {

/// Orders::list: order groups of every supplier.
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

// From here on there is a sandbox.
TEST(OperatorOrderListTest, ordersAndTurnoverAreCountedByTheReadersDays) {
    struct Day {
        std::int64_t orders = 0;
        double total = 0;
    };
    const auto read = [](const std::string& query, const std::string& date) {
        const HttpResponse response = operatorClient().get("/order-days?" + query);
        requireStatus(200, response);
        const json data = response.data();
        Day found;
        for (const json& day : data["days"])
            if (day["date"] == date && day["currency"] == "EUR")
                found = {day["orders"].get<std::int64_t>(), day["total"].get<double>()};
        return std::pair(found, data["suppliers"].get<std::int64_t>());
    };
    const std::string today = *database().query("SELECT CURRENT_DATE").at(0).at(0);
    const std::string yesterday = *database().query("SELECT CURRENT_DATE - INTERVAL 1 DAY").at(0).at(0);
    const auto before = read("", today);
    const auto late = read("utc_offset=-120", yesterday);
    OrdersClient supplier;
    const auto product = supplier.product(1'000);
    const auto early = supplier.sell(product, 10); // 12.50, and VAT
    supplier.sell(product, 10);
    requireStatus(200, supplier.move(supplier.sell(product, 50), "cancelled"));
    OrdersClient sandbox;
    sandbox.sell(sandbox.product(1'000), 10);
    database().exec("UPDATE suppliers SET sandbox_of = " + std::to_string(supplier.id()) +
                    " WHERE id = " + std::to_string(sandbox.id()));
    database().exec("UPDATE order_groups SET created_at = CURRENT_DATE + INTERVAL 1 HOUR WHERE id = " +
                    std::to_string(early));
    const auto after = read("", today);
    CPPUNIT_ASSERT_EQUAL(before.first.orders + 2, after.first.orders);
    CPPUNIT_ASSERT(after.first.total > before.first.total + 25);
    CPPUNIT_ASSERT_EQUAL(before.second + 1, after.second);
    CPPUNIT_ASSERT(read("utc_offset=-120", yesterday).first.orders > late.first.orders); // 23:00 there
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, read("days=1", yesterday).first.orders);
    const auto sellersOf = [](const OrdersClient& one) {
        return dataOf(operatorClient().get("/order-days?supplier_id=" + std::to_string(one.id())))["sellers"];
    };
    const json seller = sellersOf(supplier);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, seller.size());
    CPPUNIT_ASSERT_EQUAL(json(supplier.id()), seller[0]["supplier"]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(2), seller[0]["orders"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sellersOf(sandbox).size()); // asked for by its id
    double last = 1e12;
    const json all = dataOf(operatorClient().get("/order-days"));
    for (const json& one : all["sellers"]) {
        CPPUNIT_ASSERT(one["supplier"]["id"] != json(sandbox.id()));
        CPPUNIT_ASSERT(one["total"].get<double>() <= last);
        last = one["total"].get<double>();
    }
    requireProblems(operatorClient().get("/order-days?days=93&utc_offset=900&supplier_id=0"),
                    {"days:out_of_range", "utc_offset:out_of_range", "supplier_id:out_of_range"});
}

} // namespace supplierd::tests
