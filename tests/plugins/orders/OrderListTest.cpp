#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <supplierd/ListPage.h>

#include <algorithm>
#include <memory>

namespace supplierd::tests {

/// GET /orders.
class OrderListTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<OrdersClient>(); }

protected:
    /// Order groups straight in the database, a second apart, three of four pending, the others shipped.
    void fill(int count) { fillWithGroups(_supplier->id(), count); }

    static std::vector<std::int64_t> slice(const std::vector<std::int64_t>& all, int from, int count) {
        const auto size = static_cast<int>(all.size());
        return {all.begin() + std::min(from, size), all.begin() + std::min(from + count, size)};
    }

    std::unique_ptr<OrdersClient> _supplier;
};

TEST(OrderListTest, pagesAreCutFromTheSameOrder) {
    fill(45);
    const auto all = _supplier->orderIds("per_page=100");
    CPPUNIT_ASSERT_EQUAL(std::size_t{45}, all.size());
    for (int page = 1; page <= 6; ++page) {
        const json data = _supplier->orders("per_page=10&page=" + std::to_string(page));
        CPPUNIT_ASSERT(slice(all, (page - 1) * 10, 10) == idsOf(data["orders"]));
        CPPUNIT_ASSERT_EQUAL(json(page), data["pagination"]["current_page"]);
        CPPUNIT_ASSERT_EQUAL(json(5), data["pagination"]["total_pages"]);
        CPPUNIT_ASSERT_EQUAL(json(45), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(page >= 5, data["pagination"]["next_cursor"].is_null());
    }
    CPPUNIT_ASSERT_EQUAL(json(45),
                         _supplier->orders("page=9223372036854775807&per_page=100")["pagination"]["total_items"]);
}

TEST(OrderListTest, perPageIsClamped) {
    fill(120);
    const json data = _supplier->orders("per_page=1000");
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, data["orders"].size());
    CPPUNIT_ASSERT_EQUAL(json(100), data["pagination"]["per_page"]);
    CPPUNIT_ASSERT_EQUAL(json(2), data["pagination"]["total_pages"]);
}

TEST(OrderListTest, cursorWalksEveryFilteredList) {
    fill(53);
    for (const char* filter : {"", "status=pending", "status=shipped", "created_from=2026-01-01T00:00:10Z",
                               "created_from=2026-01-01T00:00:10Z&created_to=2026-01-01T00:00:40Z",
                               "created_to=2026-01-01T00:00:40Z&status=pending", "updated_since=2026-01-02T00:00:10Z",
                               "updated_since=2026-01-02T00:00:10Z&created_to=2026-01-01T00:00:40Z&status=pending"}) {
        const std::string query = std::string(filter) + "&per_page=";
        const json whole = _supplier->orders(query + "100");
        std::vector<std::int64_t> walked;
        json data = _supplier->orders(query + "7");
        int page = 1;
        for (;; data = _supplier->orders(query + "7&cursor=" + data["pagination"]["next_cursor"].get<std::string>())) {
            CPPUNIT_ASSERT_EQUAL(json(page++), data["pagination"]["current_page"]);
            CPPUNIT_ASSERT_EQUAL(whole["pagination"]["total_items"], data["pagination"]["total_items"]);
            for (const auto id : idsOf(data["orders"]))
                walked.push_back(id);
            if (data["pagination"]["next_cursor"].is_null())
                break;
        }
        CPPUNIT_ASSERT_MESSAGE(filter, idsOf(whole["orders"]) == walked);
        CPPUNIT_ASSERT_MESSAGE(filter, walked.size() > 7);
    }
}

TEST(OrderListTest, walkThroughManyGroupsIsTheSameWalk) {
    fill(60);
    const std::string query = "updated_since=2026-01-02T00:00:10Z&created_to=2026-01-01T00:00:50Z&per_page=9";
    for (const char* status : {"", "&status=pending"}) {
        const std::string cursor = _supplier->orders(query + status)["pagination"]["next_cursor"];
        // Such a walk takes another way through the database.
        auto longWalk = ListCursor::decode(cursor).value();
        longWalk.total = 20'000;
        const auto ids = _supplier->orderIds(query + status + "&cursor=" + cursor);
        CPPUNIT_ASSERT_EQUAL(std::size_t{9}, ids.size());
        CPPUNIT_ASSERT(ids == _supplier->orderIds(query + status + "&cursor=" + longWalk.encode()));
    }
}

TEST(OrderListTest, cursorSkipsNothingBesideNewOrders) {
    fill(30);
    const auto before = _supplier->orderIds("per_page=100");
    const auto product = _supplier->product(100);
    std::vector<std::int64_t> walked;
    json data = _supplier->orders("per_page=4");
    for (;;) {
        for (const auto id : idsOf(data["orders"]))
            walked.push_back(id);
        if (data["pagination"]["next_cursor"].is_null())
            break;
        _supplier->sell(product, 1);
        _supplier->move(walked.back(), "confirmed");
        data = _supplier->orders("per_page=4&cursor=" + data["pagination"]["next_cursor"].get<std::string>());
    }
    CPPUNIT_ASSERT(before == walked);
}

TEST(OrderListTest, deepPagesAreFoundFromBothEnds) {
    fill(2'500);
    for (const char* filter : {"", "status=pending"}) {
        std::vector<std::int64_t> all;
        for (const TestRow& row : fixture().database().query(
                 "SELECT id FROM order_groups WHERE supplier_id = " + std::to_string(_supplier->id()) +
                 (*filter != '\0' ? " AND status = 0" : "") + " ORDER BY id DESC"))
            all.push_back(std::stoll(*row[0]));
        const int pages = static_cast<int>((all.size() + 6) / 7);
        for (const int page : {1, 140, 143, 144, 145, pages / 2, pages / 2 + 1, pages - 1, pages, pages + 1}) {
            const json data = _supplier->orders(std::string("per_page=7&page=") + std::to_string(page) + "&" + filter);
            CPPUNIT_ASSERT_MESSAGE(filter + std::to_string(page),
                                   slice(all, (page - 1) * 7, 7) == idsOf(data["orders"]));
            CPPUNIT_ASSERT_EQUAL(json(all.size()), data["pagination"]["total_items"]);
            CPPUNIT_ASSERT_EQUAL(page >= pages, data["pagination"]["next_cursor"].is_null());
        }
    }
}

} // namespace supplierd::tests
