#include "OrderStatus.h"
#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <supplierd/ListPage.h>

#include <algorithm>
#include <map>
#include <memory>

namespace supplierd::tests {

using nlohmann::json;
using orders::STATUS_NAMES;

namespace {

std::string at(const char* time) {
    std::string text = time;
    text.replace(text.find(' '), 1, "T");
    return text + "Z";
}

} // namespace

/// GET /orders.
class OrderListTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<OrdersClient>(); }

protected:
    std::vector<std::int64_t> sellSome(int count) {
        const auto product = _supplier->product(1'000);
        std::vector<std::int64_t> ids;
        for (int i = 0; i < count; ++i)
            ids.push_back(_supplier->sell(product, 1));
        return ids;
    }

    /// Order groups straight in the database, a second apart, three of four pending, the others shipped.
    void fill(int count) { fillWithGroups(_supplier->id(), count); }

    static void set(std::int64_t group, const std::string& column, const char* time) {
        fixture().database().exec("UPDATE order_groups SET " + column + " = '" + time +
                                  "' WHERE id = " + std::to_string(group));
    }

    static std::vector<std::int64_t> slice(const std::vector<std::int64_t>& all, int from, int count) {
        const auto size = static_cast<int>(all.size());
        return {all.begin() + std::min(from, size), all.begin() + std::min(from + count, size)};
    }

    std::unique_ptr<OrdersClient> _supplier;
};

TEST(OrderListTest, summaryHasEverythingInItsPlace) {
    const auto group = _supplier->sell(_supplier->product(10, "2"), 3);
    const json data = _supplier->orders();
    json detail = _supplier->order(group);
    for (const char* name : {"items", "customer", "status_history", "allowed_statuses", "tracking"})
        detail.erase(name);
    CPPUNIT_ASSERT_EQUAL(json::array({detail}), data["orders"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{11}, detail.size());
    CPPUNIT_ASSERT_EQUAL(
        json({{"current_page", 1}, {"total_pages", 1}, {"total_items", 1}, {"per_page", 20}, {"next_cursor", nullptr}}),
        data["pagination"]);
}

TEST(OrderListTest, supplierWithoutOrdersHasAnEmptyList) {
    for (const char* query : {"", "status=pending", "page=3", "created_from=2026-01-01T00:00:00Z",
                              "updated_since=2026-01-01T00:00:00Z", "page=1000"}) {
        const json data = _supplier->orders(query);
        CPPUNIT_ASSERT_EQUAL(json::array(), data["orders"]);
        CPPUNIT_ASSERT_EQUAL(json(0), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(json(0), data["pagination"]["total_pages"]);
        CPPUNIT_ASSERT(data["pagination"]["next_cursor"].is_null());
    }
}

TEST(OrderListTest, newestComesFirst) {
    const auto ids = sellSome(5);
    CPPUNIT_ASSERT(std::vector<std::int64_t>(ids.rbegin(), ids.rend()) == _supplier->orderIds());
}

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

TEST(OrderListTest, wrongParametersAreRefusedAllAtOnce) {
    requireProblems(_supplier->get("/orders?page=0&per_page=x&status=open&created_from=yesterday&"
                                   "created_to=2026-01-01&updated_since=5&cursor=abc"),
                    {"page:out_of_range", "per_page:type", "status:not_in_set", "created_from:type", "created_to:type",
                     "updated_since:type", "cursor:not_in_set"});
    requireProblems(_supplier->get("/orders?status="), {"status:not_in_set"});
    requireProblems(_supplier->get("/orders?status=pending&status=shipped"), {"status:duplicate"});
    // The platform's filter is not the supplier's.
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier->orders("supplier_id=1")["orders"]);
}

TEST(OrderListTest, statusFilterAndItsTotals) {
    const auto product = _supplier->product(100);
    std::map<std::string, std::vector<std::int64_t>> expected;
    for (int i = 0; i < 2; ++i)
        for (const auto status : STATUS_NAMES)
            expected[std::string(status)].insert(expected[std::string(status)].begin(),
                                                 _supplier->groupIn(std::string(status), product));
    for (const auto& [status, ids] : expected) {
        const json data = _supplier->orders("status=" + status);
        CPPUNIT_ASSERT_MESSAGE(status, ids == idsOf(data["orders"]));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(status, json(2), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->orders("per_page=1&page=2&status=" + status)["orders"].size());
    }
    CPPUNIT_ASSERT_EQUAL(json(14), _supplier->orders()["pagination"]["total_items"]);
}

TEST(OrderListTest, creationTimesAreIncluded) {
    const auto ids = sellSome(4);
    const char* times[] = {"2026-03-01 10:00:00.000000", "2026-03-01 10:00:05.750000", "2026-03-01 10:00:05.900000",
                           "2026-03-02 10:00:00.000000"};
    for (std::size_t i = 0; i < ids.size(); ++i)
        set(ids[i], "created_at", times[i]);
    const auto found = [&](const std::string& query) {
        std::string places;
        const json data = _supplier->orders(query);
        for (const auto id : idsOf(data["orders"]))
            places += std::to_string(std::find(ids.begin(), ids.end(), id) - ids.begin());
        CPPUNIT_ASSERT_EQUAL(json(places.size()), data["pagination"]["total_items"]);
        return places;
    };
    CPPUNIT_ASSERT_EQUAL(std::string("3210"), found("created_from=" + at("2026-03-01 10:00:00")));
    CPPUNIT_ASSERT_EQUAL(std::string("321"), found("created_from=" + at("2026-03-01 10:00:01")));
    CPPUNIT_ASSERT_EQUAL(std::string("210"), found("created_to=" + at("2026-03-01 10:00:05")));
    CPPUNIT_ASSERT_EQUAL(std::string("0"), found("created_to=" + at("2026-03-01 10:00:04")));
    CPPUNIT_ASSERT_EQUAL(std::string("21"), found("created_from=" + at("2026-03-01 10:00:05") +
                                                  "&created_to=" + at("2026-03-01 10:00:05")));
    CPPUNIT_ASSERT_EQUAL(std::string("2"),
                         found("created_from=2026-03-01T11:00:05.8%2B01:00&created_to=" + at("2026-03-01 10:00:05")));
    CPPUNIT_ASSERT_EQUAL(std::string(), found("created_from=" + at("2026-03-03 10:00:00")));
    CPPUNIT_ASSERT_EQUAL(
        std::string(), found("created_from=" + at("2026-03-02 00:00:00") + "&created_to=" + at("2026-03-01 00:00:00")));
}

TEST(OrderListTest, updatedSinceFindsMovedOrders) {
    const auto ids = sellSome(4);
    for (const auto id : ids)
        set(id, "updated_at", "2026-03-01 10:00:00");
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, _supplier->orderIds("updated_since=2026-03-01T10:00:00Z").size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _supplier->orderIds("updated_since=2026-03-01T10:00:01Z").size());
    _supplier->move(ids[2], "confirmed");
    _supplier->move(ids[0], "confirmed");
    const json data = _supplier->orders("updated_since=2026-03-01T10:00:01Z");
    CPPUNIT_ASSERT(idsOf(data["orders"]) == std::vector<std::int64_t>({ids[2], ids[0]}));
    CPPUNIT_ASSERT_EQUAL(json(2), data["pagination"]["total_items"]);
}

TEST(OrderListTest, filtersWorkTogether) {
    const auto ids = sellSome(6);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        set(ids[i], "created_at", ("2026-03-0" + std::to_string(i + 1) + " 10:00:00").c_str());
        set(ids[i], "updated_at", "2026-03-10 10:00:00");
    }
    for (const std::size_t moved : {1U, 3U, 4U})
        _supplier->move(ids[moved], "confirmed");
    const std::string days = "created_from=2026-03-02T00:00:00Z&created_to=2026-03-04T23:59:59Z";
    CPPUNIT_ASSERT(_supplier->orderIds(days) == std::vector<std::int64_t>({ids[3], ids[2], ids[1]}));
    CPPUNIT_ASSERT(_supplier->orderIds(days + "&status=confirmed") == std::vector<std::int64_t>({ids[3], ids[1]}));
    const std::string recently = "updated_since=2026-03-11T00:00:00Z";
    CPPUNIT_ASSERT(_supplier->orderIds(recently) == std::vector<std::int64_t>({ids[4], ids[3], ids[1]}));
    CPPUNIT_ASSERT(_supplier->orderIds(recently + "&" + days) == std::vector<std::int64_t>({ids[3], ids[1]}));
    CPPUNIT_ASSERT(_supplier->orderIds(recently + "&" + days + "&status=pending").empty());
    CPPUNIT_ASSERT_EQUAL(
        json(2),
        _supplier->orders(recently + "&" + days + "&status=confirmed&per_page=1&page=2")["pagination"]["total_items"]);
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

TEST(OrderListTest, cursorOfAnotherListIsRefused) {
    fill(30);
    const std::string cursor = _supplier->orders("per_page=5")["pagination"]["next_cursor"];
    HttpClient& http = *_supplier;
    for (const char* other : {"status=pending", "created_from=2026-01-01T00:00:00Z", "created_to=2026-12-31T00:00:00Z",
                              "updated_since=2026-01-01T00:00:00Z"}) {
        requireProblems(http.get(std::string("/orders?") + other + "&cursor=" + cursor), {"cursor:not_in_set"});
        const json theirs = _supplier->orders(std::string("per_page=5&") + other)["pagination"]["next_cursor"];
        requireProblems(http.get("/orders?cursor=" + theirs.get<std::string>()), {"cursor:not_in_set"});
    }
    OrdersClient stranger;
    requireProblems(stranger.get("/orders?cursor=" + cursor), {"cursor:not_in_set"});
    requireProblems(http.get("/orders?page=2&cursor=" + cursor), {"page:unsupported"});
    for (const std::string& damaged : {cursor + "A", cursor.substr(1), "x" + cursor.substr(1), std::string("*"),
                                       cursor.substr(0, cursor.size() - 1)})
        requireProblems(http.get("/orders?cursor=" + damaged), {"cursor:not_in_set"});
    // Another page size is the same list.
    CPPUNIT_ASSERT_EQUAL(std::size_t{9}, _supplier->orderIds("per_page=9&cursor=" + cursor).size());
}

TEST(OrderListTest, numberOfAWalksPageFitsItsSize) {
    fill(30);
    const auto pagination = [&](const std::string& query) { return _supplier->orders(query)["pagination"]; };
    const auto requirePage = [&](int number, int pages, const json& found) {
        CPPUNIT_ASSERT_EQUAL(json(number), found["current_page"]);
        CPPUNIT_ASSERT_EQUAL(json(pages), found["total_pages"]);
    };
    for (const std::string filter : {"", "&created_from=2000-01-01T00:00:00Z"}) {
        const json second = pagination("per_page=10&page=2" + filter);
        const std::string cursor = filter + "&cursor=" + second["next_cursor"].get<std::string>();
        requirePage(3, 3, pagination("per_page=10" + cursor));
        requirePage(1, 1, pagination("per_page=100" + cursor));
        requirePage(5, 6, pagination("per_page=5" + cursor));
        const json fifth = pagination("per_page=5" + cursor);
        requirePage(6, 6, pagination("per_page=5" + filter + "&cursor=" + fifth["next_cursor"].get<std::string>()));
        requirePage(2, 2, pagination("per_page=25" + filter + "&cursor=" + fifth["next_cursor"].get<std::string>()));
    }
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

TEST(OrderListTest, totalsFollowEveryMove) {
    const auto product = _supplier->product(100);
    const auto group = _supplier->sell(product, 1);
    const auto totalOf = [&](const std::string& status) {
        return _supplier->orders("status=" + status)["pagination"]["total_items"].get<int>();
    };
    std::string before = "pending";
    for (const char* status : {"confirmed", "processing", "shipped", "delivered"}) {
        requireStatus(200, _supplier->move(group, status));
        CPPUNIT_ASSERT_EQUAL(0, totalOf(before));
        CPPUNIT_ASSERT_EQUAL(1, totalOf(status));
        fixture().requireSoundOrders();
        before = status;
    }
    operatorClient().postEmpty("/order-groups/" + std::to_string(group) + "/complete");
    CPPUNIT_ASSERT_EQUAL(1, totalOf("completed"));
    _supplier->move(_supplier->sell(product, 1), "cancelled");
    CPPUNIT_ASSERT_EQUAL(1, totalOf("cancelled"));
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->orders()["pagination"]["total_items"]);
    fixture().requireSoundOrders();
}

} // namespace supplierd::tests
