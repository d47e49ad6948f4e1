#include "NaiveCatalog.h"
#include "ScriptSamples.h"
#include "index/CatalogIndex.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;
using Ids = std::vector<std::int64_t>;

namespace {

constexpr int NAMES = 1'600;
constexpr int TERMS = 10'000;
/// So many of them are also sought one by one in the weights of each name.
constexpr int EVERY = 100;

std::string fromHex(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
}

} // namespace

/// The index against the database, on names of many scripts.
class CollationTest : public CppUnit::TestFixture {
protected:
    struct Name {
        std::string text;
        std::string weights;
        std::string sku;
        std::string skuWeights;
    };
    struct Samples {
        std::vector<Name> names;
        std::map<std::int64_t, Name> terms;
        std::map<std::string, std::string> weightsOfCharacters;
    };

    static TestDatabase& database() {
        static TestDatabase instance;
        return instance;
    }

    static std::string collated(const std::string& text) {
        return "CONVERT(" + database().quote(text) + " USING utf8mb4) COLLATE utf8mb4_unicode_520_ci";
    }

    static std::string weightsOf(const std::string& text) {
        return fromHex(database().text("SELECT HEX(WEIGHT_STRING(" + collated(text) + "))"));
    }

    static const Samples& samples() {
        static const Samples instance = makeSamples();
        return instance;
    }

    static Samples makeSamples() {
        database().exec("CREATE TABLE names (id BIGINT PRIMARY KEY, name VARCHAR(255) NOT NULL, sku VARCHAR(64) NULL, "
                        "KEY by_name (name, id)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci");
        database().exec("CREATE TABLE terms (id BIGINT PRIMARY KEY, term VARCHAR(100) NOT NULL, pattern VARCHAR(220) "
                        "NOT NULL) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci");
        database().exec("CREATE TABLE characters (c VARCHAR(1) COLLATE utf8mb4_unicode_520_ci NOT NULL, "
                        "b VARBINARY(4) PRIMARY KEY) DEFAULT CHARSET=utf8mb4");
        ScriptSamples scripts(2'026);
        Samples samples;
        std::set<std::string> characters;
        std::string rows;
        for (int i = 1; i <= NAMES; ++i) {
            Name name{scripts.name(), {}, i % 5 == 0 ? std::string() : scripts.sku(), {}};
            for (const std::string& character : charactersOf(name.text))
                characters.insert(character);
            rows += (rows.empty() ? "(" : ", (") + std::to_string(i) + ", " + database().quote(name.text) + ", " +
                    (name.sku.empty() ? "NULL" : database().quote(name.sku)) + ")";
            samples.names.push_back(name);
        }
        database().exec("INSERT INTO names VALUES " + rows);
        rows.clear();
        for (int i = 1; i <= TERMS; ++i) {
            const Name& name = samples.names[static_cast<std::size_t>(i % NAMES)];
            const std::string term = scripts.term(i % 9 == 0 && !name.sku.empty() ? name.sku : name.text);
            for (const std::string& character : charactersOf(term))
                characters.insert(character);
            rows += (rows.empty() ? "(" : ", (") + std::to_string(i) + ", " + database().quote(term) + ", " +
                    database().quote(patternOf(term)) + ")";
            samples.terms[i].text = term;
        }
        database().exec("INSERT INTO terms VALUES " + rows);
        rows.clear();
        for (const std::string& character : characters)
            rows +=
                (rows.empty() ? "(" : ", (") + database().quote(character) + ", " + database().quote(character) + ")";
        database().exec("INSERT INTO characters VALUES " + rows);

        for (const TestRow& row :
             database().query("SELECT id, HEX(WEIGHT_STRING(name)), HEX(WEIGHT_STRING(sku)) FROM names")) {
            Name& name = samples.names[static_cast<std::size_t>(std::stoll(*row[0]) - 1)];
            name.weights = fromHex(*row[1]);
            name.skuWeights = fromHex(row[2].value_or(""));
        }
        for (const TestRow& row : database().query("SELECT id, HEX(WEIGHT_STRING(term)) FROM terms"))
            samples.terms.at(std::stoll(*row[0])).weights = fromHex(*row[1]);
        for (const TestRow& row : database().query("SELECT HEX(b), HEX(WEIGHT_STRING(c)) FROM characters"))
            samples.weightsOfCharacters[fromHex(*row[0])] = fromHex(*row[1]);
        return samples;
    }

    static std::string patternOf(const std::string& term) {
        std::string pattern = "%";
        for (const char c : term) {
            if (c == '%' || c == '_' || c == '|')
                pattern += '|';
            pattern += c;
        }
        return pattern + '%';
    }

    static const CatalogIndex& index() {
        static const std::unique_ptr<CatalogIndex> instance = [] {
            auto made = std::make_unique<CatalogIndex>();
            std::vector<IndexedProduct> products;
            for (const Name& name : samples().names) {
                IndexedProduct product;
                product.id = static_cast<std::int64_t>(products.size()) + 1;
                product.texts = {name.weights, {}};
                if (!name.sku.empty())
                    product.texts->skus.push_back({name.skuWeights, 0});
                products.push_back(product);
            }
            made->apply(products, {}, 1);
            return made;
        }();
        return *instance;
    }

    static Ids containing(const std::string& weights) {
        Ids ids;
        for (std::size_t i = 0; i < samples().names.size(); ++i)
            if (containsWeights(samples().names[i].weights, weights) ||
                (!samples().names[i].sku.empty() && containsWeights(samples().names[i].skuWeights, weights)))
                ids.push_back(static_cast<std::int64_t>(i) + 1);
        return ids;
    }

    /// Empty when nothing tells why LIKE does not find the term in this name.
    static std::string reasonFor(const std::string& term, const Name& name) {
        const auto has = [](const std::string& text, bool several) {
            const auto characters = charactersOf(text);
            return std::any_of(characters.begin(), characters.end(), [&](const std::string& character) {
                const auto units = WeightAlphabet::unitsOf(samples().weightsOfCharacters.at(character));
                return several ? units.size() > 1 : units.empty();
            });
        };
        if (has(term, false))
            return "a character without weight in the term";
        if (has(name.text, false))
            return "a character without weight in the name";
        if (has(term, true))
            return "a character of several weights in the term";
        return has(name.text, true) ? "a character of several weights in the name" : "";
    }

    static Ids idsBy(const std::string& sql) {
        (void)samples();
        Ids ids;
        for (const TestRow& row : database().query(sql))
            ids.push_back(std::stoll(*row[0]));
        return ids;
    }

    static Ids idsOf(const IndexedPage& page) {
        Ids ids;
        for (const auto& item : page.items)
            ids.push_back(item.id);
        return ids;
    }
};

TEST(CollationTest, theColumnsHaveTheCollationThatTheIndexKnows) {
    std::ifstream file(sourcePath("plugins/catalog/migrations/0001_products.sql"));
    const std::string sql{std::istreambuf_iterator<char>(file), {}};
    const auto table = sql.find("CREATE TABLE products (");
    CPPUNIT_ASSERT(table != std::string::npos);
    const auto end = sql.find(';', sql.find(") ENGINE", table));
    CPPUNIT_ASSERT(sql.substr(table, end - table).ends_with("COLLATE=utf8mb4_unicode_520_ci"));
    CPPUNIT_ASSERT(weightsOf(" ") == weightString({WeightAlphabet::SPACE >> 16U}));
    for (const auto& [character, weights] : samples().weightsOfCharacters) {
        const auto units = WeightAlphabet::unitsOf(weights);
        for (std::size_t i = 0; i + 1 < units.size(); ++i)
            CPPUNIT_ASSERT_MESSAGE(character, units[i] % 0x10000 == 0);
    }
}

TEST(CollationTest, weightsOfATextAreThoseOfItsCharacters) {
    for (const Name& name : samples().names) {
        std::string expected;
        for (const std::string& character : charactersOf(name.text))
            expected += samples().weightsOfCharacters.at(character);
        CPPUNIT_ASSERT_MESSAGE(name.text, expected == name.weights);
    }
}

TEST(CollationTest, namesAreInTheOrderOfTheDatabase) {
    const Ids expected = idsBy("SELECT id FROM names FORCE INDEX (by_name) ORDER BY name, id");
    const IndexedPage page = index().page({}, {OrderBy::Name, false}, 0, NAMES);
    CPPUNIT_ASSERT(idsOf(page) == expected);
    const Ids turned = idsBy("SELECT id FROM names FORCE INDEX (by_name) ORDER BY name DESC, id DESC");
    CPPUNIT_ASSERT(idsOf(index().page({}, {OrderBy::Name, true}, 0, NAMES)) == turned);
}

TEST(CollationTest, aPositionLiesWhereTheDatabasePutsIt) {
    // Names that no product has, too.
    std::ostringstream sql;
    sql << "SELECT t.id, COUNT(n.id) FROM terms t LEFT JOIN names n ON n.name > t.term OR (n.name = t.term AND "
           "n.id > 300) GROUP BY t.id";
    std::map<std::int64_t, std::int64_t> expected;
    for (const TestRow& row : database().query(sql.str()))
        expected[std::stoll(*row[0])] = std::stoll(*row[1]);
    CPPUNIT_ASSERT_EQUAL(samples().terms.size(), expected.size());
    for (const auto& [id, term] : samples().terms) {
        const auto page = index().pageAfter({}, {OrderBy::Name, false}, {0, term.weights, 300}, NAMES);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(term.text, expected[id], static_cast<std::int64_t>(page.items.size()));
    }
}

/// More it may find only where a character has no weight, or several, so that LIKE, which compares character by
/// character, sees a difference that ORDER BY and = do not see.
TEST(CollationTest, searchFindsWhatLikeFindsAndMoreOnlyForAReason) {
    std::map<std::int64_t, Ids> liked;
    database().exec("SET SESSION group_concat_max_len = 1000000");
    for (const TestRow& row :
         database().query("SELECT t.id, GROUP_CONCAT(n.id ORDER BY n.id) FROM terms t JOIN names n "
                          "ON n.name LIKE t.pattern ESCAPE '|' OR n.sku LIKE t.pattern ESCAPE '|' GROUP BY t.id")) {
        std::istringstream list(*row[1]);
        for (std::string id; std::getline(list, id, ',');)
            liked[std::stoll(*row[0])].push_back(std::stoll(id));
    }
    std::size_t same = 0;
    std::size_t matches = 0;
    std::map<std::string, int> differences;
    for (const auto& [id, term] : samples().terms) {
        IndexFilter filter;
        filter.searchWeights = {term.weights};
        const Ids found = idsOf(index().page(filter, {OrderBy::Id, false}, 0, NAMES));
        const Ids& byLike = liked[id];
        CPPUNIT_ASSERT_MESSAGE(term.text, std::includes(found.begin(), found.end(), byLike.begin(), byLike.end()));
        matches += byLike.size();
        same += found == byLike ? 1 : 0;
        if (id % EVERY == 0)
            CPPUNIT_ASSERT_MESSAGE(term.text, found == containing(term.weights));
        Ids more;
        std::set_difference(found.begin(), found.end(), byLike.begin(), byLike.end(), std::back_inserter(more));
        for (const std::int64_t name : more)
            ++differences[reasonFor(term.text, samples().names[static_cast<std::size_t>(name - 1)])];
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, differences.count(""));
    CPPUNIT_ASSERT(same > samples().terms.size() / 2 && matches > samples().terms.size());
    std::printf("(%zu of %zu searches as LIKE; found beyond it: ", same, samples().terms.size());
    for (const auto& [reason, count] : differences)
        std::printf("%d for %s; ", count, reason.c_str());
    std::printf(") ");
}

TEST(CollationTest, whereSearchDiffersFromLike) {
    struct Case {
        const char* name;
        const char* term;
        bool byLike;
        bool bySearch;
    };
    const std::vector<Case> cases{// Marks have no weight, however a letter is put together.
                                  {"Cafe\u0301", "caf\u00e9", true, true},
                                  {"Caf\u00e9", "cafe\u0301", false, true},
                                  {"Cafe\u0301 noir", "fe n", false, true},
                                  {"Rose", "ro\u200bse", false, true},
                                  {"Ro\u200dse", "rose", false, true},
                                  // One character that sorts as several.
                                  {"Stra\u00dfe", "strasse", false, true},
                                  {"Strasse", "stra\u00dfe", false, true},
                                  {"Gro\u00df", "s", false, true},
                                  {"\ufb01cus", "fi", false, true},
                                  {"\u00c6gir", "aeg", false, true},
                                  {"5 \u338f", "kg", false, true},
                                  {"Rosa\u2026", "...", false, true},
                                  // The same for both.
                                  {"\u304c", "\u304b", true, true},
                                  {"\u30ab", "\u304b", true, true},
                                  {"\u0130ris", "iris", true, true},
                                  {"I\u015f\u0131k", "isik", false, false},
                                  {"Ro\u00adse", "rose", false, false},
                                  {"\U0001f339", "\U0001f490", false, false}};
    for (const auto& [name, term, byLike, bySearch] : cases) {
        const std::string what = std::string(name) + " " + term;
        const std::string sql = "SELECT " + collated(name) + " LIKE CONCAT('%', " + collated(term) + ", '%')";
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, byLike, database().integer(sql) == 1);
        CatalogIndex one;
        IndexedProduct product;
        product.id = 1;
        product.texts = {weightsOf(name), {}};
        one.apply(std::vector<IndexedProduct>{product}, {}, 1);
        IndexFilter filter;
        filter.searchWeights = {weightsOf(term)};
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, bySearch, one.page(filter, {}, 0, 1).total == 1);
    }
}

} // namespace supplierd::tests
