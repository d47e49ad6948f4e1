#include "tests/support/OperatorClient.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr auto PATIENCE = std::chrono::seconds(30);
constexpr auto PAUSE = std::chrono::milliseconds(20);
constexpr int CRASHES_AT_MOST = 12;

ServerOptions options() {
    return {.plugins = {"categories", "catalog", "inventory", "orders"},
            .configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n"};
}

std::string below(const char* path, std::int64_t id) {
    return path + std::to_string(id);
}

/// Repeated while the database is away.
HttpResponse ask(HttpClient& client, const std::string& path, const HttpHeaders& headers = {}) {
    const auto deadline = std::chrono::steady_clock::now() + PATIENCE;
    for (;;) {
        HttpResponse response = client.get(path, headers);
        if (response.status != 503 || std::chrono::steady_clock::now() > deadline)
            return response;
        std::this_thread::sleep_for(PAUSE);
    }
}

} // namespace

/// Two servers have read commits that a crash of the database takes back, since InnoDB shows a commit before its log is
/// on the disk. What they answer from then on is what a server answers that has just been started.
class LostCommitsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        for (int i = 0; i < 4; ++i)
            _products.push_back(idOf(_supplier.create({{"name", "Rosa " + std::to_string(i)}, {"stock_qty", 50}})));
        for (const std::int64_t product : _products)
            _fixture.server().approveProduct(product);
        _group = place("First");
    }

protected:
    struct Numbers {
        std::string productTag;
        std::string categoriesTag;
    };

    std::string product(int index) const { return below("/products/", _products[static_cast<std::size_t>(index)]); }

    std::vector<HttpClient> clients() const {
        std::vector<HttpClient> all;
        all.push_back(_supplier.anotherClient());
        all.push_back(_other.client(_supplier.key()));
        return all;
    }

    std::int64_t place(const std::string& number) {
        const json order =
            dataOf(_operator.post("/orders", {{"order_number", number},
                                              {"customer", {{"company_name", "Bloemen Jansen"}}},
                                              {"items", {{{"product_id", _products[0]}, {"quantity", 1}}}}}),
                   201);
        return idOf(order.at("order").at("groups").at(0));
    }

    /// One change of each kind of object that servers remember.
    void changeAll(const std::string& name) {
        requireStatus(200, _operator.post(below("/categories/", _fixture.category()), {{"name", name + " flowers"}}));
        requireStatus(200, _supplier.post(product(0), {{"name", name}, {"base_price", 1.5}}));
        requireStatus(
            200, _supplier.post(
                     "/stock",
                     {{"items", {{{"product_id", _products[1]}, {"stock", 100 + static_cast<int>(name.size())}}}}}));
        requireStatus(201, _supplier.postProduct({{"name", name + " new"}}));
        requireStatus(200, _supplier.post(product(2), {{"name", name + " too"}}));
        place(name);
    }

    std::vector<std::string> paths() const {
        std::vector<std::string> all{"/categories",
                                     "/orders",
                                     below("/orders/", _group),
                                     "/orders?changed_after=0",
                                     "/products?search=rosa",
                                     "/products?changed_after=0&include_deleted=true",
                                     "/products?include=variants,images,description",
                                     "/products?status=active"};
        for (const char* sort : {"id", "name", "base_price", "stock_qty", "updated_at"})
            for (const char* way : {"", "-"})
                all.push_back(std::string("/products?sort=") + way + sort);
        for (int i = 0; i < 4; ++i)
            all.push_back(product(i));
        return all;
    }

    /// The log is in MariaDB's memory alone, and then MariaDB is killed.
    Numbers loseCommits() {
        TestDatabase& database = _fixture.database();
        Numbers lost;
        for (int crash = 0; crash < CRASHES_AT_MOST; ++crash) {
            database.exec(
                "SET GLOBAL innodb_flush_log_at_timeout = 2700; SET GLOBAL innodb_flush_log_at_trx_commit = 0");
            const std::string name = "Lost " + std::to_string(crash);
            changeAll(name);
            if (crash == 0)
                requireStatus(200, _supplier.post(below("/orders/", _group) + "/status", {{"status", "confirmed"}}));
            requireSameAnswers("of what will be lost");
            lost = {_supplier.get(product(0)).header("ETag"), _supplier.get("/categories").header("ETag")};
            _mariaDb.kill();
            _mariaDb.start();
            if (database.integer("SELECT COUNT(*) FROM products WHERE name LIKE '" + name + "%'") == 0)
                return lost;
        }
        CPPUNIT_FAIL("MariaDB has written its log each time");
    }

    /// All but the request's own id.
    static std::string dataAt(HttpClient& client, const std::string& path) {
        const HttpResponse response = ask(client, path);
        requireStatus(200, response);
        return response.data().dump();
    }

    void requireSameAnswers(const std::string& when) {
        const ServerProcess fresh(_fixture.database(), options());
        HttpClient right = fresh.client(_supplier.key());
        std::size_t number = 0;
        for (HttpClient& client : clients()) {
            const std::string server = when + ", server " + std::to_string(number++) + ": ";
            for (const std::string& path : paths())
                CPPUNIT_ASSERT_EQUAL_MESSAGE(server + path, dataAt(right, path), dataAt(client, path));
        }
    }

    PrivateMariaDb _mariaDb;
    ServerFixture _fixture{options(), &_mariaDb};
    ServerProcess _other{_fixture.database(), options()};
    SupplierClient _supplier{SupplierOptions{}, _fixture};
    OperatorClient _operator{_fixture};
    std::vector<std::int64_t> _products;
    std::int64_t _group = 0;
};

TEST(LostCommitsTest, whatACrashTakesBackIsNotShown) {
    requireSameAnswers("before");
    const Numbers lost = loseCommits();
    requireSameAnswers("behind the crash");
    // As many as were lost.
    changeAll("Real");
    requireSameAnswers("behind further changes");
    for (HttpClient& client : clients()) {
        requireStatus(200, ask(client, product(0), {{"If-None-Match", lost.productTag}}));
        requireStatus(200, ask(client, "/categories", {{"If-None-Match", lost.categoriesTag}}));
        requireStatus(412, client.post(product(0), {{"name", "Stale"}}, {{"If-Match", lost.productTag}}));
    }
    for (int i = 0; i < 3; ++i)
        changeAll("Later " + std::to_string(i));
    requireSameAnswers("in the end");
}

TEST(LostCommitsTest, aRestartThatLosesNothingKeepsWhatIsInMemory) {
    requireSameAnswers("before");
    const double loads = _other.metric("supplierd_catalog_index_loads_total");
    CPPUNIT_ASSERT(loads > 0);
    _mariaDb.restart();
    requireSameAnswers("behind the restart");
    CPPUNIT_ASSERT_EQUAL(loads, _other.metric("supplierd_catalog_index_loads_total"));
}

TEST(LostCommitsTest, anIndexThatIsNotWhatTheDatabaseHasIsLoadedAgain) {
    requireSameAnswers("before");
    // As by a tool that restores rows beside the servers.
    _fixture.database().exec("UPDATE products SET change_seq = change_seq - 1, name = 'Restored' WHERE id = " +
                             std::to_string(_products[0]) +
                             "; UPDATE supplier_state SET change_seq = change_seq - 1 WHERE supplier_id > 0");
    for (HttpClient& client : clients())
        for (const char* path : {"/products?include=variants,images,description", "/products?sort=name"})
            CPPUNIT_ASSERT_MESSAGE(path, dataAt(client, path).find("Restored") != std::string::npos);
}

} // namespace supplierd::tests
