#include "tests/plugins/catalog/index/ScriptSamples.h"
#include "tests/support/Numbers.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <supplierd/Validation.h>

#include <Poco/URI.h>

#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr int NAMES = 2'000;
constexpr int SEARCHES = 400;

ServerOptions serverWithMemory(const std::string& memory) {
    ServerOptions options;
    options.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n[server]\nmemory = \"" + memory + "\"\n";
    return options;
}

std::string encoded(const std::string& term) {
    std::string text;
    Poco::URI::encode(term, "!#$%&'()*+,/:;=?@[]\\|^`{}<>\"~ ", text);
    return text;
}

} // namespace

/// A search shows the same whether a server has the catalog in memory or not.
class ListSearchTest : public CppUnit::TestFixture {
protected:
    /// Names and SKUs of many scripts, some of variants, and so many long ones that they take more than the bound.
    void fill() {
        const std::string owner = std::to_string(_supplier);
        std::string rows;
        for (int i = 0; i < NAMES; ++i) {
            _texts.push_back(i < static_cast<int>(ODD.size()) ? ODD[static_cast<std::size_t>(i)] : _samples.name());
            const std::string sku = i % 5 == 0 ? std::string() : _samples.sku();
            rows += (rows.empty() ? "(" : ", (") + owner + ", " + _database.quote(_texts.back()) + ", " +
                    (sku.empty() ? "NULL" : _database.quote(sku)) + ", " + _category + ", 1, 1, 1)";
            if (i % 9 == 0 && !sku.empty())
                _texts.back() = sku;
        }
        _database.exec("INSERT INTO products (supplier_id, name, sku, category_id, base_price, unit, change_seq) "
                       "VALUES " +
                       rows);
        _database.exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, change_seq) SELECT " +
                       owner + ", CONCAT('rosa ', seq, REPEAT('t', 230)), " + _category + ", 1, 1, 1 FROM " +
                       numbersTo(3800));
        _database.exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) SELECT supplier_id, "
                       "CONCAT(id, 'k'), sku, id FROM products WHERE sku IS NOT NULL AND supplier_id = " +
                       owner);
        _database.exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id) SELECT "
                       "supplier_id, CONCAT(id, 'v'), LEFT(name, 64), id + 1, id FROM products WHERE id MOD 6 = 0 AND "
                       "sku IS NOT NULL AND supplier_id = " +
                       owner);
        _database.exec("UPDATE supplier_state SET change_seq = 1 WHERE supplier_id = " + owner);
    }

    std::vector<std::string> terms() {
        // Bytes of "-a" and "範木" that are no weights of theirs; of the second, no pair of weights.
        std::vector<std::string> terms{"1", "s", "e\u0301", "\u0301", "a\u0301", "\u19C8", "\U00027B40", "ss", "t t"};
        terms.insert(terms.end(), ODD.begin(), ODD.end());
        std::mt19937 random(5);
        while (terms.size() < SEARCHES) {
            const std::string term = _samples.term(_texts[random() % _texts.size()]);
            if (trimmed(term) == term)
                terms.push_back(term);
        }
        return terms;
    }

    const std::vector<std::string> ODD{"-a",
                                       "\u7BC4\u6728",
                                       "Stra\u00DFe",
                                       "Ro\u200Dse",
                                       "Ro\u00ADse",
                                       "Cafe\u0301 noir",
                                       "Caf\u00E9 noir",
                                       "\uD55C\uAD6D",
                                       "\u1112\u1161\u11AB\u1100\u116E\u11A8",
                                       "\u0447\u0430\u0439",
                                       "\u0447\u0430\u0438\u0306",
                                       "\uFDFA",
                                       "50% _|\\",
                                       "(rosa)* [a-z]+ ^.$"};
    TestDatabase _database;
    ScriptSamples _samples{1'126};
    std::int64_t _supplier = 0;
    std::string _category;
    std::vector<std::string> _texts;
};

TEST(ListSearchTest, aSearchOfTheDatabaseIsThatOfMemory) {
    ServerProcess small(_database, serverWithMemory("1MiB"));
    ServerProcess large(_database, serverWithMemory("64MiB"));
    _supplier = small.createSupplier("Supplier of many scripts");
    _category = std::to_string(small.createCategory("Roses"));
    const std::string key = small.createKey(_supplier, {{"hourly_limit", "1000000000"}});
    fill();
    HttpClient fromDatabase = small.client(key);
    HttpClient fromMemory = large.client(key);
    const auto ofDatabase = [&](const ServerProcess& server) {
        return server.metric("supplierd_catalog_lists_from_database_total{reason=\"too_large\"}");
    };
    std::int64_t found = 0;
    int asked = 0;
    for (const std::string& term : terms()) {
        const std::string query =
            "/products?sort=" + std::string(asked % 2 == 0 ? "" : "-") + "id&per_page=100&search=" + encoded(term);
        const HttpResponse expected = fromMemory.get(query);
        if (expected.status == 422)
            continue; // a character that no text may have
        const json there = dataOf(expected);
        const json here = dataOf(fromDatabase.get(query));
        const auto total = there.at("pagination").at("total_items").get<std::int64_t>();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(encoded(term), total, here.at("pagination").at("total_items").get<std::int64_t>());
        CPPUNIT_ASSERT_MESSAGE(encoded(term), idsOf(there.at("products")) == idsOf(here.at("products")));
        found += total;
        ++asked;
    }
    std::cerr << "\n(" << asked << " searches, " << found << " products found) ";
    CPPUNIT_ASSERT(asked > SEARCHES / 2 && found > asked);
    CPPUNIT_ASSERT(ofDatabase(small) >= asked);
    CPPUNIT_ASSERT_EQUAL(0.0, ofDatabase(large));
}

} // namespace supplierd::tests
