#include "tests/support/ServerProcess.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

namespace {

/// One server with the one plugin, for all tests here.
struct CategoryWorld {
    TestDatabase database;
    ServerProcess server{database, {.plugins = {"categories"}}};
    std::int64_t supplier = server.createSupplier("Shop");

    static CategoryWorld& instance() {
        static CategoryWorld world;
        return world;
    }
};

} // namespace

class CategoryListTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(CategoryListTest);
    CPPUNIT_TEST(testNoCategoriesAreAnEmptyList);
    CPPUNIT_TEST(testListIsFlatWithParents);
    CPPUNIT_TEST(testOnlyActiveCategoriesAreListed);
    CPPUNIT_TEST(testWhatLiesBelowAnInactiveCategoryIsHidden);
    CPPUNIT_TEST(testAnUnchangedTreeIsNotSentAgain);
    CPPUNIT_TEST(testScopeIsNeeded);
    CPPUNIT_TEST(testKeyIsNeeded);
    CPPUNIT_TEST(testOtherMethodsAreRefused);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        change("UPDATE categories SET parent_id = NULL");
        change("DELETE FROM categories");
    }

    void testNoCategoriesAreAnEmptyList() { CPPUNIT_ASSERT_EQUAL(json::array(), list()); }

    void testListIsFlatWithParents() {
        const std::int64_t flowers = world().server.createCategory("Cut flowers 💐");
        const std::int64_t roses = world().server.createCategory("Roses", "flower", flowers);
        const std::int64_t vases = world().server.createCategory("Vases", "supply");
        const json categories = list();
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, categories.size());
        requireCategory(categories[0], flowers, "Cut flowers 💐", nullptr, "flower");
        requireCategory(categories[1], roses, "Roses", flowers, "flower");
        requireCategory(categories[2], vases, "Vases", nullptr, "supply");
    }

    void testOnlyActiveCategoriesAreListed() {
        const std::int64_t open = world().server.createCategory("Open");
        const std::int64_t closed = world().server.createCategory("Closed", "flower", open);
        close(closed);
        const json categories = list();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, categories.size());
        requireCategory(categories[0], open, "Open", nullptr, "flower");
    }

    void testWhatLiesBelowAnInactiveCategoryIsHidden() {
        const std::int64_t low = world().server.createCategory("Low");
        const std::int64_t top = world().server.createCategory("Top");
        const std::int64_t middle = world().server.createCategory("Middle", "flower", top);
        const std::int64_t other = world().server.createCategory("Other", "flower", top);
        change("UPDATE categories SET parent_id = " + std::to_string(middle) + " WHERE id = " + std::to_string(low));
        CPPUNIT_ASSERT(ids() == (std::vector<std::int64_t>{low, top, middle, other}));
        close(middle);
        CPPUNIT_ASSERT(ids() == (std::vector<std::int64_t>{top, other}));
        close(top);
        CPPUNIT_ASSERT(ids().empty());
        CPPUNIT_ASSERT_EQUAL(json::array(), list());
    }

    void testAnUnchangedTreeIsNotSentAgain() {
        world().server.createCategory("Tagged");
        const HttpResponse first = client().get("/categories");
        CPPUNIT_ASSERT_EQUAL('"' + first.data()["change_seq"].dump() + '"', first.header("ETag"));
        for (const std::string& tag : {first.header("ETag"), "\"x\" , W/" + first.header("ETag"), std::string("*")}) {
            const HttpResponse known = client().get("/categories", {{"If-None-Match", tag}});
            CPPUNIT_ASSERT_EQUAL_MESSAGE(tag, 304, known.status);
            CPPUNIT_ASSERT_EQUAL(first.header("ETag"), known.header("ETag"));
            CPPUNIT_ASSERT_EQUAL(std::string(), known.body);
        }
        CPPUNIT_ASSERT_EQUAL(200, client().get("/categories", {{"If-None-Match", "\"0\""}}).status);
    }

    void testScopeIsNeeded() {
        const HttpResponse response = client("products:read").get("/categories");
        CPPUNIT_ASSERT_EQUAL(403, response.status);
        CPPUNIT_ASSERT_EQUAL(json("scope"), response.error()["details"][0]["code"]);
        CPPUNIT_ASSERT_EQUAL(200, client("categories:read").get("/categories").status);
    }

    void testKeyIsNeeded() { CPPUNIT_ASSERT_EQUAL(401, world().server.client().get("/categories").status); }

    void testOtherMethodsAreRefused() {
        const HttpResponse response = client().post("/categories", json::object());
        CPPUNIT_ASSERT_EQUAL(405, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD"), response.header("Allow"));
    }

private:
    static CategoryWorld& world() { return CategoryWorld::instance(); }

    static HttpClient client(const std::string& scopes = {}) {
        std::map<std::string, std::string> columns;
        if (!scopes.empty())
            columns["scopes"] = "'" + scopes + "'";
        return world().server.client(world().server.createKey(world().supplier, columns));
    }

    static json list() {
        const HttpResponse response = client().get("/categories");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
        return response.data()["categories"];
    }

    static void close(std::int64_t id) {
        change("UPDATE categories SET is_active = 0 WHERE id = " + std::to_string(id));
    }

    /// As the service changes them: servers know by the marketplace's number.
    static void change(const std::string& sql) {
        world().database.exec(sql);
        world().database.exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = 0");
    }

    static std::vector<std::int64_t> ids() {
        std::vector<std::int64_t> ids;
        for (const json& category : list())
            ids.push_back(category["id"]);
        return ids;
    }

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

CPPUNIT_TEST_SUITE_REGISTRATION(CategoryListTest);

} // namespace supplierd::tests
