#include "tests/support/Numbers.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

struct Supplier {
    std::string id;
    std::string key;
};

ServerOptions serverWith(const std::string& memory) {
    ServerOptions options;
    options.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n[server]\nmemory = \"" + memory + "\"\n";
    return options;
}

/// "VmRSS": what a process has in memory, "VmHWM": the most that it had. In kilobytes.
long memoryOf(pid_t pid, const std::string& which) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(which + ":"))
            return std::stol(line.substr(which.size() + 1));
    return 0;
}

int wantedProducts() {
    const char* const given = std::getenv("SUPPLIERD_TEST_PRODUCTS");
    return given == nullptr ? 100'000 : std::atoi(given);
}

} // namespace

/// What loading a catalog takes beside the catalog.
/// SUPPLIERD_TEST_PRODUCTS=1000000: of so many products (a minute).
class LoadMemoryTest : public CppUnit::TestFixture {
protected:
    static constexpr int PRODUCTS = 60'000;
    static constexpr const char* LIST = "/products?sort=name&per_page=1";

    Supplier newSupplier(ServerProcess& server, int products) {
        if (_category.empty())
            _category = std::to_string(server.createCategory("Roses"));
        const std::int64_t id = server.createSupplier("Supplier");
        const Supplier supplier{std::to_string(id), server.createKey(id, {{"hourly_limit", "1000000000"}})};
        _database.exec(
            "UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = " + supplier.id +
            "; INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq)"
            " SELECT " +
            supplier.id + ", CONCAT('Rosa avalanche ', seq), " + _category +
            ", 1 + seq MOD 70, 1, seq * 31 MOD 50, (SELECT change_seq FROM supplier_state WHERE supplier_id = " +
            supplier.id + ") FROM " + numbersTo(products));
        return supplier;
    }

    /// A variant for each product, and SKUs for both, by their number.
    void addSkus(const Supplier& supplier) {
        const std::string number = "id - (SELECT MIN(id) FROM products WHERE supplier_id = " + supplier.id + ")";
        _database.exec(
            "CREATE TEMPORARY TABLE numbers (id BIGINT PRIMARY KEY, number BIGINT) SELECT id, " + number +
            " AS number FROM products WHERE supplier_id = " + supplier.id +
            "; UPDATE products p JOIN numbers n USING (id) SET p.sku = CONCAT('P-', n.number)"
            "; INSERT INTO product_variants (product_id, sku, name) SELECT id, CONCAT('V-', number), 'Long' FROM "
            "numbers; INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id) SELECT " +
            supplier.id +
            ", LOWER(v.sku), v.sku, v.product_id, v.id FROM product_variants v JOIN numbers n ON n.id = "
            "v.product_id; INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) SELECT " +
            supplier.id + ", CONCAT('p-', number), CONCAT('P-', number), id FROM numbers; DROP TABLE numbers");
    }

    TestDatabase _database;
    std::string _category;
};

TEST(LoadMemoryTest, loadingTakesLittleMoreThanWhatIsLoaded) {
    const int products = wantedProducts();
    ServerProcess server(_database, serverWith("1GiB"));
    const Supplier few = newSupplier(server, 10);
    const Supplier many = newSupplier(server, products);
    addSkus(many);
    requireStatus(200, server.client(few.key).get(LIST)); // what any list takes once
    const long before = memoryOf(server.pid(), "VmRSS");
    while (server.client(many.key).get(LIST).status == 503) // of so many it may take longer
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto loaded = static_cast<long>(server.metric("supplierd_catalog_index_bytes") / 1024);
    const long most = memoryOf(server.pid(), "VmHWM") - before;
    const auto isLittle = [&](long bytes) { return bytes < loaded * 5 / 4 + 4 * 1024; };
    long after = memoryOf(server.pid(), "VmRSS") - before;
    for (int i = 0; i < 20 && !isLittle(after); ++i) { // what is free goes back beside the first list
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        after = memoryOf(server.pid(), "VmRSS") - before;
    }
    std::cerr << "\n(" << products << " products with a variant each take " << loaded << " KB; the server grew by "
              << after << " KB, at most by " << most << "; loaded in "
              << server.metric("supplierd_catalog_index_load_seconds_sum") << " s) ";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CPPUNIT_ASSERT(isLittle(after));
    CPPUNIT_ASSERT(most < loaded * 7 / 4 + 12 * 1024);
#endif
    for (const char* sku : {"v-77", "p-77"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            sku, std::size_t{1},
            idsOf(dataOf(server.client(many.key).get("/products?sku=" + std::string(sku))).at("products")).size());
    CPPUNIT_ASSERT_EQUAL(Json(1),
                         dataOf(server.client(many.key).get("/products?search=v-" + std::to_string(products - 1)))
                             .at("pagination")
                             .at("total_items"));
}

/// Two at a time, and neither of them fits beside the other one.
TEST(LoadMemoryTest, catalogsThatAreLoadedTogetherStayWithinTheBound) {
    constexpr int BOUND = PRODUCTS * 140;
    ServerProcess server(_database, serverWith(std::to_string(BOUND)));
    const std::vector<Supplier> suppliers{newSupplier(server, PRODUCTS), newSupplier(server, PRODUCTS)};
    double most = 0;
    {
        std::atomic<bool> isDone = false;
        const std::jthread watch([&] {
            while (!isDone)
                most = std::max(most, server.metric("supplierd_catalog_index_bytes"));
        });
        std::vector<std::jthread> readers;
        for (const Supplier& supplier : suppliers)
            readers.emplace_back([&server, &supplier] {
                auto http = server.client(supplier.key);
                for (int i = 0; i < 4; ++i)
                    requireStatus(200, http.get(LIST));
            });
        readers.clear();
        isDone = true;
    }
    std::cerr << "\n(at most " << most << " bytes of " << BOUND << ") ";
    CPPUNIT_ASSERT_EQUAL(0.0, server.metric("supplierd_catalog_index_too_large_suppliers"));
    CPPUNIT_ASSERT(server.metric("supplierd_catalog_index_loads_total") >= 2);
    // The later one is told at its next piece.
    CPPUNIT_ASSERT(most < BOUND + 2 * 5'000 * 100);
}

/// So many products that it is known before.
TEST(LoadMemoryTest, oneThatIsTooLargeIsNotTriedAtTheCostOfOthers) {
    ServerProcess server(_database, serverWith(std::to_string(PRODUCTS * 140)));
    const Supplier fits = newSupplier(server, 5'000);
    const Supplier large = newSupplier(server, 3 * PRODUCTS);
    requireStatus(200, server.client(fits.key).get(LIST));
    requireStatus(200, server.client(large.key).get(LIST));
    CPPUNIT_ASSERT_EQUAL(1.0, server.metric("supplierd_catalog_index_too_large_suppliers"));
    CPPUNIT_ASSERT_EQUAL(1.0, server.metric("supplierd_catalog_index_suppliers"));
}

} // namespace supplierd::tests
