#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

class ProductSearchTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    /// An empty array, with a message, where the corpora are absent.
    static json corpus(const std::string& file) {
        const std::filesystem::path path =
            std::filesystem::path(SUPPLIERD_TEST_SOURCE_DIR) / "../shared/corpora/strings" / file;
        std::ifstream in(path);
        if (!in) {
            throw Skip(path.string() + " is not there");
        }
        return json::parse(in);
    }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductSearchTest, searchFindsAPartOfNameOrSku) {
    const std::int64_t rose = _supplier->create({{"name", "Rosa Red Naomi"}, {"sku", "RN-60"}})["id"];
    const std::int64_t tulip = _supplier->create({{"name", "Tulipa"}, {"sku", "XNA-1"}})["id"];
    CPPUNIT_ASSERT(_supplier->ids("search=na") == (std::vector<std::int64_t>{tulip, rose}));
    CPPUNIT_ASSERT(_supplier->ids("search=d%20n") == std::vector<std::int64_t>{rose});
    CPPUNIT_ASSERT(_supplier->ids("search=+-60+") == std::vector<std::int64_t>{rose});
    CPPUNIT_ASSERT(_supplier->ids("search=lily").empty());
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->list("search=na&per_page=1")["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->list("search=na&per_page=1&page=2")["pagination"]["total_items"]);
}

TEST(ProductSearchTest, caseAndAccentsMakeNoDifference) {
    const std::int64_t id = _supplier->create({{"name", "Żółty Crème 💐"}})["id"];
    for (const char* query : {"zolty", "ŻÓŁTY", "creme", "CRÈME", "💐"})
        CPPUNIT_ASSERT_MESSAGE(query, _supplier->ids("search=" + escaped(query)) == std::vector<std::int64_t>{id});
    CPPUNIT_ASSERT(_supplier->ids("search=" + escaped("🌹")).empty());
}

/// macOS types and names files decomposed. Names are kept as they came.
TEST(ProductSearchTest, aTextIsFoundHoweverItsCharactersArePutTogether) {
    struct Text {
        const char* composed;
        const char* decomposed;
    };
    const std::vector<Text> texts{
        {"\uD55C\uAD6D", "\u1112\u1161\u11AB\u1100\u116E\u11A8"}, // Hangul
        {"Caf\u00E9 noir", "Cafe\u0301 noir"},
        {"Vi\u1EC7t", "Vie\u0323\u0302t"},
        {"\u0447\u0430\u0439", "\u0447\u0430\u0438\u0306"},       // Cyrillic short i
        {"\u0622\u0633", "\u0627\u0653\u0633"},                   // Arabic alef with madda
        {"\u0B95\u0BCA\u0B95", "\u0B95\u0BC6\u0BBE\u0B95"},       // Tamil o
        {"\u0995\u09CB\u0995", "\u0995\u09C7\u09BE\u0995"},       // Bengali o
        {"\u30AC\u30FC\u30D9", "\u30AB\u3099\u30FC\u30D8\u3099"}, // Katakana, voiced
        {"\u090A\u0958", "\u090A\u0915\u093C"},                   // Devanagari qa, which nothing composes
    };
    for (const auto& [composed, decomposed] : texts) {
        SupplierClient supplier;
        const std::int64_t one = supplier.create({{"name", std::string("Z ") + composed}})["id"];
        const std::int64_t other = supplier.create({{"name", "z"}, {"sku", decomposed}})["id"];
        supplier.create({{"name", "Rosa"}});
        const std::vector<std::int64_t> both{other, one};
        for (const char* term : {composed, decomposed})
            CPPUNIT_ASSERT_MESSAGE(escaped(term), supplier.ids("search=" + escaped(term)) == both);
    }
}

/// The database's LIKE finds what has these characters: the difference is in plugins/catalog/src/index/README.md.
TEST(ProductSearchTest, aTermOfNothingThatAnybodySeesIsNoSearch) {
    const std::int64_t plain = _supplier->create({{"name", "Rose red"}})["id"];
    const std::int64_t hyphened = _supplier->create({{"name", "Ro\u00ADse"}})["id"];
    const std::vector<std::int64_t> both{hyphened, plain};
    for (const char* term : {"\u00AD", "\u00AD\u00AD", " ", "\u200B", "\uFEFF \u00AD", "\u0301"})
        CPPUNIT_ASSERT_MESSAGE(escaped(term), _supplier->ids("search=" + escaped(term)) == both);
    // Among others a soft hyphen is a character.
    for (const char* term : {"o\u00ADs", "o\u00AD", "\u00ADs"})
        CPPUNIT_ASSERT_MESSAGE(escaped(term),
                               _supplier->ids("search=" + escaped(term)) == std::vector<std::int64_t>{hyphened});
    CPPUNIT_ASSERT(_supplier->ids("search=ros") == std::vector<std::int64_t>{plain});
}

TEST(ProductSearchTest, escapeCharacterOfThePatternIsLiteralToo) {
    const std::int64_t bar = _supplier->create({{"name", "a|%b"}})["id"];
    _supplier->create({{"name", "axb"}});
    CPPUNIT_ASSERT(_supplier->ids("search=" + escaped("|%")) == std::vector<std::int64_t>{bar});
    CPPUNIT_ASSERT(_supplier->ids("search=" + escaped("|")) == std::vector<std::int64_t>{bar});
}

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
