#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/system/faults/MysqlProxy.h"

#include <iostream>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr const char* CONFIGURATION = R"(
[database]
tls = "off"
pool_size = 6
connect_timeout = "1s"
read_timeout = "5s"
statement_time_limit = "2s"
lock_wait_timeout = "2s"
[rate_limit]
requests_per_hour = 1000000000
)";

constexpr Fault FAULTS[] = {Fault::BeforeCommand, Fault::AfterReply, Fault::AtOnce, Fault::Late};

ServerOptions optionsOf(unsigned databasePort) {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory"};
    options.configuration = CONFIGURATION;
    options.databasePort = databasePort;
    return options;
}

} // namespace

/// A server whose connection to the database breaks at every statement by which products come into memory: its next
/// answers are those of a server that nothing happened to.
class ListFaultsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _category = _server.createCategory("Roses");
        newSupplier();
    }

protected:
    void newSupplier() {
        const std::int64_t id = _server.createSupplier("Supplier");
        _key = _server.createKey(id, {{"last_used_at", "NOW(6)"}});
        auto http = _other.client(_key);
        for (int i = 0; i < 12; ++i)
            _product =
                dataOf(http.post("/products", {{"name", "Tulipa " + std::to_string(i * 7 % 5)},
                                               {"sku", "T-" + std::to_string(i)},
                                               {"category_id", _category},
                                               {"base_price", 1.25},
                                               {"unit", "stem"},
                                               {"variants", {{{"name", "Long"}, {"sku", "L-" + std::to_string(i)}}}}}),
                       201)
                    .at("product")
                    .at("id")
                    .get<std::int64_t>();
        // Known to the server's cache of keys, so that the fault strikes the list.
        requireStatus(200, ask(_server, "/products/" + std::to_string(_product)));
    }

    void rename(const std::string& name) {
        requireStatus(200, _other.client(_key).post("/products/" + std::to_string(_product), {{"name", name}}));
    }
    void setStock(int stock) {
        requireStatus(
            200, _other.client(_key).post("/stock", {{"items", {{{"product_id", _product}, {"stock_qty", stock}}}}}));
    }

    HttpResponse ask(ServerProcess& server, const std::string& path) { return server.client(_key).get(path); }

    void cutAt(const std::string& statement, Fault fault) {
        const int before = _proxy.strikes();
        _proxy.arm(statement, fault);
        const HttpResponse answer = ask(_server, "/products?sort=name");
        CPPUNIT_ASSERT_EQUAL_MESSAGE("never asked: " + statement, before + 1, _proxy.strikes());
        _proxy.disarm();
        if (answer.status == 503)
            ++_refused;
        else
            requireSame(answer, "/products?sort=name");
        requireSameLists();
    }

    void requireSameLists() {
        for (const char* path : {"/products?sort=name", "/products?search=L-1", "/products?sku=l-3,T-4",
                                 "/products?changed_after=0", "/products?sort=-stock_qty&include=variants"})
            requireSame(ask(_server, path), path);
    }

    void requireSame(const HttpResponse& answer, const std::string& path) {
        const HttpResponse other = ask(_other, path);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, dataOf(other).dump(), dataOf(answer).dump());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, other.header("X-Change-Seq"), answer.header("X-Change-Seq"));
    }

    PrivateMariaDb _mariaDb{PrivateMariaDb::Options{.tcp = true}};
    TestDatabase _database{_mariaDb};
    MysqlProxy _proxy{_mariaDb.port()};
    ServerProcess _server{_database, optionsOf(_proxy.port())}; ///< by the proxy
    ServerProcess _other{_database, optionsOf(_mariaDb.port())};
    std::int64_t _category = 0;
    std::int64_t _product = 0;
    std::string _key;
    int _refused = 0;
};

TEST(ListFaultsTest, aRefreshThatIsCutAtAnyStatementLeavesRightLists) {
    requireSameLists();
    const std::vector<std::pair<std::string, bool>> statements{
        {"SELECT supplier_id, change_seq FROM supplier_state", false},
        {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", false},
        {"START TRANSACTION READ ONLY", false},
        {"FROM changes", true},
        {"FORCE INDEX (product_skus_owner) ON s.product_id", false},
        {"k.sku_key\nFROM JSON_TABLE", false},
        {"p.updated_at), p.approval\nFROM JSON_TABLE", true},
        {"p.change_seq, p.deleted_at", false}};
    int number = 0;
    for (const auto& [statement, isOfStock] : statements)
        for (const Fault fault : FAULTS) {
            ++number;
            if (isOfStock)
                setStock(number);
            else
                rename("Rosa " + std::to_string(number));
            cutAt(statement, fault);
        }
    std::cerr << "\n(" << _proxy.strikes() << " cuts, " << _refused << " requests refused) ";
}

TEST(ListFaultsTest, aLoadThatIsCutAtAnyStatementLeavesRightLists) {
    for (const std::string statement : {"START TRANSACTION READ ONLY", "FROM product_skus FORCE INDEX (PRIMARY)",
                                        "FROM products p FORCE INDEX (PRIMARY)"})
        for (const Fault fault : FAULTS) {
            newSupplier();
            cutAt(statement, fault);
        }
    std::cerr << "\n(" << _proxy.strikes() << " cuts, " << _refused << " requests refused) ";
}

TEST(ListFaultsTest, aDatabaseThatIsAwayDuringALoadCostsOnly503s) {
    for (int i = 0; i < 3; ++i) {
        newSupplier();
        _proxy.refuseConnectionsFromNextFault();
        _proxy.arm("FROM products p FORCE INDEX (PRIMARY)", Fault::BeforeCommand);
        for (int again = 0; again < 3; ++again)
            CPPUNIT_ASSERT_EQUAL(503, ask(_server, "/products?sort=name").status);
        _proxy.refuseConnections(false);
        requireSameLists();
    }
}

} // namespace supplierd::tests
