#include "CatalogFixture.h"
#include "tests/support/ChangesWalk.h"
#include "tests/support/Test.h"

#include <limits>
#include <memory>
#include <string>

namespace supplierd::tests {

using Ids = std::vector<std::int64_t>;

class ChangedAfterTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    std::int64_t seqOf(std::int64_t id) {
        return fixture().database().integer("SELECT change_seq FROM products WHERE id = " + std::to_string(id));
    }

    void setSeq(const Ids& ids, std::size_t first, std::size_t last, std::int64_t seq) {
        fixture().database().exec("UPDATE products SET change_seq = " + std::to_string(seq) + " WHERE id BETWEEN " +
                                  std::to_string(ids[first]) + " AND " + std::to_string(ids[last]));
    }

    std::unique_ptr<SupplierClient> _supplier;
    const ChangesWalk _changes{"products", [this](const std::string& query) { return _supplier->list(query); }};
};

TEST(ChangedAfterTest, fullPagesLeadOnUntilNothingIsLeft) {
    const Ids all = _supplier->fill(57);
    CPPUNIT_ASSERT(_changes.sync("", 10) == all);
    CPPUNIT_ASSERT(_changes.sync("", 57) == all);
    CPPUNIT_ASSERT(_changes.sync("", 1) == all);
}

TEST(ChangedAfterTest, aChangeThatFitsAPageIsNeverCut) {
    const Ids all = _supplier->fill(12);
    // Products 3 to 7 changed together.
    setSeq(all, 3, 7, seqOf(all[7]));
    const json page = _supplier->list("changed_after=0&per_page=5");
    CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin(), all.begin() + 3));
    CPPUNIT_ASSERT_EQUAL(json(true), page["pagination"]["has_more"]);
    CPPUNIT_ASSERT_EQUAL(page["products"][2]["change_seq"], page["pagination"]["last_change_seq"]);
    CPPUNIT_ASSERT(_changes.sync("", 5) == all);
}

TEST(ChangedAfterTest, oneChangeLongerThanThePageIsCut) {
    const Ids all = _supplier->fill(30);
    const std::int64_t seq = seqOf(all[24]);
    setSeq(all, 0, 24, seq);
    json page = _supplier->list("changed_after=0&per_page=10");
    CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin(), all.begin() + 10));
    CPPUNIT_ASSERT_EQUAL(json(true), page["pagination"]["has_more"]);
    // The change is not told as a whole yet.
    CPPUNIT_ASSERT(page["pagination"]["last_change_seq"] > 1'000'000'000);
    const std::string place = page["pagination"]["last_change_seq"].dump();
    const std::string cursor = page["pagination"]["next_cursor"];
    for (const std::string& next : {"cursor=" + cursor, "changed_after=" + place}) {
        page = _supplier->list("per_page=20&" + next);
        CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin() + 10, all.begin() + 25 + 5));
        CPPUNIT_ASSERT_EQUAL(json(seq), page["products"][14]["change_seq"]);
        CPPUNIT_ASSERT_EQUAL(json(false), page["pagination"]["has_more"]);
        CPPUNIT_ASSERT_EQUAL(page["products"][19]["change_seq"], page["pagination"]["last_change_seq"]);
    }
    page = _supplier->list("per_page=17&cursor=" + cursor);
    CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin() + 10, all.begin() + 27));
    CPPUNIT_ASSERT_EQUAL(page["products"][16]["change_seq"], page["pagination"]["last_change_seq"]);
    for (const int perPage : {1, 7, 10, 25})
        CPPUNIT_ASSERT(_changes.sync("", perPage) == all);
    setSeq(all, 0, 29, seqOf(all[29]));
    for (const int perPage : {1, 7, 10, 29, 30})
        CPPUNIT_ASSERT(_changes.sync("", perPage) == all);
}

TEST(ChangedAfterTest, aCutChangeKeepsTheFilters) {
    const Ids all = _supplier->fill(30);
    std::string skus = "sku=none";
    Ids some;
    for (std::size_t i = 0; i < all.size(); i += 2) {
        _supplier->update(all[i], {{"type", "supply"}, {"sku", "K" + std::to_string(i)}});
        skus += ",K" + std::to_string(i);
        some.push_back(all[i]);
    }
    setSeq(all, 0, 29, seqOf(all[28]));
    for (const std::string& filter :
         {std::string("type=supply"), skus, "include_deleted=true&" + skus, std::string("search=tulipa&type=supply"),
          std::string("type=supply&include_deleted=true&status=pending")})
        CPPUNIT_ASSERT_MESSAGE(filter, _changes.sync(filter, 4) == some);
}

TEST(ChangedAfterTest, productsThatLeaveACutChangeAreToldByTheirNextOne) {
    const Ids all = _supplier->fill(30);
    setSeq(all, 0, 29, seqOf(all[29]));
    const json page = _supplier->list("changed_after=0&per_page=10");
    const std::int64_t told = all[3];
    const std::int64_t notTold = all[15];
    _supplier->update(told, {{"stock_qty", 1}});
    _supplier->update(notTold, {{"stock_qty", 2}});
    Ids rest(all.begin() + 10, all.end());
    rest.erase(rest.begin() + 5);
    rest.insert(rest.end(), {told, notTold});
    CPPUNIT_ASSERT(_changes.follow("", 10, page, true) == rest);
    // By numbers alone, what has been told of the change may come again; nothing is left out.
    rest.insert(rest.begin(), all[9]);
    CPPUNIT_ASSERT(_changes.follow("", 10, page, false) == rest);
}

} // namespace supplierd::tests
