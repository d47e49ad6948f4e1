#include "InventoryFixture.h"
#include "tests/support/Numbers.h"
#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr int PRODUCTS = 20'000;

using Statements = std::vector<std::string>;

std::string joined(const Statements& statements) {
    std::string text;
    for (const std::string& statement : statements)
        text += statement + "\n";
    return text;
}

} // namespace

/// What a bulk request costs the database, on a server of its own.
class StatementsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        FaultOptions options;
        options.pluginFiles = {ServerProcess::pluginFile("inventory")};
        _fixture = std::make_unique<FaultFixture>(options);
        _client = std::make_unique<HttpClient>(_fixture->client());
        const std::string supplier = std::to_string(_fixture->supplier().id());
        TestDatabase& database = _fixture->database();
        database.exec(
            "INSERT INTO products (supplier_id, name, sku, category_id, base_price, unit, change_seq) SELECT " +
            supplier + ", 'Tulipa', CONCAT('F-', seq), (SELECT id FROM categories LIMIT 1), 1, 1, 1 FROM " +
            numbersTo(PRODUCTS));
        database.exec(
            "INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) SELECT supplier_id, LOWER(sku), sku, id "
            "FROM products");
        database.exec(
            "INSERT INTO product_variants (product_id, name, sku) SELECT id, '60 cm', CONCAT('V', sku) FROM products");
        database.exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id) SELECT " +
                      supplier + ", LOWER(sku), sku, product_id, id FROM product_variants");
        _first = database.integer("SELECT MIN(id) FROM products");
    }
    void tearDown() override {
        _client.reset();
        _fixture.reset();
    }

protected:
    json byId(int count, const std::string& field, int value) const {
        json items = json::array();
        for (int i = 0; i < count; ++i)
            items.push_back({{"product_id", _first + i * (PRODUCTS / 500)}, {field, value}});
        return items;
    }

    static json bySku(int count, const std::string& prefix, const std::string& field, int value) {
        json items = json::array();
        for (int i = 0; i < count; ++i)
            items.push_back({{"sku", prefix + std::to_string(1 + i * (PRODUCTS / 500))}, {field, value}});
        return items;
    }

    void post(const std::string& path, const json& items) { bulk(*_client, path, items); }

    void requireStatements(const Statements& expected, const std::string& path, const json& items) {
        TestDatabase& database = _fixture->database();
        // Whatever a session does once, and the key's last use, is behind it then.
        post(path, {{{"sku", "warm-up"}, {items[0].contains("stock_qty") ? "stock_qty" : "base_price", 1}}});
        database.exec("TRUNCATE mysql.general_log; SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = 1");
        post(path, items);
        database.exec("SET GLOBAL general_log = 0");
        Statements found;
        // Of the request's session: the server's own work goes on beside it.
        for (const TestRow& row :
             database.query("SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log "
                            "WHERE command_type IN ('Query', 'Execute') AND thread_id IN (SELECT thread_id FROM "
                            "mysql.general_log WHERE argument LIKE 'START TRANSACTION%') ORDER BY event_time")) {
            const std::string statement = row[0]->substr(row[0]->find_first_not_of(" \n"));
            for (const char* known :
                 {"START TRANSACTION", "SELECT STRAIGHT_JOIN", "UPDATE supplier_state", "UPDATE products FORCE",
                  "UPDATE product_variants FORCE", "INSERT INTO", "COMMIT", "ROLLBACK", "UPDATE", "DELETE", "SELECT"})
                if (statement.starts_with(known)) {
                    found.emplace_back(known);
                    break;
                }
        }
        // What comes before the transaction, and behind its end, may be the server's own work with the same session.
        const auto isEnd = [](const std::string& one) { return one == "COMMIT" || one == "ROLLBACK"; };
        found.erase(std::find_if(found.rbegin(), found.rend(), isEnd).base(), found.end());
        found.erase(found.begin(), std::find(found.begin(), found.end(), "START TRANSACTION"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path + " with " + std::to_string(items.size()) + " items", joined(expected),
                                     joined(found));
    }

    void requireRowsRead(int count, const std::string& path, const json& items) {
        const std::int64_t before = rowsRead();
        const std::int64_t ofLooking = rowsRead() - before;
        post(path, items);
        const std::int64_t read = rowsRead() - before - 2 * ofLooking;
        // JSON_TABLE's rows, the SKUs, products and variants that are looked up, and those that are written.
        CPPUNIT_ASSERT_MESSAGE(std::to_string(read) + " rows for " + std::to_string(count) + " items",
                               read <= 60 + 10 * count);
    }

    std::int64_t rowsRead() { return status("HANDLER\\_READ\\_%"); }

    /// The sum of the counters.
    std::int64_t status(const std::string& names) {
        return _fixture->database().integer(
            "SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS "
            "WHERE VARIABLE_NAME LIKE '" +
            names + "'");
    }

    std::unique_ptr<FaultFixture> _fixture;
    std::unique_ptr<HttpClient> _client;
    std::int64_t _first = 0;
};

TEST(StatementsTest, asManyStatementsForOneItemAsForFiveHundred) {
    // The operation first; last its entry in the audit log, and that in the change log.
    const Statements plainById{
        "START TRANSACTION", "INSERT INTO", "UPDATE supplier_state", "UPDATE products FORCE", "INSERT INTO",
        "INSERT INTO",       "COMMIT"};
    Statements plainBySku = plainById;
    plainBySku.insert(plainBySku.begin() + 2, "SELECT STRAIGHT_JOIN");
    // Those that are no plain values of products are seen so by the first look, if it comes to that.
    Statements withVariants = plainBySku;
    withVariants.insert(withVariants.begin() + 3, "SELECT STRAIGHT_JOIN");
    withVariants.insert(withVariants.begin() + 6, "UPDATE product_variants FORCE");
    for (const int count : {1, 7, 100, 500}) {
        requireStatements(plainById, "/stock", byId(count, "stock_qty", 1));
        requireStatements(plainBySku, "/stock", bySku(count, "F-", "stock_qty", 2));
        requireStatements(plainById, "/prices", byId(count, "base_price", 3));
        // The SKUs were looked up before; whether the products still have them, the statement itself sees.
        requireStatements(plainById, "/prices", bySku(count, "F-", "base_price", 4));
        requireStatements(withVariants, "/stock", bySku(count, "VF-", "stock_qty", 5));
        requireStatements(withVariants, "/prices", bySku(count, "VF-", "base_price", 6));
        json mixed = byId(count, "stock_qty", 7);
        mixed[0]["adjust"] = true;
        if (count > 3) {
            mixed[1]["stock_qty"] = -1;
            mixed[2]["sku"] = "NONE";
            mixed[3]["expected_stock_qty"] = 999;
        }
        requireStatements(plainBySku, "/stock", mixed);
    }
}

TEST(StatementsTest, nothingIsLockedWhenNothingChanges) {
    const Statements looking{"START TRANSACTION", "INSERT INTO", "SELECT STRAIGHT_JOIN", "COMMIT"};
    Statements lookingTwice = looking;
    lookingTwice.insert(lookingTwice.begin() + 2, "SELECT STRAIGHT_JOIN");
    json expecting = byId(500, "stock_qty", 0);
    for (json& item : expecting)
        item["expected_stock_qty"] = 0;
    requireStatements(looking, "/stock", expecting);
    requireStatements(lookingTwice, "/stock", bySku(5, "NONE", "stock_qty", 5));
    // Plain values are looked at once the supplier has sent what was so already.
    const Statements lookingAtPlain{"START TRANSACTION", "INSERT INTO", "SELECT", "COMMIT"};
    const Statements givingBack{
        "START TRANSACTION",     "INSERT INTO", "UPDATE supplier_state", "UPDATE products FORCE", "SELECT",
        "UPDATE supplier_state", "COMMIT"};
    post("/stock", byId(500, "stock_qty", 9));
    requireStatements(givingBack, "/stock", byId(500, "stock_qty", 9));
    requireStatements(lookingAtPlain, "/stock", byId(500, "stock_qty", 9));
    requireStatements({}, "/stock", byId(500, "stock_qty", -1));
}

TEST(StatementsTest, onlyRowsThatItemsNameAreRead) {
    for (const bool analysed : {false, true}) {
        if (analysed)
            _fixture->database().query("ANALYZE TABLE products, product_skus, product_variants");
        for (const int count : {1, 20, 500}) {
            requireRowsRead(count, "/stock", byId(count, "stock_qty", analysed ? 1 : 2));
            requireRowsRead(count, "/stock", bySku(count, "F-", "stock_qty", analysed ? 3 : 4));
            requireRowsRead(count, "/stock", bySku(count, "VF-", "stock_qty", analysed ? 5 : 6));
            requireRowsRead(count, "/prices", bySku(count, "F-", "base_price", analysed ? 7 : 8));
        }
    }
}

TEST(StatementsTest, fewStatementsArePreparedForAnyNumberOfItems) {
    post("/stock", byId(500, "stock_qty", 1));
    const std::int64_t before = status("COM_STMT_PREPARE");
    for (int count = 1; count <= 500; count += 7)
        post("/stock", byId(count, "stock_qty", count + 1));
    CPPUNIT_ASSERT_MESSAGE("a statement for each number of items", status("COM_STMT_PREPARE") - before < 40);
}

} // namespace supplierd::tests
