#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

class CategoryListTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        change("UPDATE categories SET parent_id = NULL");
        change("DELETE FROM categories");
    }

protected:
    static json list() { return dataOf(SupplierClient().get("/categories")).at("categories"); }

    static void close(std::int64_t id) {
        change("UPDATE categories SET is_active = 0 WHERE id = " + std::to_string(id));
    }

    /// As the service changes them: servers know by the marketplace's number.
    static void change(const std::string& sql) {
        fixture().database().exec(sql);
        fixture().database().exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = 0");
    }

    static std::vector<std::int64_t> ids() { return idsOf(list()); }

    static void requireCategory(const json& category, std::int64_t id, const std::string& name, const json& parent,
                                const std::string& type) {
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, category.size());
        CPPUNIT_ASSERT_EQUAL(json(id), category["id"]);
        CPPUNIT_ASSERT_EQUAL(json(name), category["name"]);
        CPPUNIT_ASSERT_EQUAL(parent, category["parent_id"]);
        CPPUNIT_ASSERT_EQUAL(json(type), category["type"]);
        CPPUNIT_ASSERT(!category["slug"].get<std::string>().empty());
    }
};

TEST(CategoryListTest, noCategoriesAreAnEmptyList) {
    CPPUNIT_ASSERT_EQUAL(json::array(), list());
}

TEST(CategoryListTest, listIsFlatWithParents) {
    const std::int64_t flowers = fixture().server().createCategory("Cut flowers 💐");
    const std::int64_t roses = fixture().server().createCategory("Roses", "flower", flowers);
    const std::int64_t vases = fixture().server().createCategory("Vases", "supply");
    const json categories = list();
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, categories.size());
    requireCategory(categories[0], flowers, "Cut flowers 💐", nullptr, "flower");
    requireCategory(categories[1], roses, "Roses", flowers, "flower");
    requireCategory(categories[2], vases, "Vases", nullptr, "supply");
}

TEST(CategoryListTest, onlyActiveCategoriesAreListed) {
    const std::int64_t open = fixture().server().createCategory("Open");
    const std::int64_t closed = fixture().server().createCategory("Closed", "flower", open);
    close(closed);
    const json categories = list();
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, categories.size());
    requireCategory(categories[0], open, "Open", nullptr, "flower");
}

TEST(CategoryListTest, whatLiesBelowAnInactiveCategoryIsHidden) {
    const std::int64_t low = fixture().server().createCategory("Low");
    const std::int64_t top = fixture().server().createCategory("Top");
    const std::int64_t middle = fixture().server().createCategory("Middle", "flower", top);
    const std::int64_t other = fixture().server().createCategory("Other", "flower", top);
    change("UPDATE categories SET parent_id = " + std::to_string(middle) + " WHERE id = " + std::to_string(low));
    CPPUNIT_ASSERT(ids() == (std::vector<std::int64_t>{low, top, middle, other}));
    close(middle);
    CPPUNIT_ASSERT(ids() == (std::vector<std::int64_t>{top, other}));
    close(top);
    CPPUNIT_ASSERT(ids().empty());
    CPPUNIT_ASSERT_EQUAL(json::array(), list());
}

} // namespace supplierd::tests
