#include "OrdersFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/ChangesWalk.h"
#include "tests/support/Test.h"

#include <atomic>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using Ids = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

/// GET /orders?changed_after, and what orders leave in the change log.
class ChangedOrdersTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<OrdersClient>(); }

protected:
    static Texts changes(const OrdersClient& supplier) { return changesOf(fixture().database(), supplier.id()); }

    static TestDatabase& database() { return fixture().database(); }

    /// Groups with a change each, in id order. Their ids.
    Ids fill(int count) {
        fillWithGroups(_supplier->id(), count);
        const std::string supplier = std::to_string(_supplier->id());
        database().exec("UPDATE order_groups g JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM order_groups "
                        "WHERE supplier_id = " +
                        supplier + ") t ON t.id = g.id SET g.change_seq = t.n WHERE g.supplier_id = " + supplier);
        database().exec("UPDATE supplier_state SET change_seq = " + std::to_string(count) +
                        " WHERE supplier_id = " + supplier);
        Ids ids;
        for (const TestRow& row :
             database().query("SELECT id FROM order_groups WHERE supplier_id = " + supplier + " ORDER BY id"))
            ids.push_back(std::stoll(*row[0]));
        return ids;
    }

    static std::int64_t seqOf(std::int64_t id) {
        return database().integer("SELECT change_seq FROM order_groups WHERE id = " + std::to_string(id));
    }

    static void setSeq(const Ids& ids, std::size_t first, std::size_t last, std::int64_t seq) {
        database().exec("UPDATE order_groups SET change_seq = " + std::to_string(seq) + " WHERE id BETWEEN " +
                        std::to_string(ids[first]) + " AND " + std::to_string(ids[last]));
    }

    std::unique_ptr<OrdersClient> _supplier;
    const ChangesWalk _changes{"orders", [this](const std::string& query) { return _supplier->orders(query); }};
};

TEST(ChangedOrdersTest, fullPagesLeadOnUntilNothingIsLeft) {
    const Ids all = fill(57);
    for (const int perPage : {1, 10, 57, 100})
        CPPUNIT_ASSERT(_changes.sync("", perPage) == all);
}

TEST(ChangedOrdersTest, aChangeThatFitsAPageIsNeverCut) {
    const Ids all = fill(12);
    setSeq(all, 3, 7, seqOf(all[7]));
    const json page = _supplier->orders("changed_after=0&per_page=5");
    CPPUNIT_ASSERT(idsOf(page["orders"]) == Ids(all.begin(), all.begin() + 3));
    CPPUNIT_ASSERT_EQUAL(json(true), page["pagination"]["has_more"]);
    CPPUNIT_ASSERT_EQUAL(page["orders"][2]["change_seq"], page["pagination"]["last_change_seq"]);
    CPPUNIT_ASSERT(_changes.sync("", 5) == all);
}

TEST(ChangedOrdersTest, oneChangeLongerThanThePageIsCut) {
    const Ids all = fill(30);
    const std::int64_t seq = seqOf(all[24]);
    setSeq(all, 0, 24, seq);
    json page = _supplier->orders("changed_after=0&per_page=10");
    CPPUNIT_ASSERT(idsOf(page["orders"]) == Ids(all.begin(), all.begin() + 10));
    CPPUNIT_ASSERT(page["pagination"]["last_change_seq"] > 1'000'000'000);
    const std::string place = page["pagination"]["last_change_seq"].dump();
    const std::string cursor = page["pagination"]["next_cursor"];
    for (const std::string& next : {"cursor=" + cursor, "changed_after=" + place}) {
        page = _supplier->orders("per_page=20&" + next);
        CPPUNIT_ASSERT(idsOf(page["orders"]) == Ids(all.begin() + 10, all.end()));
        CPPUNIT_ASSERT_EQUAL(json(seq), page["orders"][14]["change_seq"]);
        CPPUNIT_ASSERT_EQUAL(json(false), page["pagination"]["has_more"]);
    }
    for (const int perPage : {1, 7, 10, 25})
        CPPUNIT_ASSERT(_changes.sync("", perPage) == all);
    // All of them at once, as what was there before numbers were kept.
    setSeq(all, 0, 29, 1);
    for (const int perPage : {1, 7, 29, 30})
        CPPUNIT_ASSERT(_changes.sync("", perPage) == all);
}

TEST(ChangedOrdersTest, ordersThatLeaveACutChangeAreToldByTheirNextOne) {
    const Ids all = fill(30);
    setSeq(all, 0, 29, 1);
    const json page = _supplier->orders("changed_after=0&per_page=10");
    const std::int64_t told = all[2];
    const std::int64_t notTold = all[14];
    requireStatus(200, _supplier->move(told, "confirmed"));
    requireStatus(200, _supplier->move(notTold, "confirmed"));
    Ids rest(all.begin() + 10, all.end());
    rest.erase(rest.begin() + 4);
    rest.insert(rest.end(), {told, notTold});
    CPPUNIT_ASSERT(_changes.follow("", 10, page, true) == rest);
    // By numbers alone, what has been told of the change may come again; nothing is left out.
    rest.insert(rest.begin(), all[9]);
    CPPUNIT_ASSERT(_changes.follow("", 10, page, false) == rest);
}

TEST(ChangedOrdersTest, filtersApplyAndTotalsDescribeTheList) {
    const Ids all = fill(40);
    Ids shipped;
    for (std::size_t i = 3; i < all.size(); i += 4)
        shipped.push_back(all[i]);
    for (const int perPage : {3, 10, 100})
        CPPUNIT_ASSERT(_changes.sync("status=shipped", perPage) == shipped);
    const json data =
        _supplier->orders("status=shipped&changed_after=" + std::to_string(seqOf(all[8])) + "&per_page=2");
    CPPUNIT_ASSERT(idsOf(data["orders"]) == (Ids{all[11], all[15]}));
    CPPUNIT_ASSERT_EQUAL(json(10), data["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(json(5), data["pagination"]["total_pages"]);
    const std::string times = "created_from=2026-01-01T00:00:11Z&created_to=2026-01-01T00:00:20Z&"
                              "updated_since=2026-01-02T00:00:15Z";
    CPPUNIT_ASSERT(_changes.sync(times, 4) == Ids(all.begin() + 14, all.begin() + 20));
    setSeq(all, 0, 39, 1);
    CPPUNIT_ASSERT(_changes.sync("status=shipped", 3) == shipped);
}

TEST(ChangedOrdersTest, nothingIsSkippedBesideMovesAndNewOrders) {
    constexpr int ORDERS = 40;
    const auto product = _supplier->product(1'000);
    std::atomic<bool> isOver{false};
    auto writer = std::async(std::launch::async, [&] {
        Ids groups;
        for (int i = 0; i < ORDERS; ++i) {
            groups.push_back(_supplier->sell(product, 1));
            HttpClient http = _supplier->anotherClient();
            http.post("/orders/" + std::to_string(groups[groups.size() / 2]) + "/status", {{"status", "confirmed"}});
        }
        isOver = true;
    });
    // What a follower knows, by id.
    std::map<std::int64_t, std::string> known;
    HttpClient reader = _supplier->anotherClient();
    std::string number = "0";
    for (bool last = false;;) {
        const json data = dataOf(reader.get("/orders?per_page=3&changed_after=" + number));
        for (const json& order : data["orders"])
            known[order["id"]] = order["status"];
        number = data["pagination"]["last_change_seq"].dump();
        if (last && !data["pagination"]["has_more"])
            break;
        last = isOver;
    }
    writer.get();
    CPPUNIT_ASSERT_EQUAL(std::size_t{ORDERS}, known.size());
    const json all = _supplier->orders("per_page=100")["orders"];
    CPPUNIT_ASSERT_EQUAL(known.size(), all.size());
    for (const json& order : all)
        CPPUNIT_ASSERT_EQUAL(order["status"].get<std::string>(), known[order["id"]]);
}

TEST(ChangedOrdersTest, ordersAndMovesAreInTheLog) {
    const auto first = _supplier->product(10);
    const auto second = _supplier->product(10);
    const json order = place({{{"product_id", second}, {"quantity", 1}}, {{"product_id", first}, {"quantity", 2}}});
    const std::string group = order["groups"][0]["id"].dump();
    _supplier->move(order["groups"][0]["id"], "confirmed");
    _supplier->move(order["groups"][0]["id"], "cancelled");
    const std::string stocks = "; product.stock_changed " + std::to_string(first) + "," + std::to_string(second);
    CPPUNIT_ASSERT((Texts{"order_group.created " + group + stocks, "order_group.moved " + group,
                          "order_group.moved " + group + stocks}) == changes(*_supplier));
    const auto delivered = _supplier->groupIn("delivered", first);
    operatorClient().postEmpty("/order-groups/" + std::to_string(delivered) + "/complete");
    CPPUNIT_ASSERT_EQUAL("order_group.moved " + std::to_string(delivered), changes(*_supplier).back());
    CPPUNIT_ASSERT_EQUAL(operatorKey().substr(0, 11),
                         originOfLastChange(fixture().database(), _supplier->id()).substr(0, 11));
}

TEST(ChangedOrdersTest, anOrderOfSeveralSuppliersIsAnEntryForEach) {
    OrdersClient other;
    const auto mine = _supplier->product(10);
    const auto others = other.product(10);
    const json order = place({{{"product_id", mine}, {"quantity", 1}}, {{"product_id", others}, {"quantity", 2}}});
    for (const json& group : order["groups"]) {
        const bool isMine = group["supplier"]["id"] == _supplier->id();
        CPPUNIT_ASSERT((Texts{"order_group.created " + group["id"].dump() + "; product.stock_changed " +
                              std::to_string(isMine ? mine : others)}) == changes(isMine ? *_supplier : other));
    }
}

} // namespace supplierd::tests
