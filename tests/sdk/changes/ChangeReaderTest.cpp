#include "tests/support/SupplierClient.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

ServerOptions options() {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory"};
    options.pluginFiles = {SUPPLIERD_TEST_FOLLOWER_PLUGIN};
    return options;
}

} // namespace

/// A plugin that reads the change log (ChangeReaders), in real servers.
class ChangeReaderTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ChangeReaderTest);
    CPPUNIT_TEST(testEveryChangeComesOnceAndInOrder);
    CPPUNIT_TEST(testNewReaderBeginsWithWhatComes);
    CPPUNIT_TEST(testNothingIsLostOrDoubledWhenServersAreKilled);
    CPPUNIT_TEST(testSupplierWhoseWorkFailsHoldsUpNobodyElse);
    CPPUNIT_TEST(testMissingEntriesAreTold);
    CPPUNIT_TEST(testPlacesGoWithThePlugin);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _fixture.emplace(options()); }
    void tearDown() override { _fixture.reset(); }

    void testEveryChangeComesOnceAndInOrder() {
        SupplierClient rosen({.name = "Rosen"}, *_fixture);
        const auto product = rosen.create().at("id").get<std::int64_t>();
        for (int stock = 1; stock <= 20; ++stock)
            setStock(rosen, product, stock);
        rosen.remove(product);
        waitUntilAllIsSeen();
        CPPUNIT_ASSERT_EQUAL(std::string("product.created"), kindsOf(rosen, 1));
        CPPUNIT_ASSERT_EQUAL(std::string("product.stock_changed"), kindsOf(rosen, 21));
        CPPUNIT_ASSERT_EQUAL(std::string("product.deleted"), kindsOf(rosen, 22));
    }

    void testNewReaderBeginsWithWhatComes() {
        _fixture.emplace(ServerOptions{.plugins = {"categories", "catalog"}});
        SupplierClient before({.name = "Before"}, *_fixture);
        before.create();
        before.create();
        CPPUNIT_ASSERT_EQUAL(0, _fixture->server().stop());
        ServerProcess server(_fixture->database(), options());
        eventually("the reader", [&] { return count("change_readers") == 1; });
        HttpClient client = server.client(server.createKey(before.id()));
        CPPUNIT_ASSERT_EQUAL(201, client.post("/products", before.productBody()).status);
        const auto after = server.createSupplier("After");
        CPPUNIT_ASSERT_EQUAL(201,
                             server.client(server.createKey(after)).post("/products", before.productBody()).status);
        eventually("both changes", [&] { return count("follower_seen") == 2; });
        CPPUNIT_ASSERT_EQUAL(std::to_string(before.id()) + ":3 " + std::to_string(after) + ":1",
                             _fixture->database().text("SELECT GROUP_CONCAT(supplier_id, ':', change_seq ORDER BY "
                                                       "supplier_id SEPARATOR ' ') FROM follower_seen"));
        CPPUNIT_ASSERT_EQUAL(0, server.stop());
    }

    /// Two servers of one database; whichever reads is killed again and again beside writers.
    void testNothingIsLostOrDoubledWhenServersAreKilled() {
        std::deque<SupplierClient> suppliers;
        std::vector<std::int64_t> products;
        for (const char* name : {"Rosen", "Tulpen", "Lelies"}) {
            suppliers.emplace_back(SupplierOptions{.name = name}, *_fixture);
            products.push_back(suppliers.back().create().at("id").get<std::int64_t>());
        }
        std::vector<std::jthread> writers;
        for (std::size_t i = 0; i < suppliers.size(); ++i)
            writers.emplace_back([&, i](const std::stop_token& stop) {
                for (int stock = 1; !stop.stop_requested(); ++stock)
                    setStock(suppliers[i], products[i], stock);
            });
        for (int kills = 0; kills < 4; ++kills) {
            ServerProcess other(_fixture->database(), options());
            handOverReader(other);
            const auto seen = count("follower_seen");
            eventually("further changes", [&] { return count("follower_seen") > seen + 20; });
            other.kill();
            freeReader();
        }
        for (auto& writer : writers)
            writer.request_stop();
        writers.clear();
        waitUntilAllIsSeen();
    }

    void testSupplierWhoseWorkFailsHoldsUpNobodyElse() {
        SupplierClient shut({.name = "Shut"}, *_fixture);
        SupplierClient open({.name = "Open"}, *_fixture);
        _fixture->database().exec("INSERT INTO follower_refused VALUES (" + std::to_string(shut.id()) + ")");
        shut.create();
        open.create();
        eventually("the other one's change", [&] { return seenOf(open) == 1; });
        eventually("the warning",
                   [&] { return _fixture->server().log().find("the notebook is shut") != std::string::npos; });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, seenOf(shut));
        CPPUNIT_ASSERT_EQUAL(1.0,
                             _fixture->server().metric("supplierd_change_reader_failing_suppliers{plugin=\"follower\","
                                                       "reader=\"notebook\"}"));
        _fixture->database().exec("DELETE FROM follower_refused");
        waitUntilAllIsSeen();
        eventually("the metric", [&] {
            return _fixture->server().metric("supplierd_change_reader_failing_suppliers{plugin=\"follower\","
                                             "reader=\"notebook\"}") == 0.0;
        });
    }

    void testMissingEntriesAreTold() {
        SupplierClient rosen({.name = "Rosen"}, *_fixture);
        rosen.create();
        waitUntilAllIsSeen();
        const auto id = std::to_string(rosen.id());
        _fixture->database().exec("UPDATE supplier_state SET change_seq = change_seq + 3 WHERE supplier_id = " + id);
        eventually("the gap", [&] {
            return _fixture->database().text(
                       "SELECT COALESCE(MAX(committed), 0) FROM follower_gaps WHERE supplier_id = " + id) == "4";
        });
        rosen.create();
        eventually("what follows", [&] { return !kindsOf(rosen, 5).empty(); });
    }

    void testPlacesGoWithThePlugin() {
        eventually("the reader", [&] { return count("change_readers") == 1; });
        CPPUNIT_ASSERT_EQUAL(0, _fixture->server().stop());
        control({"disable", "follower"});
        control({"remove", "--data", "follower", "--yes"});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count("change_readers") + count("change_places"));
    }

private:
    /// With patience for a loaded machine.
    static void eventually(const std::string& what, const std::function<bool()>& condition) {
        waitFor(what, condition, std::chrono::minutes(2));
    }
    static void setStock(SupplierClient& supplier, std::int64_t product, int stock) {
        const auto response = supplier.post("/stock", {{"items", {{{"product_id", product}, {"stock_qty", stock}}}}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    }

    std::int64_t count(const std::string& table) {
        return _fixture->database().integer("SELECT COUNT(*) FROM " + table);
    }
    std::int64_t seenOf(const SupplierClient& supplier) {
        return _fixture->database().integer("SELECT COUNT(*) FROM follower_seen WHERE supplier_id = " +
                                            std::to_string(supplier.id()));
    }
    std::string kindsOf(const SupplierClient& supplier, std::int64_t seq) {
        return _fixture->database().text("SELECT COALESCE(MAX(kinds), '') FROM follower_seen WHERE supplier_id = " +
                                         std::to_string(supplier.id()) + " AND change_seq = " + std::to_string(seq));
    }
    /// Every number of every supplier; the table's primary key says that none came twice. (The fixture's category is no
    /// entry of the marketplace's log.)
    void waitUntilAllIsSeen() {
        eventually("all changes", [&] {
            return _fixture->database().integer("SELECT COUNT(*) FROM supplier_state s WHERE s.supplier_id > 0 AND "
                                                "s.change_seq <> (SELECT COUNT(*) FROM follower_seen f WHERE "
                                                "f.supplier_id = s.supplier_id)") == 0;
        });
        requireNoRows(_fixture->database(), "there are gaps", "SELECT * FROM follower_gaps WHERE supplier_id > 0");
        requireNoRows(
            _fixture->database(), "a change came with other contents",
            "SELECT f.* FROM follower_seen f LEFT JOIN changes c USING (supplier_id, change_seq) WHERE c.kind IS "
            "NULL OR c.kind <> f.kinds");
    }
    void control(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {ServerProcess::controlProgram().string(), "--config",
                                             _fixture->server().configFile().string(), "plugin"});
        const auto result = runCommand({.arguments = std::move(arguments)});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    }
    /// Has the reader run on that server.
    void handOverReader(const ServerProcess& to) {
        eventually("the reader there", [&] {
            _fixture->database().exec(
                "UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND, owner = '' WHERE plugin = "
                "'follower' AND server NOT LIKE '%:" +
                std::to_string(to.pid()) + "'");
            return _fixture->database().integer("SELECT COUNT(*) FROM jobs WHERE plugin = 'follower' AND server LIKE "
                                                "'%:" +
                                                std::to_string(to.pid()) + "'") == 1;
        });
    }
    void freeReader() {
        _fixture->database().exec("UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE plugin = 'follower'");
    }

    std::optional<ServerFixture> _fixture;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ChangeReaderTest);

} // namespace supplierd::tests
