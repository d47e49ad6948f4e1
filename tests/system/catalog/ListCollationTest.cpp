#include "tests/plugins/catalog/index/ScriptSamples.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"

#include <supplierd/Validation.h>

#include <Poco/URI.h>

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

using Ids = std::vector<std::int64_t>;

constexpr int NAMES = 1'500;

int wantedQueries() {
    const char* const given = std::getenv("SUPPLIERD_TEST_QUERIES");
    return given != nullptr ? std::atoi(given) : 1'000;
}

/// Products of names in many scripts, written past the server.
struct ScriptedProducts {
    ServerFixture server{{.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n"}};
    SupplierClient supplier{{.name = "Supplier of many scripts"}, server};
    ScriptSamples samples{1'126};
    std::vector<std::string> texts;

    ScriptedProducts() {
        TestDatabase& database = server.database();
        const std::string owner = std::to_string(supplier.id());
        std::string rows;
        for (int i = 1; i <= NAMES; ++i) {
            const std::string name = samples.name();
            const std::string sku = i % 5 == 0 ? std::string() : samples.sku();
            texts.push_back(i % 9 == 0 && !sku.empty() ? sku : name);
            rows += (rows.empty() ? "(" : ", (") + owner + ", " + database.quote(name) + ", " +
                    (sku.empty() ? "NULL" : database.quote(sku)) + ", " + std::to_string(server.category()) + ", " +
                    std::to_string(i % 7) + ", 1, " + std::to_string(i % 11) + ", " + std::to_string(i % 3 == 0) +
                    ", " + std::to_string(i % 2) + ", " + std::to_string(i) + ")";
        }
        database.exec(
            "INSERT INTO products (supplier_id, name, sku, category_id, base_price, unit, stock_qty, approval, "
            "type, change_seq) VALUES " +
            rows);
        database.exec("UPDATE supplier_state SET change_seq = " + std::to_string(NAMES) +
                      " WHERE supplier_id = " + owner);
    }
};

/// As it is, composed and decomposed.
std::set<std::string> formsOf(const std::string& text) {
    std::set<std::string> forms{text};
    for (const auto form : {utf8proc_NFC, utf8proc_NFD}) {
        utf8proc_uint8_t* const other = form(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
        forms.insert(reinterpret_cast<const char*>(other));
        std::free(other); // NOLINT(cppcoreguidelines-no-malloc): a C library gave it
    }
    return forms;
}

/// The 16-bit weights of a text that the database gives in hexadecimal digits.
bool containsWeights(const std::string& text, const std::string& term) {
    for (std::size_t at = text.find(term); at != std::string::npos; at = text.find(term, at + 1))
        if (at % 4 == 0)
            return true;
    return term.empty();
}

} // namespace

/// Searching, sorting and filtering over HTTP against what the database itself says.
/// SUPPLIERD_TEST_QUERIES: so many questions.
class ListCollationTest : public CppUnit::TestFixture {
protected:
    static constexpr int _perPage = 20;

    static ScriptedProducts& products() {
        static ScriptedProducts instance;
        return instance;
    }
    static TestDatabase& database() { return products().server.database(); }
    static std::string ownProducts() { return "supplier_id = " + std::to_string(products().supplier.id()); }
    static std::string quoted(const std::string& text) { return database().quote(text); }
    std::size_t number(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(_random); }

    /// Any page of any order of these.
    void requirePage(const std::string& query, const std::string& where) {
        static const std::vector<std::string> KEYS{"id", "name", "base_price", "stock_qty", "updated_at"};
        const std::string& key = KEYS[number(KEYS.size())];
        const bool isDescending = number(2) == 0;
        const std::string direction = isDescending ? " DESC" : "";
        const auto total = database().integer("SELECT COUNT(*) FROM products WHERE " + where);
        const auto page = number(static_cast<std::size_t>(total / _perPage + 1));
        const Ids expected = idsOfRows(database().query(
            "SELECT id FROM products WHERE " + where + " ORDER BY " + key + direction + ", id" + direction + " LIMIT " +
            std::to_string(_perPage) + " OFFSET " + std::to_string(page * _perPage)));
        const std::string whole =
            query + "&sort=" + (isDescending ? "-" : "") + key + "&page=" + std::to_string(page + 1);
        const auto data = products().supplier.list(whole);
        CPPUNIT_ASSERT_MESSAGE(whole, expected == idsOf(data.at("products")));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(whole, total, data.at("pagination").at("total_items").get<std::int64_t>());
    }

    /// Those whose weights, as the database gives them, have those of the term in one of its forms in them.
    static Ids idsBySearch(const std::string& term) {
        struct Weights {
            std::int64_t id;
            std::string name;
            std::string sku;
        };
        static const std::vector<Weights> ALL = [] {
            std::vector<Weights> all;
            for (const TestRow& row :
                 database().query("SELECT id, HEX(WEIGHT_STRING(name)), HEX(WEIGHT_STRING(sku)) FROM products WHERE " +
                                  ownProducts() + " ORDER BY id"))
                all.push_back({std::stoll(row[0].value()), row[1].value(), row[2].value_or("none")});
            return all;
        }();
        std::set<std::string> wanted;
        for (const std::string& form : formsOf(term))
            wanted.insert(database().text("SELECT HEX(WEIGHT_STRING(CONVERT(" + quoted(form) +
                                          " USING utf8mb4) COLLATE utf8mb4_unicode_520_ci))"));
        Ids ids;
        for (const Weights& weights : ALL)
            if (std::any_of(wanted.begin(), wanted.end(), [&](const std::string& form) {
                    return containsWeights(weights.name, form) || containsWeights(weights.sku, form);
                }))
                ids.push_back(weights.id);
        return ids;
    }

    static std::string escaped(const std::string& term) {
        std::string text;
        for (const char c : term) {
            if (c == '%' || c == '_' || c == '|')
                text += '|';
            text += c;
        }
        return text;
    }

    static Ids idsOfRows(const std::vector<TestRow>& rows) {
        Ids ids;
        for (const TestRow& row : rows)
            ids.push_back(std::stoll(row[0].value()));
        return ids;
    }

    std::mt19937 _random{2'026};
};

TEST(ListCollationTest, listsAreThoseOfTheDatabase) {
    for (int i = wantedQueries() / 4; i > 0; --i) {
        std::string where = ownProducts();
        std::string query = "per_page=" + std::to_string(_perPage);
        if (number(3) == 0) {
            where += " AND state = 1";
            query += "&status=active";
        }
        if (number(3) == 0) {
            where += " AND type = 1";
            query += "&type=supply";
        }
        requirePage(query, where);
    }
}

TEST(ListCollationTest, searchFindsWhatLikeFindsAndMoreOnlyByItsWeights) {
    int asked = 0;
    int same = 0;
    std::size_t matches = 0;
    int refused = 0;
    while (asked < wantedQueries()) {
        auto& texts = products().texts;
        const std::string term = products().samples.term(texts[number(texts.size())]);
        if (trimmed(term) != term)
            continue; // they would be taken off
        std::string encoded;
        Poco::URI::encode(term, "!#$%&'()*+,/:;=?@[]\\|^`{}<>\"~ ", encoded);
        const std::string query = "search=" + encoded + "&per_page=100";
        const HttpResponse response = products().supplier.get("/products?" + query + "&sort=id");
        if (response.status == 422) {
            ++refused; // a character that no text may have
            continue;
        }
        ++asked;
        const Ids byWeights = idsBySearch(term);
        const auto data = dataOf(response);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(term, static_cast<std::int64_t>(byWeights.size()),
                                     data.at("pagination").at("total_items").get<std::int64_t>());
        const Ids first(byWeights.begin(),
                        byWeights.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(100, byWeights.size())));
        CPPUNIT_ASSERT_MESSAGE(term, first == idsOf(data.at("products")));
        const std::string pattern = quoted("%" + escaped(term) + "%");
        const Ids byLike =
            idsOfRows(database().query("SELECT id FROM products WHERE " + ownProducts() + " AND (name LIKE " + pattern +
                                       " ESCAPE '|' OR sku LIKE " + pattern + " ESCAPE '|') ORDER BY id"));
        CPPUNIT_ASSERT_MESSAGE(term, std::includes(byWeights.begin(), byWeights.end(), byLike.begin(), byLike.end()));
        same += byLike == byWeights ? 1 : 0;
        matches += byWeights.size();
        if (!byWeights.empty() && asked % 3 == 0) {
            std::string list;
            for (const std::int64_t id : byWeights)
                list += (list.empty() ? "" : ", ") + std::to_string(id);
            requirePage("search=" + encoded + "&per_page=" + std::to_string(_perPage), "id IN (" + list + ")");
        }
    }
    std::cerr << "\n(" << asked << " searches, " << same << " as LIKE, " << matches << " products found, " << refused
              << " refused) ";
    CPPUNIT_ASSERT(same > asked / 2 && matches > static_cast<std::size_t>(asked));
}

} // namespace supplierd::tests
