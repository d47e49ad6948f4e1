#include "CatalogWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class ChangedAfterTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ChangedAfterTest);
    CPPUNIT_TEST(testChangesComeInCommitOrder);
    CPPUNIT_TEST(testNothingNewSaysWhereToGoOn);
    CPPUNIT_TEST(testFullPagesLeadOnUntilNothingIsLeft);
    CPPUNIT_TEST(testOneChangeIsNeverCut);
    CPPUNIT_TEST(testOneChangeLongerThanThePageComesWhole);
    CPPUNIT_TEST(testTombstonesComeOnRequest);
    CPPUNIT_TEST(testFiltersApplyAndTotalsDescribeTheList);
    CPPUNIT_TEST(testPositionBeyondTheLastChangeGoesBackToIt);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _shop = std::make_unique<Shop>(); }

    void testChangesComeInCommitOrder() {
        const std::int64_t a = _shop->create()["id"];
        const std::int64_t b = _shop->create()["id"];
        _shop->update(a, {{"stock_qty", 1}});
        const json data = _shop->list("changed_after=0");
        CPPUNIT_ASSERT(idsOf(data["products"]) == (Ids{b, a}));
        const std::int64_t first = data["products"][0]["change_seq"];
        const std::int64_t second = data["products"][1]["change_seq"];
        CPPUNIT_ASSERT(first < second);
        CPPUNIT_ASSERT_EQUAL(json(second), data["pagination"]["last_change_seq"]);
        CPPUNIT_ASSERT_EQUAL(json(false), data["pagination"]["has_more"]);
        CPPUNIT_ASSERT(data["pagination"]["next_cursor"].is_null());
        CPPUNIT_ASSERT(_shop->ids("changed_after=" + std::to_string(first)) == Ids{a});
    }

    void testNothingNewSaysWhereToGoOn() {
        _shop->create();
        const json last = _shop->list("changed_after=0")["pagination"]["last_change_seq"];
        const json data = _shop->list("changed_after=" + last.dump());
        CPPUNIT_ASSERT_EQUAL(json::array(), data["products"]);
        CPPUNIT_ASSERT_EQUAL(last, data["pagination"]["last_change_seq"]);
        CPPUNIT_ASSERT_EQUAL(json(false), data["pagination"]["has_more"]);
        CPPUNIT_ASSERT_EQUAL(json(1), data["pagination"]["total_items"]);
        Shop empty;
        CPPUNIT_ASSERT_EQUAL(json(0), empty.list("changed_after=0")["pagination"]["last_change_seq"]);
    }

    void testFullPagesLeadOnUntilNothingIsLeft() {
        const Ids all = _shop->fill(57);
        CPPUNIT_ASSERT(sync("", 10) == all);
        CPPUNIT_ASSERT(sync("", 57) == all);
        CPPUNIT_ASSERT(sync("", 1) == all);
    }

    void testOneChangeIsNeverCut() {
        const Ids all = _shop->fill(12);
        // Products 3 to 7 changed together.
        setSeq(all, 3, 7, seqOf(all[7]));
        const json page = _shop->list("changed_after=0&per_page=5");
        CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin(), all.begin() + 3));
        CPPUNIT_ASSERT_EQUAL(json(true), page["pagination"]["has_more"]);
        CPPUNIT_ASSERT_EQUAL(page["products"][2]["change_seq"], page["pagination"]["last_change_seq"]);
        CPPUNIT_ASSERT(sync("", 5) == all);
    }

    void testOneChangeLongerThanThePageComesWhole() {
        const Ids all = _shop->fill(30);
        setSeq(all, 0, 24, seqOf(all[24]));
        const json page = _shop->list("changed_after=0&per_page=10");
        CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin(), all.begin() + 25));
        CPPUNIT_ASSERT_EQUAL(json(true), page["pagination"]["has_more"]);
        CPPUNIT_ASSERT_EQUAL(page["products"][24]["change_seq"], page["pagination"]["last_change_seq"]);
        CPPUNIT_ASSERT(sync("", 10) == all);
        setSeq(all, 0, 29, seqOf(all[29]));
        CPPUNIT_ASSERT(sync("", 10) == all);
    }

    void testTombstonesComeOnRequest() {
        const std::int64_t gone = _shop->create({{"sku", "G"}})["id"];
        const std::int64_t live = _shop->create()["id"];
        const json last = _shop->list("changed_after=0")["pagination"]["last_change_seq"];
        _shop->remove(gone);
        CPPUNIT_ASSERT(_shop->ids("changed_after=0") == Ids{live});
        CPPUNIT_ASSERT(_shop->list("changed_after=" + last.dump())["pagination"]["last_change_seq"] > last);
        const json data = _shop->list("include_deleted=true&changed_after=" + last.dump());
        CPPUNIT_ASSERT(idsOf(data["products"]) == Ids{gone});
        CPPUNIT_ASSERT(data["products"][0]["deleted_at"].is_string());
        CPPUNIT_ASSERT_EQUAL(json(2), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT(_shop->list("include_deleted=true&changed_after=0")["products"][0]["deleted_at"].is_null());
        CPPUNIT_ASSERT(_shop->ids("include_deleted=true&changed_after=0&status=active") == Ids{gone});
        CPPUNIT_ASSERT(_shop->ids("include_deleted=true&changed_after=0&sku=g") == Ids{gone});
        CPPUNIT_ASSERT(_shop->ids("changed_after=0&sku=g").empty());
    }

    void testFiltersApplyAndTotalsDescribeTheList() {
        _shop->fill(5);
        const std::int64_t rose = _shop->create({{"type", "supply"}, {"sku", "R"}})["id"];
        for (const char* filter : {"type=supply", "search=rosa", "sku=r"}) {
            const json data = _shop->list(std::string("changed_after=0&") + filter);
            CPPUNIT_ASSERT_MESSAGE(filter, idsOf(data["products"]) == Ids{rose});
            CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, json(1), data["pagination"]["total_items"]);
        }
        const json data = _shop->list("changed_after=5&per_page=2");
        CPPUNIT_ASSERT_EQUAL(json(6), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(json(3), data["pagination"]["total_pages"]);
    }

    void testPositionBeyondTheLastChangeGoesBackToIt() {
        _shop->create();
        const json last = _shop->list("changed_after=0")["pagination"]["last_change_seq"];
        CPPUNIT_ASSERT_EQUAL(last, _shop->list("changed_after=999999999")["pagination"]["last_change_seq"]);
    }

private:
    std::int64_t seqOf(std::int64_t id) {
        return CatalogWorld::instance().database().integer("SELECT change_seq FROM products WHERE id = " +
                                                           std::to_string(id));
    }

    void setSeq(const Ids& ids, std::size_t first, std::size_t last, std::int64_t seq) {
        CatalogWorld::instance().database().exec("UPDATE products SET change_seq = " + std::to_string(seq) +
                                                 " WHERE id BETWEEN " + std::to_string(ids[first]) + " AND " +
                                                 std::to_string(ids[last]));
    }

    Ids sync(const std::string& filter, int perPage) {
        Ids ids;
        std::int64_t after = 0;
        bool more = true;
        while (more) {
            const json data = _shop->list(filter + "&per_page=" + std::to_string(perPage) +
                                          "&changed_after=" + std::to_string(after));
            const Ids some = idsOf(data["products"]);
            ids.insert(ids.end(), some.begin(), some.end());
            after = data["pagination"]["last_change_seq"];
            more = data["pagination"]["has_more"];
        }
        CPPUNIT_ASSERT(_shop->ids(filter + "&changed_after=" + std::to_string(after)).empty());
        return ids;
    }

    std::unique_ptr<Shop> _shop;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ChangedAfterTest);

} // namespace supplierd::tests
