#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class ProductListTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    HttpResponse get(const std::string& query) { return _supplier->get("/products?" + query); }

    void requireList(const std::string& query, const Ids& expected) {
        const json data = _supplier->list(query);
        CPPUNIT_ASSERT_MESSAGE(query + ": " + data.dump(), idsOf(data["products"]) == expected);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json(expected.size()), data["pagination"]["total_items"]);
    }

    void requirePage(const Ids& all, const std::string& query, int page) {
        const std::string whole = query + "&per_page=100&page=" + std::to_string(page);
        const json data = _supplier->list(whole);
        const auto from = std::min(all.size(), static_cast<std::size_t>(page - 1) * 100);
        const auto to = std::min(all.size(), from + 100);
        CPPUNIT_ASSERT_MESSAGE(whole, idsOf(data["products"]) == Ids(all.begin() + static_cast<std::ptrdiff_t>(from),
                                                                     all.begin() + static_cast<std::ptrdiff_t>(to)));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(whole, json(all.size()), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(whole, json(page), data["pagination"]["current_page"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(whole, to == all.size(), data["pagination"]["next_cursor"].is_null());
    }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductListTest, newestComesFirst) {
    const json first = _supplier->create();
    const json second = _supplier->create();
    CPPUNIT_ASSERT(_supplier->ids() == (Ids{second["id"], first["id"]}));
}

TEST(ProductListTest, emptyListHasTotalsOfZero) {
    const json expected{
        {"current_page", 1}, {"total_pages", 0}, {"total_items", 0}, {"per_page", 20}, {"next_cursor", nullptr}};
    for (const char* query : {"", "status=active", "search=rosa", "sku=a", "category_id=1", "type=flower",
                              "updated_since=2020-01-01T00:00:00Z", "include_deleted=true", "sort=name"}) {
        const json data = _supplier->list(query);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json::array(), data["products"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, expected, data["pagination"]);
    }
}

TEST(ProductListTest, pagePastTheEndIsEmptyWithTrueTotals) {
    _supplier->fill(25);
    for (const char* query :
         {"page=3", "page=3&search=tulipa", "page=1000000", "page=9223372036854775807", "page=3&status=pending",
          "page=3&type=flower", "page=3&include_deleted=true", "page=3&include_deleted=true&search=tulipa",
          "page=3&sort=name", "page=3&updated_since=2020-01-01T00:00:00Z", "page=1000000&sort=-base_price"}) {
        const json data = _supplier->list(query);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json::array(), data["products"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json(25), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json(2), data["pagination"]["total_pages"]);
        CPPUNIT_ASSERT_MESSAGE(query, data["pagination"]["next_cursor"].is_null());
    }
}

TEST(ProductListTest, perPageAboveAHundredIsTakenAsAHundred) {
    _supplier->fill(120);
    for (const char* query : {"per_page=101", "per_page=100", "per_page=99999999999999999999"}) {
        const json data = _supplier->list(query);
        CPPUNIT_ASSERT_EQUAL(std::size_t{100}, data["products"].size());
        CPPUNIT_ASSERT_EQUAL(json(100), data["pagination"]["per_page"]);
        CPPUNIT_ASSERT_EQUAL(json(2), data["pagination"]["total_pages"]);
    }
}

TEST(ProductListTest, aPageThatCannotBeCountedIsPastTheEnd) {
    _supplier->fill(3);
    for (const char* page : {"9223372036854775807", "9223372036854775808", "99999999999999999999999999"})
        for (const char* filter : {"", "&search=tulipa", "&type=flower", "&sort=name", "&include_deleted=true"}) {
            const json data = _supplier->list(std::string("page=") + page + filter);
            CPPUNIT_ASSERT_EQUAL(json::array(), data["products"]);
            CPPUNIT_ASSERT_EQUAL(json(3), data["pagination"]["total_items"]);
            CPPUNIT_ASSERT_EQUAL(json(1), data["pagination"]["total_pages"]);
            CPPUNIT_ASSERT_EQUAL(json(9'223'372'036'854'775'807), data["pagination"]["current_page"]);
            CPPUNIT_ASSERT(data["pagination"]["next_cursor"].is_null());
        }
}

TEST(ProductListTest, pageAndPerPageMustBePositiveIntegers) {
    for (const char* wrong : {"0", "-1"})
        requireProblems(get(std::string("page=") + wrong + "&per_page=" + wrong),
                        {"page:out_of_range", "per_page:out_of_range"});
    for (const char* wrong : {"x", "1.5", "1e3", "%201"})
        requireProblems(get(std::string("page=") + wrong + "&per_page=" + wrong), {"page:type", "per_page:type"});
}

TEST(ProductListTest, everyPageByNumberIsTheSameAsACutOfTheWhole) {
    Ids all = _supplier->fill(2'450);
    for (int i = 0; i < 5; ++i)
        _supplier->remove(all[static_cast<std::size_t>(i) * 300]);
    for (int i = 4; i >= 0; --i)
        all.erase(all.begin() + i * 300);
    for (const std::string sort : {"id", "-id"}) {
        if (sort == "-id")
            std::reverse(all.begin(), all.end());
        for (const int page : {1, 2, 11, 12, 13, 24, 25})
            requirePage(all, "sort=" + sort, page);
    }
    std::reverse(all.begin(), all.end());
    for (const int page : {1, 12, 13, 25}) {
        requirePage(all, "sort=name", page);
        requirePage(all, "sort=id&status=pending", page);
        requirePage(all, "sort=id&type=flower", page);
        requirePage(all, "sort=id&search=tulipa", page);
        requirePage(all, "sort=name&category_id=" + std::to_string(fixture().category()), page);
    }
}

TEST(ProductListTest, everySortOrdersByItsKeyAndThenById) {
    _supplier->fill(40);
    for (const char* key : {"id", "name", "base_price", "stock_qty"}) {
        const json rows = _supplier->list(std::string("per_page=100&sort=") + key)["products"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{40}, rows.size());
        for (std::size_t i = 1; i < rows.size(); ++i)
            CPPUNIT_ASSERT_MESSAGE(key, rows[i - 1][key] < rows[i][key] ||
                                            (rows[i - 1][key] == rows[i][key] && rows[i - 1]["id"] < rows[i]["id"]));
        json turned = _supplier->list(std::string("per_page=100&sort=-") + key)["products"];
        std::reverse(turned.begin(), turned.end());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(key, rows, turned);
    }
    const Ids ids = _supplier->ids("sort=id&per_page=100");
    _supplier->update(ids[3], {{"color", "red"}});
    CPPUNIT_ASSERT_EQUAL(ids[3], _supplier->ids("sort=-updated_at").front());
    CPPUNIT_ASSERT_EQUAL(ids[3], _supplier->ids("sort=updated_at&per_page=100").back());
}

TEST(ProductListTest, statusFilterShowsWhatItSays) {
    const std::int64_t pending = _supplier->create()["id"];
    const std::int64_t active = _supplier->create()["id"];
    const std::int64_t inactive = _supplier->create({{"name", "Off"}})["id"];
    const std::int64_t rejected = _supplier->create()["id"];
    ServerProcess& server = fixture().server();
    server.approveProduct(active);
    server.approveProduct(inactive);
    _supplier->update(inactive, {{"is_active", false}});
    fixture().database().exec("UPDATE products SET approval = 2 WHERE id = " + std::to_string(rejected));
    CPPUNIT_ASSERT(_supplier->ids("status=pending") == (Ids{rejected, pending}));
    CPPUNIT_ASSERT(_supplier->ids("status=active") == Ids{active});
    CPPUNIT_ASSERT(_supplier->ids("status=inactive") == Ids{inactive});
    CPPUNIT_ASSERT(_supplier->ids("status=inactive&search=off") == Ids{inactive});
    CPPUNIT_ASSERT(_supplier->ids("status=active&search=off").empty());
    for (const char* sort : {"name", "-base_price", "stock_qty", "updated_at"})
        CPPUNIT_ASSERT(_supplier->ids(std::string("status=active&sort=") + sort) == Ids{active});
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->list("status=pending")["pagination"]["total_items"]);
    _supplier->requireTrueTotals();
}

TEST(ProductListTest, filtersCombineWithTrueTotals) {
    const std::string flowers = std::to_string(fixture().category());
    const std::string supplies = std::to_string(ribbons());
    const std::int64_t rose = _supplier->create()["id"];
    const std::int64_t vase = _supplier->create({{"type", "supply"}})["id"];
    const std::int64_t ribbon = _supplier->create({{"type", "supply"}, {"category_id", ribbons()}})["id"];
    fixture().server().approveProduct(ribbon);
    requireList("category_id=" + flowers, {vase, rose});
    requireList("type=supply", {ribbon, vase});
    requireList("type=supply&category_id=" + flowers, {vase});
    requireList("type=flower&category_id=" + supplies, {});
    requireList("type=supply&status=active", {ribbon});
    requireList("category_id=" + supplies + "&status=pending", {});
    requireList("category_id=" + supplies + "&status=active&type=supply&search=rosa", {ribbon});
    requireList("category_id=424242", {});
    requireList("type=supply&sort=name", {vase, ribbon});
    requireList("sort=id&category_id=" + flowers, {rose, vase});
    _supplier->remove(vase);
    requireList("type=supply", {ribbon});
    requireList("type=supply&include_deleted=true", {ribbon, vase});
    requireList("include_deleted=true&category_id=" + flowers, {vase, rose});
    requireList("include_deleted=true&status=active&type=supply", {ribbon, vase});
}

TEST(ProductListTest, skuFilterTakesSeveralInAnyCase) {
    const std::int64_t a = _supplier->create({{"sku", "A-1"}})["id"];
    const std::int64_t b = _supplier->create({{"sku", "B-1"}, {"variants", {{{"name", "v"}, {"sku", "BV"}}}}})["id"];
    _supplier->create({{"sku", "C-1"}});
    requireList("sku=a-1,%20B-1%20,,nope", {b, a});
    requireList("sku=A-1", {a});
    requireList("sku=BV", {b});
    requireList("sku=A-1,B-1&sort=name&status=pending", {a, b});
    _supplier->remove(a);
    requireList("sku=A-1", {});
    requireList("sku=A-1,B-1&include_deleted=true", {b, a});
    std::string many = "S0";
    for (int i = 1; i < 100; ++i)
        many += ",S" + std::to_string(i);
    requireList("sku=" + many, {});
    requireProblems(get("sku=" + many + ",S100"), {"sku:too_many"});
    requireProblems(get("sku=A," + std::string(65, 'x')), {"sku:too_long"});
}

TEST(ProductListTest, aSkuWithACommaIsAskedForByAnEscapedOne) {
    const std::int64_t comma = _supplier->create({{"sku", "Rose,red"}})["id"];
    const std::int64_t other = _supplier->create({{"sku", "B-1"}})["id"];
    const std::int64_t spaced = _supplier->create({{"sku", "Rose, red"}})["id"];
    requireList("sku=rose%2Cred", {comma});
    requireList("sku=rose%2cred,b-1", {other, comma});
    requireList("sku=rose%2C+red", {spaced});
    requireList("sku=Rose,red", {});
    requireList("sku=rose%2Cred&include_deleted=true&sort=name&status=pending", {comma});
    const auto page = get("per_page=1&sku=B-1,Rose%2Cred").data()["pagination"];
    const std::string next = "&cursor=" + page["next_cursor"].get<std::string>();
    CPPUNIT_ASSERT(_supplier->ids("sku=B-1,Rose%2Cred" + next) == std::vector<std::int64_t>{comma});
    requireProblems(get("sku=B-1,Rose,red" + next), {"cursor:not_in_set"});
}

TEST(ProductListTest, aProgramThatEscapesEveryCommaFindsWhatItListed) {
    const std::int64_t a = _supplier->create({{"sku", "A"}})["id"];
    const std::int64_t b = _supplier->create({{"sku", "B"}})["id"];
    requireList("sku=A%2CB", {b, a});
    requireList("sku=%2CA%2C%20%2C%20b%2C", {b, a});
    const std::int64_t both = _supplier->create({{"sku", "a,b"}})["id"];
    requireList("sku=A%2CB", {both, b, a});
    std::string many = "S0";
    for (int i = 1; i < 99; ++i)
        many += "%2CS" + std::to_string(i);
    requireList("sku=" + many + "%2CB", {b});
    requireProblems(get("sku=" + many + "%2CB%2CA"), {"sku:too_many"});
    requireList("sku=A%2C" + std::string(64, 'x'), {a});
    requireProblems(get("sku=A%2C" + std::string(65, 'x')), {"sku:too_long"});
    // Three are looked for: A,B and A and B.
    std::string pairs = "A%2CB";
    for (int i = 1; i < 33; ++i)
        pairs += ",A%2CB";
    requireList("sku=" + pairs + ",C", {both, b, a});
    requireProblems(get("sku=" + pairs + ",C,D"), {"sku:too_many"});
}

TEST(ProductListTest, updatedSinceTakesATimeWithItsZone) {
    const std::int64_t old = _supplier->create()["id"];
    const std::int64_t fresh = _supplier->create()["id"];
    fixture().database().exec("UPDATE products SET updated_at = '2026-01-01 12:00:00' WHERE id = " +
                              std::to_string(old));
    fixture().database().exec("UPDATE products SET updated_at = '2026-01-02 12:00:00.5' WHERE id = " +
                              std::to_string(fresh));
    requireList("updated_since=2026-01-01T12:00:00Z", {fresh, old});
    requireList("updated_since=2026-01-01T12:00:01Z", {fresh});
    requireList("updated_since=2026-01-01T13:00:00%2B01:00", {fresh, old});
    requireList("updated_since=2026-01-02T12:00:00.6Z", {});
    requireList("updated_since=2026-01-01T00:00:00Z&sort=updated_at", {old, fresh});
    requireList("updated_since=0001-01-01T00:00:00Z", {fresh, old});
    requireList("updated_since=9999-12-31T23:59:59-10:00", {});
    for (const char* wrong : {"2026-01-01", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01T12:00:00"})
        requireProblems(get(std::string("updated_since=") + wrong), {"updated_since:type"});
}

TEST(ProductListTest, deletedOnesAreListedOnRequestOnly) {
    const std::int64_t live = _supplier->create({{"name", "Live"}})["id"];
    const std::int64_t deleted = _supplier->create({{"name", "Gone"}})["id"];
    _supplier->remove(deleted);
    requireList("", {live});
    for (const char* sort : {"-id", "name", "updated_at"}) {
        const json data = _supplier->list(std::string("include_deleted=true&sort=") + sort);
        CPPUNIT_ASSERT_EQUAL(json(2), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, data["products"].size());
        for (const json& product : data["products"])
            CPPUNIT_ASSERT_EQUAL(product["id"] == deleted, product["deleted_at"].is_string());
    }
    requireList("include_deleted=true&sort=-name", {live, deleted});
    requireList("include_deleted=true&search=gone", {deleted});
    requireList("include_deleted=true&status=active", {deleted});
    CPPUNIT_ASSERT(!_supplier->list()["products"][0].contains("deleted_at"));
}

TEST(ProductListTest, everyProblemOfTheQueryIsNamed) {
    requireProblems(get("status=deleted&type=plant&sort=price&category_id=x&include_deleted=yes"
                        "&changed_after=-1&per_page=0&updated_since=no&search=" +
                        std::string(101, 'a')),
                    {"status:not_in_set", "type:not_in_set", "sort:not_in_set", "category_id:type",
                     "include_deleted:not_in_set", "changed_after:out_of_range", "per_page:out_of_range",
                     "updated_since:type", "search:too_long", "sort:unsupported"});
    requireProblems(get("page=1&page=2"), {"page:duplicate"});
    requireProblems(get("search=%ff"), {"search:type"});
    requireProblems(get("search=a%00b"), {"search:type"});
    requireProblems(get("status="), {"status:not_in_set"});
    requireProblems(get("page="), {"page:type"});
    requireProblems(get("sku=,"), {"sku:required"});
    requireStatus(200, get("wings=2&search="));
}

TEST(ProductListTest, productsOfOtherSuppliersAreNeverListed) {
    SupplierClient other;
    other.create({{"sku", "THEIRS"}});
    for (const char* query : {"", "status=pending", "search=rosa", "sku=THEIRS", "type=flower", "sort=name",
                              "changed_after=0", "include_deleted=true", "updated_since=2020-01-01T00:00:00Z"})
        CPPUNIT_ASSERT_MESSAGE(query, _supplier->ids(query).empty());
}

} // namespace supplierd::tests
