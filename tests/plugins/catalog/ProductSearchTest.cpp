#include "CatalogFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

class ProductSearchTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    /// An empty array, with a message, where the corpora are absent.
    static json corpus(const std::string& file) {
        const std::filesystem::path path = std::filesystem::path(sourcePath("../shared/corpora/strings")) / file;
        if (!std::filesystem::exists(path))
            throw Skip(path.string() + " is not there");
        return json::parse(readWholeFile(path));
    }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductSearchTest, wildcardsAreLiteral) {
    const json cases = corpus("like_wildcards.json");
    for (const json& one : cases) {
        SupplierClient supplier;
        for (const json& name : one["rows"])
            supplier.create({{"name", name}});
        std::multiset<std::string> hits;
        const json list = supplier.list("search=" + escaped(one["query"]));
        for (const json& product : list["products"])
            hits.insert(product["name"]);
        const auto expected = one["expected_hits"].get<std::multiset<std::string>>();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(one["query"], json(expected), json(hits));
    }
}

TEST(ProductSearchTest, naughtyStringsComeBackAsTheyWentIn) {
    const json texts = corpus("open/blns.json");
    int kept = 0;
    for (const json& entry : texts) {
        const std::string text = entry.is_string() ? entry.get<std::string>() : entry.dump();
        const json body = _supplier->productBody({{"name", text}, {"description", text}, {"color", "c"}});
        const HttpResponse response = _supplier->post("/products", body);
        CPPUNIT_ASSERT_MESSAGE(response.body, response.status == 201 || response.status == 422);
        if (response.status == 422)
            continue;
        ++kept;
        const json product = response.data()["product"];
        const std::string name = product["name"];
        // Exactly, but for white space around it.
        CPPUNIT_ASSERT_MESSAGE(text, text.find(name) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, name.size() + 80 > text.size());
        CPPUNIT_ASSERT_EQUAL(product["name"], product["description"]);
        const HttpResponse found = _supplier->get("/products?search=" + escaped(name));
        CPPUNIT_ASSERT_MESSAGE(found.body, found.status == 200 || found.status == 422 || found.status == 414);
    }
    CPPUNIT_ASSERT(texts.empty() || kept > 0);
}

TEST(ProductSearchTest, everyScriptIsKeptAndFound) {
    for (const json& entry : corpus("open/utf8mb4.json")) {
        const std::string text = entry["s"];
        SupplierClient supplier;
        const HttpResponse response = supplier.postProduct({{"name", text}});
        if (response.status == 422)
            continue; // white space alone, or too long
        requireStatus(201, response);
        const json product = response.data()["product"];
        const std::string name = product["name"];
        CPPUNIT_ASSERT_EQUAL(text.substr(text.find_first_not_of(' ')), name);
        CPPUNIT_ASSERT_EQUAL(name, supplier.read(product["id"])["name"].get<std::string>());
        const HttpResponse found = supplier.get("/products?search=" + escaped(name));
        if (found.status == 422)
            continue; // longer than a search may be
        const json list = found.data();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, std::size_t{1}, list["products"].size());
        CPPUNIT_ASSERT_EQUAL(name, list["products"][0]["name"].get<std::string>());
    }
}

TEST(ProductSearchTest, sqlIsTextEverywhere) {
    _supplier->create({{"sku", "KEEP"}});
    for (const json& entry : corpus("open/sqli.json")) {
        const std::string text = entry.is_string() ? entry.get<std::string>() : entry.dump();
        for (const char* field : {"search", "sku", "sort", "status", "cursor", "category_id", "updated_since"}) {
            const HttpResponse response = _supplier->get(std::string("/products?") + field + "=" + escaped(text));
            CPPUNIT_ASSERT_MESSAGE(response.body, response.status == 200 || response.status == 422);
            CPPUNIT_ASSERT_MESSAGE(response.body, response.body.find("SQL syntax") == std::string::npos);
        }
    }
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier->list()["pagination"]["total_items"]);
}

} // namespace supplierd::tests
