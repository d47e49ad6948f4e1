#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Numbers.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace supplierd::tests {

namespace {

/// How far each component's migrations go, by number.
using Numbers = std::map<std::string, int>;

/// Claims of idempotency keys have leases, numbers of changes follow each other without a gap, and products that wait
/// for approval are found among all that are pending. What comes after that expands with the servers' own claims, the
/// runs of the database and an index, and then contracts: without the leases.
const Numbers FORMER{{"core", 11}, {"categories", 2}, {"catalog", 8}, {"orders", 2}};

constexpr int PRODUCTS = 400;

/// As the former release did it: a list by an index, and a new product under an idempotency key, without an
/// entry in the log.
constexpr const char* FORMER_LIST = R"sql(
SELECT COUNT(*) FROM (
    SELECT id FROM products FORCE INDEX (products_listed_by_state)
    WHERE is_of_sandbox = 0 AND state = 0 ORDER BY id DESC LIMIT 100) page
)sql";
constexpr const char* FORMER_WRITE = R"sql(
REPLACE INTO idempotency_keys (scope_hash, body_hash, state, owner, lease_until)
VALUES (UNHEX(SHA2('scope', 256)), UNHEX(SHA2('body', 256)), 'running', RANDOM_BYTES(16), NOW(6) + INTERVAL 60 SECOND);
START TRANSACTION;
UPDATE supplier_state SET change_seq = LAST_INSERT_ID(change_seq + 1) WHERE supplier_id = 1;
INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq)
SELECT 1, 'Former', 1, 1, 0, 3, change_seq FROM supplier_state WHERE supplier_id = 1;
COMMIT
)sql";

std::string beyond(const Numbers& numbers) {
    std::string condition;
    for (const auto& [component, number] : numbers)
        condition += (condition.empty() ? "(component = '" : " OR (component = '") + component + "' AND number > " +
                     std::to_string(number) + ")";
    return condition;
}

} // namespace

/// From the release with those leases, in both steps, each of which leaves the release before it working.
class UpgradeTest : public ControlFixture {
public:
    void setUp() override {
        ControlFixture::setUp();
        layFormerSchema();
        server().createSupplier("Rozenhof");
        server().createCategory("Roses");
        database().exec("INSERT INTO products (supplier_id, name, sku, category_id, base_price, unit, stock_qty, "
                        "change_seq) SELECT 1, CONCAT('Rosa ', seq), CONCAT('R-', seq), 1, 1 + seq MOD 7, 0, "
                        "seq * 7 MOD 100, seq FROM " +
                        numbersTo(PRODUCTS));
        database().exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) "
                        "SELECT supplier_id, LOWER(sku), sku, id FROM products");
        database().exec("UPDATE supplier_state SET change_seq = " + std::to_string(PRODUCTS));
    }

protected:
    std::vector<std::string> plugins() const override { return {"categories", "catalog", "orders", "platform"}; }

    static std::filesystem::path migrationsOf(const std::string& component) {
        const std::filesystem::path source = sourcePath();
        return component == "core" ? source / "host/migrations" : source / "plugins" / component / "migrations";
    }

    /// The tables that the former files make, with the records that the tool leaves of them.
    void layFormerSchema() {
        runWell({"migrate"});
        std::string drop = "SET SESSION foreign_key_checks = 0; DROP TABLE ";
        const char* separator = "";
        for (const auto& row : database().query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
                                                "DATABASE() AND TABLE_NAME NOT LIKE 'schema\\_%'")) {
            drop += separator + *row[0];
            separator = ", ";
        }
        database().exec(drop + "; SET SESSION foreign_key_checks = 1");
        for (const char* component : {"core", "categories", "catalog", "orders"}) {
            std::set<std::filesystem::path> files;
            for (const auto& file : std::filesystem::directory_iterator(migrationsOf(component)))
                if (std::stoi(file.path().filename()) <= FORMER.at(component))
                    files.insert(file.path());
            for (const auto& file : files)
                database().exec(readWholeFile(file));
        }
        database().exec("DELETE FROM schema_migrations WHERE " + beyond(FORMER));
    }

    void startServer() {
        server().start();
        _key = server().createKey(1, {{"hourly_limit", "10000000"}});
    }

    void requireRightLists() {
        HttpClient client = server().client(_key);
        for (const auto& [sort, order] : std::map<std::string, std::string>{
                 {"stock_qty", "stock_qty, id"}, {"-base_price", "base_price DESC, id DESC"}, {"-id", "id DESC"}}) {
            std::string expected;
            for (const auto& row : database().query("SELECT id FROM products WHERE supplier_id = 1 AND deleted = 0 "
                                                    "ORDER BY " +
                                                    order + " LIMIT 100 OFFSET 200"))
                expected += *row[0] + " ";
            const HttpResponse response = client.get("/products?per_page=100&page=3&sort=" + sort);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
            const Json data = response.data();
            std::string found;
            for (const auto& product : data.at("products"))
                found += std::to_string(product.at("id").get<std::int64_t>()) + " ";
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sort, expected, found);
            CPPUNIT_ASSERT_EQUAL(database().integer("SELECT COUNT(*) FROM products"),
                                 data.at("pagination").at("total_items").get<std::int64_t>());
        }
    }

    /// More than any product has: it comes first.
    void requireWriteIsSeen(std::int64_t stock) {
        HttpClient client = server().client(_key);
        const HttpResponse written =
            client.post("/products/" + std::to_string(1 + stock % PRODUCTS), Json{{"stock_qty", stock}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(written.body, 200, written.status);
        const HttpResponse listed = client.get("/products?per_page=1&sort=-stock_qty");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(listed.body, 200, listed.status);
        CPPUNIT_ASSERT_EQUAL(stock, listed.data().at("products").at(0).at("stock_qty").get<std::int64_t>());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{PRODUCTS},
                             listed.data().at("pagination").at("total_items").get<std::int64_t>());
    }

    void requireContracted() {
        CPPUNIT_ASSERT_EQUAL(
            std::string("PRIMARY products_id products_listed products_listed_by_approval products_listed_by_state "
                        "products_of_category"),
            database().text(
                "SELECT GROUP_CONCAT(DISTINCT INDEX_NAME ORDER BY INDEX_NAME SEPARATOR ' ') FROM "
                "information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'products'"));
        CPPUNIT_ASSERT_EQUAL(
            std::int64_t{0},
            database().integer("SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
                               "AND TABLE_NAME = 'idempotency_keys' AND COLUMN_NAME = 'lease_until'"));
    }

    std::string _key;
};

TEST(UpgradeTest, formerReleaseGoesOnBehindTheFirstStep) {
    const CommandResult result = run({"migrate"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_MESSAGE(result.errors,
                           result.errors.find("left for later: core/0017_no_claim_leases") != std::string::npos &&
                               result.errors.find("supplierctl migrate --contract") != std::string::npos);
    // So the package of the new release takes the schema for good and hands the server over.
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, runJson({"migrate", "--plan"}).at("plan").size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, runJson({"migrate", "--plan", "--contract"}).at("plan").size());
    const std::string report = runWell({"doctor"});
    CPPUNIT_ASSERT_MESSAGE(report, report.find("schema: up to date; what only the release before uses is still "
                                               "there") != std::string::npos);
    database().exec(FORMER_WRITE);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, database().integer(FORMER_LIST));
    startServer();
    requireRightLists();
    database().exec(FORMER_WRITE); // beside the new one
    requireRightLists();
}

TEST(UpgradeTest, serverAnswersRightlyWhileTheSecondStepIsMade) {
    runWell({"migrate"});
    startServer();
    requireRightLists();
    std::atomic<bool> isStopped = false;
    std::exception_ptr failure;
    std::atomic<int> rounds = 0;
    std::thread client([&] {
        try {
            for (; !isStopped || rounds < 20; ++rounds)
                requireWriteIsSeen(1'000 + rounds);
        } catch (...) {
            failure = std::current_exception();
        }
    });
    while (rounds < 5 && !failure)
        std::this_thread::yield();
    Json applied;
    try {
        applied = runJson({"migrate", "--contract"}).at("applied");
    } catch (...) {
        failure = failure ? failure : std::current_exception();
    }
    isStopped = true;
    client.join();
    if (failure)
        std::rethrow_exception(failure);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, applied.size());
    requireContracted();
    requireRightLists();
}

TEST(UpgradeTest, bothStepsAtOnce) {
    runWell({"migrate", "--contract"});
    requireContracted();
    startServer();
    requireRightLists();
    requireWriteIsSeen(1'000);
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{PRODUCTS},
        runJson({"supplier", "show", "1"}).at("supplier").at("products").at("pending").get<std::int64_t>());
}

} // namespace supplierd::tests
