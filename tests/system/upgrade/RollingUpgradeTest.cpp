#include "UpgradeLoad.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ServerGroup.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t SERVERS = 3;
constexpr auto STEP_LIMIT = std::chrono::seconds(60);
constexpr auto LOOK_INTERVAL = std::chrono::milliseconds(20);
constexpr std::size_t BETWEEN_STEPS = 60; ///< acknowledged writes
const std::string NEXT = SUPPLIERD_TEST_NEXT_RELEASE;

ServerOptions presentOptions() {
    return {.plugins = {"categories", "catalog", "inventory", "orders"},
            .configuration = "[rate_limit]\nrequests_per_hour = 1000000000\n"};
}

/// A server of the later release; its configuration is there before it runs.
class NextServer {
public:
    explicit NextServer(TestDatabase& database)
        : _server(ServerProcess::NotStarted{}, database,
                  {.plugins = {"categories", "inventory", "orders"},
                   .pluginFiles = {NEXT + "/plugins/catalog.so"},
                   .configuration = presentOptions().configuration}) {}

    CommandResult control(std::vector<std::string> words) const {
        words.insert(words.begin(), {NEXT + "/bin/supplierctl", "--config", _server.configFile()});
        return runCommand({.arguments = words});
    }

    /// Returns when it is ready; where suppliers find it.
    std::string start() {
        _process = std::make_unique<ChildProcess>(
            ChildCommand{.arguments = {NEXT + "/bin/supplierd", "--config=" + _server.configFile().string()},
                         .output = _server.logFile(),
                         .errors = _server.logFile()});
        const auto deadline = Clock::now() + STEP_LIMIT;
        for (; Clock::now() < deadline && _process->isRunning(); std::this_thread::sleep_for(LOOK_INTERVAL)) {
            const auto address = json::parse(readWholeFile(_server.directory() / "address.json"), nullptr, false);
            if (address.is_object() && HttpClient(address.at("admin_url")).get("/readyz").status == 200)
                return address.at("url").get<std::string>() + "/api/v1/supplier";
        }
        CPPUNIT_FAIL("the server of the later release is not ready: " + _server.log());
        return {};
    }

private:
    ServerProcess _server;
    std::unique_ptr<ChildProcess> _process;
};

} // namespace

/// The way of packaging/operating/rolling-upgrade.md, from this release to one whose schema is
/// larger: both serve on the schema of the later one, and nobody notices.
class RollingUpgradeTest : public CppUnit::TestFixture {
protected:
    static UpgradeParties prepare(ServerGroup& group) {
        auto& server = group.server(0);
        UpgradeParties parties;
        parties.category = server.createCategory("Cut flowers");
        const auto supplier = server.createSupplier("Rozenhof");
        parties.supplierKey = server.createKey(supplier, {{"hourly_limit", "1000000000"}});
        parties.operatorKey = group.operatorKey();
        auto client = server.client(parties.supplierKey);
        for (int i = 0; i < 5; ++i) {
            const auto created = client.post("/products", {{"name", "Stocked " + std::to_string(i)},
                                                           {"category_id", parties.category},
                                                           {"base_price", 1.5},
                                                           {"unit", "bunch"},
                                                           {"stock_qty", i < 4 ? 0 : SOLD_STOCK}});
            requireStatus(201, created);
            parties.stocked.push_back(idOf(created.data().at("product")));
        }
        parties.sold = parties.stocked.back();
        parties.stocked.pop_back();
        server.approveProduct(parties.sold);
        return parties;
    }

    static std::int64_t applied(TestDatabase& database, const std::string& migration) {
        return database.integer("SELECT COUNT(*) FROM schema_migrations WHERE applied_at IS NOT NULL AND name = " +
                                database.quote(migration));
    }

    static void requireDone(const CommandResult& result, const std::string& says) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.output + result.errors,
                               (result.output + result.errors).find(says) != std::string::npos);
    }

    static void requireNoComplaint(const UpgradeLoad& load) {
        const auto complaints = load.complaints();
        CPPUNIT_ASSERT_MESSAGE(complaints.empty() ? "" : complaints.front(), complaints.empty());
    }

    static void awaitWrites(const UpgradeLoad& load) {
        const auto deadline = Clock::now() + STEP_LIMIT;
        for (const auto wanted = load.acknowledged() + BETWEEN_STEPS; load.acknowledged() < wanted;
             std::this_thread::sleep_for(LOOK_INTERVAL)) {
            requireNoComplaint(load);
            CPPUNIT_ASSERT_MESSAGE("writes do not go on", Clock::now() < deadline);
        }
        requireNoComplaint(load);
    }

    static void requireAllCounted(TestDatabase& database, const UpgradeLoad& load, const UpgradeParties& parties) {
        for (const auto& [product, stock] : load.stock())
            CPPUNIT_ASSERT_EQUAL(
                stock, database.integer("SELECT stock_qty FROM products WHERE id = " + std::to_string(product)));
        CPPUNIT_ASSERT_EQUAL(static_cast<std::int64_t>(load.skus().size()),
                             database.integer("SELECT COUNT(*) FROM products WHERE sku LIKE 'N-%'"));
        const auto orders = static_cast<std::int64_t>(load.orders());
        CPPUNIT_ASSERT_EQUAL(orders, database.integer("SELECT COUNT(*) FROM orders"));
        CPPUNIT_ASSERT_EQUAL(SOLD_STOCK - orders, database.integer("SELECT stock_qty FROM products WHERE id = " +
                                                                   std::to_string(parties.sold)));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            "every number has an entry",
            database.integer("SELECT SUM(change_seq) FROM supplier_state WHERE supplier_id > 0"),
            database.integer("SELECT COUNT(*) FROM changes WHERE supplier_id > 0"));
        CPPUNIT_ASSERT(load.orders() > 0 && !load.skus().empty() && !load.stock().empty());
    }

    static constexpr std::int64_t SOLD_STOCK = 100'000;
};

TEST(RollingUpgradeTest, bothReleasesServeOnTheSchemaOfTheLaterOne) {
    ServerGroup group(std::vector<ServerOptions>(SERVERS, presentOptions()));
    auto& database = group.database();
    const auto parties = prepare(group);
    std::vector<std::string> urls;
    std::vector<std::unique_ptr<NextServer>> next;
    for (std::size_t i = 0; i < SERVERS; ++i) {
        urls.push_back(group.url(i));
        next.push_back(std::make_unique<NextServer>(database));
    }
    Rotation rotation(urls);
    UpgradeLoad load(rotation, parties);
    awaitWrites(load);

    requireDone(next[0]->control({"migrate", "--plan"}), "next_release");
    requireDone(next[0]->control({"migrate"}), "left for later");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("of core and catalog", std::int64_t(2), applied(database, "next_release"));
    awaitWrites(load);
    for (std::size_t i = 0; i < SERVERS; ++i) {
        const auto ready = group.server(i).adminClient().get("/readyz");
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the present release leaves the rotation: " + ready.body, 200, ready.status);
    }

    for (std::size_t i = 0; i < SERVERS; ++i) {
        rotation.takeOut(i);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(group.server(i).log(), 0, group.server(i).stop());
        rotation.putBack(i, next[i]->start());
        awaitWrites(load); // of both releases, but for the last
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), applied(database, "next_contract"));
    requireDone(next[0]->control({"migrate", "--contract"}), "");
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), applied(database, "next_contract"));
    awaitWrites(load);
    load.finish();
    requireNoComplaint(load);
    requireAllCounted(database, load, parties);
    requireDone(next[0]->control({"totals", "verify"}), "");
    std::cerr << "\n(" << load.acknowledged() << " writes acknowledged and counted again, " << load.reads()
              << " lists read, every answer a good one) ";
}

} // namespace supplierd::tests
