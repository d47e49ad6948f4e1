#include "tests/support/Control.h"
#include "tests/support/Numbers.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Texts.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

using Ids = std::vector<std::int64_t>;

namespace {

/// Three quarters of memory = "1MiB".
constexpr double BOUND = 0.75 * 1024 * 1024;
/// Kilobytes that a server may grow by in two more rounds of the same lists. Sanitizers keep what was freed for a
/// while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long GROWTH = 512 * 1024;
#else
constexpr long GROWTH = 16 * 1024;
#endif

/// Many suppliers in a bound for some of them.
struct ManySuppliers {
    int suppliers = 500;
    int productsEach = 20;
    int nameLength = 240;
    std::string indexMemory = "1MiB";
    double bound = BOUND;
};

/// As the environment wants it: then each has 100 products, and a tenth of them fits.
ManySuppliers wantedSuppliers() {
    const char* const given = std::getenv("SUPPLIERD_TEST_SUPPLIERS");
    if (given == nullptr)
        return {};
    constexpr long BYTES_OF_ONE = 14'000; // of 100 products with such names, in one order
    const int suppliers = std::atoi(given);
    const long memory = std::max(1'048'576L, suppliers / 10 * BYTES_OF_ONE / 3 * 4);
    return {suppliers, 100, 40, std::to_string(memory), static_cast<double>(memory) * 0.75};
}

ServerOptions optionsOf(const std::string& memory) {
    ServerOptions options;
    options.configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n[server]\nmemory = \"" + memory + "\"\n";
    return options;
}

/// In kilobytes.
long residentMemory(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:"))
            return std::stol(line.substr(6));
    return 0;
}

} // namespace

/// Catalogs that do not fit in memory, together or alone.
/// SUPPLIERD_TEST_SUPPLIERS=10000: so many, with 100 products each, in a bound for a tenth of them (minutes).
class ListMemoryTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _server = std::make_unique<ServerProcess>(_database, optionsOf("1MiB"));
        _category = std::to_string(_server->createCategory("Roses"));
    }

protected:
    void newSupplier() {
        _supplier = std::to_string(_server->createSupplier("Supplier"));
        _key = _server->createKey(std::stoll(_supplier), {{"hourly_limit", "1000000000"}});
    }

    /// As a server does that keeps no log of changes.
    void insert(int products, int nameLength) {
        _database.exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = " + _supplier);
        _database.exec(
            "INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq) SELECT " +
            _supplier + ", CONCAT('rosa ', seq * 7919 MOD 997, REPEAT('t', " + std::to_string(nameLength) +
            " - seq MOD 9), ' red ', seq MOD 3, 't'), " + _category +
            ", 1 + seq MOD 70, 1, seq * 31 MOD 50, (SELECT change_seq FROM supplier_state WHERE supplier_id = " +
            _supplier + ") FROM " + numbersTo(products));
    }

    HttpClient client(const ServerProcess& server) const { return server.client(_key); }

    static std::string withoutCursor(json data) {
        data.at("pagination").erase("next_cursor"); // the same place, not the same text
        return data.dump();
    }

    void takePage(const ServerProcess& server, const std::string& sort) const {
        Ids ids;
        takePage(server, sort, {}, ids);
    }
    /// The next cursor, "" at the end.
    std::string takePage(const ServerProcess& server, const std::string& sort, const std::string& cursor,
                         Ids& ids) const {
        const json data = dataOf(
            client(server).get("/products?per_page=100&sort=" + sort + (cursor.empty() ? "" : "&cursor=" + cursor)));
        for (const std::int64_t id : idsOf(data.at("products")))
            ids.push_back(id);
        const json& next = data.at("pagination").at("next_cursor");
        return next.is_string() ? next.get<std::string>() : std::string();
    }

    double metric(const std::string& name) const { return _server->metric(name); }

    Ids idsOfRows(const std::string& sql) {
        Ids ids;
        for (const TestRow& row : _database.query(sql))
            ids.push_back(std::stoll(row[0].value()));
        return ids;
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _category;
    std::string _supplier;
    std::string _key;
};

TEST(ListMemoryTest, aWalkGoesOnWhenTheCatalogOutgrowsTheBound) {
    for (const std::string sort : {"name", "-base_price", "stock_qty", "-updated_at", "id"}) {
        newSupplier();
        insert(1'200, 200);
        const Ids atBegin = idsOfRows("SELECT id FROM products WHERE supplier_id = " + _supplier + " ORDER BY id");
        Ids seen;
        std::string cursor = takePage(*_server, sort, {}, seen);
        for (int page = 0; page < 4; ++page)
            cursor = takePage(*_server, sort, cursor, seen);
        const double before = metric("supplierd_catalog_lists_from_database_total{reason=\"too_large\"}");
        insert(2'800, 200);
        while (!cursor.empty())
            cursor = takePage(*_server, sort, cursor, seen);
        CPPUNIT_ASSERT(metric("supplierd_catalog_lists_from_database_total{reason=\"too_large\"}") > before);
        std::sort(seen.begin(), seen.end());
        CPPUNIT_ASSERT_MESSAGE(sort, std::includes(seen.begin(), seen.end(), atBegin.begin(), atBegin.end()));
    }
}

TEST(ListMemoryTest, listsFromTheDatabaseAreThoseFromMemory) {
    ServerProcess large(_database, optionsOf("64MiB"));
    newSupplier();
    insert(3'800, 230);
    // Names that differ in what sorts before a blank, which names of different lengths are filled up with.
    _database.exec("UPDATE products SET name = CONCAT('Rosa ', id MOD 7, ELT(1 + id MOD 5, '', '\xE2\x80\xA8"
                   "b', ' a', '\xE2\x80\xA8', '\xC3\x9F')) WHERE supplier_id = " +
                   _supplier + " AND id MOD 8 = 0");
    for (const std::string sort : {"name", "-name", "base_price", "-base_price", "stock_qty", "-stock_qty",
                                   "updated_at", "-updated_at", "id", "-id"}) {
        Ids fromDatabase;
        Ids fromMemory;
        std::string cursor;
        // Both go on from the same cursor, which one and the other gives in turn.
        for (int page = 0; page == 0 || !cursor.empty(); ++page) {
            const std::string sent = cursor;
            const std::string given = takePage(*_server, sort, sent, fromDatabase);
            const std::string other = takePage(large, sort, sent, fromMemory);
            CPPUNIT_ASSERT_MESSAGE(sort + " page " + std::to_string(page), fromMemory == fromDatabase);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sort, other.empty(), given.empty());
            cursor = page % 2 == 0 ? given : other;
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{3'800}, fromDatabase.size());
    }
    for (const std::string query :
         {"search=red%20t", "search=rosa%2012&sort=name", "status=pending&page=7", "type=supply", "changed_after=0",
          "include_deleted=true&page=3", "include=description,variants"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, withoutCursor(dataOf(client(large).get("/products?" + query))),
                                     withoutCursor(dataOf(client(*_server).get("/products?" + query))));
    CPPUNIT_ASSERT(metric("supplierd_catalog_lists_from_database_total{reason=\"too_large\"}") > 0);
}

TEST(ListMemoryTest, aCatalogThatGrowsProductByProductLeavesMemory) {
    newSupplier();
    auto http = client(*_server);
    std::int64_t products = 0;
    while (metric("supplierd_catalog_index_too_large_suppliers") == 0) {
        CPPUNIT_ASSERT_MESSAGE("it stays in memory", products < 1'000);
        json variants = json::array();
        for (int i = 0; i < 40; ++i)
            variants.push_back({{"name", "Long"}, {"sku", std::to_string(products * 100 + i) + std::string(55, 's')}});
        requireStatus(201, http.post("/products", {{"name", "Rosa " + std::string(240, 'r')},
                                                   {"category_id", std::stoll(_category)},
                                                   {"base_price", 1},
                                                   {"unit", "stem"},
                                                   {"variants", variants}}));
        ++products;
        CPPUNIT_ASSERT_EQUAL(
            products,
            dataOf(http.get("/products?sort=name&per_page=1")).at("pagination").at("total_items").get<std::int64_t>());
        CPPUNIT_ASSERT(metric("supplierd_catalog_index_bytes") <= BOUND);
    }
    CPPUNIT_ASSERT(products > 100);
    CPPUNIT_ASSERT_EQUAL(0.0, metric("supplierd_catalog_index_bytes"));
    CPPUNIT_ASSERT_EQUAL(
        products,
        dataOf(http.get("/products?sort=name&per_page=1")).at("pagination").at("total_items").get<std::int64_t>());
}

TEST(ListMemoryTest, manySuppliersStayWithinASmallBound) {
    const ManySuppliers wanted = wantedSuppliers();
    ServerProcess server(_database, optionsOf(wanted.indexMemory));
    std::vector<std::pair<std::string, std::string>> suppliers; // id, key
    for (int i = wanted.suppliers; i > 0; --i) {
        newSupplier();
        insert(wanted.productsEach, wanted.nameLength);
        suppliers.emplace_back(_supplier, _key);
    }
    std::map<std::string, std::string> expected;
    _database.exec("SET SESSION group_concat_max_len = 1000000");
    for (const TestRow& row :
         _database.query("SELECT supplier_id, GROUP_CONCAT(id ORDER BY name, id) FROM products GROUP BY supplier_id"))
        expected[row[0].value()] = row[1].value();
    std::mt19937 random(7);
    long firstRound = 0;
    for (int round = 0; round < 3; ++round) {
        std::shuffle(suppliers.begin(), suppliers.end(), random);
        for (const auto& [id, key] : suppliers) {
            std::string ids;
            for (const std::int64_t product :
                 idsOf(dataOf(server.client(key).get("/products?sort=name&per_page=100")).at("products")))
                ids += (ids.empty() ? "" : ",") + std::to_string(product);
            CPPUNIT_ASSERT_EQUAL(expected.at(id), ids);
        }
        CPPUNIT_ASSERT(server.metric("supplierd_catalog_index_bytes") <= wanted.bound);
        if (round == 0)
            firstRound = residentMemory(server.pid());
    }
    const long growth = residentMemory(server.pid()) - firstRound;
    std::cerr << "\n(" << suppliers.size() << " suppliers, " << server.metric("supplierd_catalog_index_suppliers")
              << " of them in memory, " << server.metric("supplierd_catalog_index_bytes") << " bytes, "
              << server.metric("supplierd_catalog_index_evictions_total") << " left it; RSS " << firstRound
              << " KB after one round, " << growth << " more after three) ";
    CPPUNIT_ASSERT(server.metric("supplierd_catalog_index_suppliers") < static_cast<double>(suppliers.size()) / 2);
    CPPUNIT_ASSERT(growth < GROWTH);
}

TEST(ListMemoryTest, doctorTellsOfACatalogThatIsTooLarge) {
    const auto check = [this] {
        const CommandResult result = runControl(*_server, {"--json", "doctor"});
        const json report = json::parse(result.output);
        for (const json& finding : report.at("findings"))
            if (finding.at("check") == "catalog: memory")
                return finding;
        CPPUNIT_FAIL(result.output);
    };
    newSupplier();
    insert(1'000, 40);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(check().dump(), json("good"), check().at("level"));
    newSupplier();
    insert(3'800, 230);
    const json finding = check();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(finding.dump(), json("warning"), finding.at("level"));
    const std::string message = finding.at("message");
    requireIn("supplier " + _supplier + " (3800)", message);
    // It says what the server comes to, and its advice helps.
    takePage(*_server, "name");
    CPPUNIT_ASSERT_EQUAL(1.0, _server->metric("supplierd_catalog_index_too_large_suppliers"));
    const std::string fix = finding.at("fix");
    const std::size_t number = fix.find(" to ") + 4;
    ServerProcess larger(_database, optionsOf(fix.substr(number, fix.find(' ', number) - number) + "MiB"));
    takePage(larger, "name");
    CPPUNIT_ASSERT_EQUAL(0.0, larger.metric("supplierd_catalog_index_too_large_suppliers"));
    CPPUNIT_ASSERT_EQUAL(1.0, larger.metric("supplierd_catalog_index_suppliers"));
}

TEST(ListMemoryTest, moreMemoryThanTheMachineHasIsRefused) {
    const ServerProcess server(ServerProcess::NotStarted{}, _database, optionsOf("900000GiB"));
    const CommandResult result =
        runCommand({.arguments = {ServerProcess::serverProgram(), "--config", server.configFile(), "--check-config"}});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    CPPUNIT_ASSERT_MESSAGE(result.errors,
                           result.errors.find("memory is more than this machine has") != std::string::npos);
}

} // namespace supplierd::tests
