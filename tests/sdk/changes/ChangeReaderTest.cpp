#include "tests/support/Control.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ServerLogs.h"

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
public:
    /// A reader begins with what comes after it: on a loaded machine that may be after a test's first change.
    void setUp() override {
        eventually("the reader", [&] { return count("change_readers") == 1; });
    }

protected:
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
    /// Nobody reads until freeReader().
    void takeReaderAway() {
        waitUntilAllIsRead();
        _fixture->database().exec("UPDATE jobs SET owner = 'nobody', server = 'nobody:1', lease_until = NOW(6) + "
                                  "INTERVAL 1 HOUR WHERE plugin = 'follower'");
    }
    std::deque<SupplierClient> suppliersWithChanges(std::size_t number, int changes) {
        std::deque<SupplierClient> suppliers;
        for (std::size_t i = 0; i < number; ++i) {
            auto& supplier =
                suppliers.emplace_back(SupplierOptions{.name = "Supplier " + std::to_string(i)}, *_fixture);
            const auto product = supplier.create().at("id").get<std::int64_t>();
            for (int change = 1; change < changes; ++change)
                setStock(supplier, product, change);
        }
        return suppliers;
    }
    void ignoreAllBut(const SupplierClient& one) {
        _fixture->database().exec("INSERT INTO follower_ignored SELECT supplier_id FROM supplier_state WHERE "
                                  "supplier_id <> " +
                                  std::to_string(one.id()));
    }
    std::int64_t unread() {
        return _fixture->database().integer(
            "SELECT COUNT(*) FROM supplier_state s LEFT JOIN change_places p ON p.plugin = 'follower' AND "
            "p.supplier_id = s.supplier_id WHERE s.supplier_id >= 0 AND s.change_seq > COALESCE(p.change_seq, 0)");
    }
    void waitUntilAllIsRead() {
        eventually("all places", [&] { return unread() == 0; });
    }
    /// From now on the database writes down each transaction that moves places: one statement, so one NOW().
    void countMoves() {
        auto& database = _fixture->database();
        database.exec("CREATE TABLE follower_moves (at DATETIME(6), connection BIGINT, PRIMARY KEY (at, connection))");
        for (const char* event : {"INSERT", "UPDATE"})
            database.exec(std::string("CREATE TRIGGER follower_moves_") + event + " AFTER " + event +
                          " ON change_places FOR EACH ROW INSERT IGNORE INTO follower_moves VALUES (NOW(6), "
                          "CONNECTION_ID())");
    }
    std::int64_t moves() { return count("follower_moves"); }

    /// Every number of every supplier that is not ignored; the table's primary key says that none came twice. (The
    /// fixture's category is no entry of the marketplace's log.)
    void waitUntilAllIsSeen() {
        eventually("all changes", [&] {
            return _fixture->database().integer("SELECT COUNT(*) FROM supplier_state s WHERE s.supplier_id > 0 AND "
                                                "s.supplier_id NOT IN (SELECT supplier_id FROM follower_ignored) AND "
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
        arguments.insert(arguments.begin(), "plugin");
        requireControl(_fixture->server(), std::move(arguments));
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

    std::optional<ServerFixture> _fixture{std::in_place, options()};
};

TEST(ChangeReaderTest, everyChangeComesOnceAndInOrder) {
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

TEST(ChangeReaderTest, newReaderBeginsWithWhatComes) {
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
    CPPUNIT_ASSERT_EQUAL(201, server.client(server.createKey(after)).post("/products", before.productBody()).status);
    eventually("both changes", [&] { return count("follower_seen") == 2; });
    CPPUNIT_ASSERT_EQUAL(std::to_string(before.id()) + ":3 " + std::to_string(after) + ":1",
                         _fixture->database().text("SELECT GROUP_CONCAT(supplier_id, ':', change_seq ORDER BY "
                                                   "supplier_id SEPARATOR ' ') FROM follower_seen"));
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

/// Two servers of one database; whichever reads is killed again and again beside writers.
TEST(ChangeReaderTest, nothingIsLostOrDoubledWhenServersAreKilled) {
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

TEST(ChangeReaderTest, supplierWhoseWorkFailsHoldsUpNobodyElse) {
    SupplierClient shut({.name = "Shut"}, *_fixture);
    SupplierClient open({.name = "Open"}, *_fixture);
    _fixture->database().exec("INSERT INTO follower_refused VALUES (" + std::to_string(shut.id()) + ")");
    shut.create();
    open.create();
    eventually("the other one's change", [&] { return seenOf(open) == 1; });
    eventually("the warning",
               [&] { return _fixture->server().log().find("the notebook is shut") != std::string::npos; });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, seenOf(shut));
    CPPUNIT_ASSERT_EQUAL(1.0, _fixture->server().metric("supplierd_change_reader_failing_suppliers{plugin=\"follower\","
                                                        "reader=\"notebook\"}"));
    _fixture->database().exec("DELETE FROM follower_refused");
    waitUntilAllIsSeen();
    eventually("the metric", [&] {
        return _fixture->server().metric("supplierd_change_reader_failing_suppliers{plugin=\"follower\","
                                         "reader=\"notebook\"}") == 0.0;
    });
}

/// It makes changes faster than they are worked off, and began before the other one.
TEST(ChangeReaderTest, supplierWithEndlessWorkHoldsUpNobodyElse) {
    SupplierClient busy({.name = "Busy"}, *_fixture);
    SupplierClient other({.name = "Other"}, *_fixture);
    const auto product = busy.create().at("id").get<std::int64_t>();
    _fixture->database().exec("INSERT INTO follower_laborious VALUES (" + std::to_string(busy.id()) + ")");
    for (int stock = 1; stock <= 300; ++stock) // work for more than ten seconds
        setStock(busy, product, stock);
    other.create();
    eventually("the other one's change", [&] { return seenOf(other) == 1; });
    CPPUNIT_ASSERT(seenOf(busy) < busy.changeSeq());
}

/// Neither is it a failure.
TEST(ChangeReaderTest, workThatIsPutOffHoldsUpNobodyElse) {
    takeReaderAway();
    const auto suppliers = suppliersWithChanges(4, 1);
    _fixture->database().exec("INSERT INTO follower_put_off VALUES (" + std::to_string(suppliers[1].id()) + ")");
    freeReader();
    eventually("the places of the others", [&] { return unread() == 1; });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, seenOf(suppliers[1]));
    CPPUNIT_ASSERT_EQUAL(std::string::npos, _fixture->server().log().find("could not be worked off"));
    _fixture->database().exec("DELETE FROM follower_put_off");
    waitUntilAllIsSeen();
}

/// Of twelve the reader wants to hear of one, the fifth: it goes with those before it, and those after it go
/// together.
TEST(ChangeReaderTest, suppliersOfWhomNothingIsWrittenGoTogether) {
    takeReaderAway();
    auto suppliers = suppliersWithChanges(12, 9); // more than a page of each
    ignoreAllBut(suppliers[4]);
    countMoves();
    freeReader();
    waitUntilAllIsRead();
    const auto moves = this->moves();
    // Alone they would need one for each page. (Where each takes longer than what goes together may, they are
    // more.)
    CPPUNIT_ASSERT_MESSAGE(std::to_string(moves) + " transactions", moves < 24);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, seenOf(suppliers[4]));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, count("follower_seen"));
    waitUntilAllIsSeen();
}

TEST(ChangeReaderTest, suppliersOfWhomSomethingIsWrittenHaveATransactionEach) {
    takeReaderAway();
    const auto suppliers = suppliersWithChanges(4, 1);
    countMoves();
    freeReader();
    waitUntilAllIsSeen();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, moves());
}

TEST(ChangeReaderTest, supplierWhoseWorkFailsHoldsUpNobodyThatGoesWithIt) {
    takeReaderAway();
    auto suppliers = suppliersWithChanges(4, 1);
    ignoreAllBut(suppliers[2]);
    const auto shut = std::to_string(suppliers[2].id());
    _fixture->database().exec("INSERT INTO follower_refused VALUES (" + shut + ")");
    freeReader();
    eventually("the places of the others", [&] { return unread() == 1; });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count("follower_seen"));
    _fixture->database().exec("DELETE FROM follower_refused");
    waitUntilAllIsRead();
    waitUntilAllIsSeen();
}

/// A transaction of the reader for each of theirs cost as much as they did.
TEST(ChangeReaderTest, commitsThatFollowOneAnotherAreReadTogether) {
    SupplierClient rosen({.name = "Rosen"}, *_fixture);
    const auto product = rosen.create().at("id").get<std::int64_t>();
    waitUntilAllIsSeen();
    ignoreAllBut(rosen);
    _fixture->database().exec("INSERT INTO follower_ignored VALUES (" + std::to_string(rosen.id()) + ")");
    countMoves();
    const auto began = std::chrono::steady_clock::now();
    for (int stock = 1; stock <= 100; ++stock)
        setStock(rosen, product, stock);
    const auto took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
    waitUntilAllIsRead();
    const auto moves = this->moves();
    // However long that took: one for each pause and each look, and what was under way at both ends.
    const auto most = took / 50 + took / 2'000 + 4;
    CPPUNIT_ASSERT_MESSAGE(std::to_string(moves) + " transactions in " + std::to_string(took) + " ms", moves <= most);
}

/// As a replica that was promoted without them: their numbers come again, for other changes.
TEST(ChangeReaderTest, databaseThatHasLostTheLastCommitsIsReadFromWhereItStands) {
    SupplierClient rosen({.name = "Rosen"}, *_fixture);
    const auto product = rosen.create().at("id").get<std::int64_t>();
    setStock(rosen, product, 1);
    setStock(rosen, product, 2);
    waitUntilAllIsSeen();
    waitUntilAllIsRead();
    const std::string ofRosen = " WHERE supplier_id = " + std::to_string(rosen.id());
    _fixture->database().exec("START TRANSACTION; UPDATE supplier_state SET change_seq = 1" + ofRosen +
                              "; UPDATE change_places SET change_seq = 1" + ofRosen + "; DELETE FROM changes" +
                              ofRosen + " AND change_seq > 1; DELETE FROM follower_seen" + ofRosen +
                              " AND change_seq > 1; COMMIT");
    rosen.remove(product);
    eventually("the change", [&] { return kindsOf(rosen, 2) == "product.deleted"; });
}

TEST(ChangeReaderTest, missingEntriesAreTold) {
    SupplierClient rosen({.name = "Rosen"}, *_fixture);
    rosen.create();
    waitUntilAllIsSeen();
    const auto id = std::to_string(rosen.id());
    _fixture->database().exec("UPDATE supplier_state SET change_seq = change_seq + 3 WHERE supplier_id = " + id);
    eventually("the gap", [&] {
        return _fixture->database().text("SELECT COALESCE(MAX(committed), 0) FROM follower_gaps WHERE supplier_id = " +
                                         id) == "4";
    });
    rosen.create();
    eventually("what follows", [&] { return !kindsOf(rosen, 5).empty(); });
}

TEST(ChangeReaderTest, placesGoWithThePlugin) {
    CPPUNIT_ASSERT_EQUAL(0, _fixture->server().stop());
    control({"disable", "follower"});
    control({"remove", "--data", "follower", "--yes"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count("change_readers") + count("change_places"));
}

} // namespace supplierd::tests
