#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <memory>
#include <string>

namespace supplierd::tests {

using Ids = std::vector<std::int64_t>;

class ProductListTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
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
        std::ranges::reverse(turned.elements());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(key, rows, turned);
    }
    const Ids ids = _supplier->ids("sort=id&per_page=100");
    _supplier->update(ids[3], {{"color", "red"}});
    CPPUNIT_ASSERT_EQUAL(ids[3], _supplier->ids("sort=-updated_at").front());
    CPPUNIT_ASSERT_EQUAL(ids[3], _supplier->ids("sort=updated_at&per_page=100").back());
}

} // namespace supplierd::tests
