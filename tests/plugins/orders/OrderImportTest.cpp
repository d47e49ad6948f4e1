#include "OrdersFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <csignal>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Files of orders, by POST /order-imports and by `supplierctl order import`.
class OrderImportTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<OrdersClient>();
        _product = _supplier->product(100);
        _name = "IM-" + _supplier->key().substr(3, 8) + "-";
    }
    void tearDown() override { _supplier.reset(); }

protected:
    /// The body of an order of the one product, under a number of this test.
    json order(const std::string& number, int quantity) const {
        return orderBody(json::array({{{"product_id", _product}, {"quantity", quantity}}}),
                         {{"order_number", _name + number}});
    }
    json orders(int count) const {
        json all = json::array();
        for (int i = 1; i <= count; ++i)
            all.push_back(order(std::to_string(i), 1));
        return all;
    }

    static HttpResponse send(const std::string& text, const std::string& query = {}) {
        HttpClient client = operatorClient();
        return client.request("POST", "/order-imports" + query, {{"Content-Type", "application/json"}}, text);
    }
    static json read(std::int64_t id) {
        HttpClient client = operatorClient();
        return dataOf(client.get("/order-imports/" + std::to_string(id))).at("import");
    }
    /// The import once it has ended.
    static json import(const std::string& text, const std::string& query = {}) {
        const std::int64_t id = idOf(dataOf(send(text, query), 202).at("import"));
        waitUntil([&] { return read(id).at("state") == "done" || read(id).at("state") == "stopped"; });
        return read(id);
    }
    /// "created existing failed not_tried"
    static std::string countsOf(const json& import) {
        std::string text;
        for (const char* const count : {"created", "existing", "failed", "not_tried"})
            text += (text.empty() ? "" : " ") + import.at(count).dump();
        return text;
    }

    std::string file() const { return _folder / "orders.json"; }
    CommandResult run(const std::string& text, std::vector<std::string> more = {}) const {
        writeWholeFile(file(), text);
        more.insert(more.begin(), {"order", "import", file()});
        return runControl(fixture().server(), std::move(more));
    }
    static std::string command(const std::string& arguments) {
        return ServerProcess::controlProgram().string() + " -c " + fixture().server().configFile().string() + " " +
               arguments;
    }

    std::int64_t stock() const { return stockOf(_product); }

    std::unique_ptr<OrdersClient> _supplier;
    std::int64_t _product = 0;
    std::string _name;
    TemporaryDirectory _folder{"orders"};
};

TEST(OrderImportTest, ordersAreTakenInWithTheirStock) {
    const json done = import(json{order("1", 10), order("2", 5)}.dump());
    CPPUNIT_ASSERT_EQUAL(json("done"), done.at("state"));
    CPPUNIT_ASSERT_EQUAL(std::string("2 0 0 0"), countsOf(done));
    CPPUNIT_ASSERT_EQUAL(json(2), done.at("total"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{85}, stock());
    CPPUNIT_ASSERT_EQUAL(json(operatorKey().substr(0, 11)), done.at("requested_by"));
    CPPUNIT_ASSERT(done.at("started_at").is_string() && done.at("finished_at").is_string());
}

TEST(OrderImportTest, oneOrderIsAFileToo) {
    CPPUNIT_ASSERT_EQUAL(std::string("1 0 0 0"), countsOf(import(order("1", 10).dump())));
    CPPUNIT_ASSERT_EQUAL(std::string("1 0 0 0"), countsOf(import(json{{"orders", {order("2", 10)}}}.dump())));
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 0 0"), countsOf(import("[]")));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{80}, stock());
}

TEST(OrderImportTest, theSameFileAgainTakesNothingInTwice) {
    import(json{order("1", 10)}.dump());
    CPPUNIT_ASSERT_EQUAL(std::string("1 1 0 0"), countsOf(import(json{order("1", 10), order("2", 10)}.dump())));
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 1 0"), countsOf(import(json{order("1", 20)}.dump())));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{80}, stock());
}

TEST(OrderImportTest, badOrdersAreNamedAndTheOthersTakenIn) {
    json incomplete = order("3", 10);
    incomplete.erase("customer");
    incomplete.at("items").at(0).at("quantity") = "many";
    const json done = import(json{order("1", 10), order("2", 1000), incomplete, 5, order("4", 10)}.dump());
    CPPUNIT_ASSERT_EQUAL(std::string("2 0 3 0"), countsOf(done));
    const json& failures = done.at("failures");
    CPPUNIT_ASSERT_EQUAL(json(2), failures.at(0).at("position"));
    CPPUNIT_ASSERT_EQUAL(json(_name + "2"), failures.at(0).at("order_number"));
    CPPUNIT_ASSERT_EQUAL(json("items[0].quantity"), failures.at(0).at("details").at(0).at("field"));
    requireIn("customer is required; items[0].quantity must be", failures.at(1).at("message").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(json("an order must be a JSON object"), failures.at(2).at("message"));
    CPPUNIT_ASSERT(failures.at(2).at("order_number").is_null());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{80}, stock());
}

TEST(OrderImportTest, stopOnErrorLeavesTheRestUntried) {
    const json done = import(json{order("1", 1), order("2", 1000), order("3", 1)}.dump(), "?stop_on_error=true");
    CPPUNIT_ASSERT_EQUAL(json("stopped"), done.at("state"));
    CPPUNIT_ASSERT_EQUAL(json("an order failed"), done.at("problem"));
    CPPUNIT_ASSERT_EQUAL(std::string("1 0 1 1"), countsOf(done));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{99}, stock());
}

TEST(OrderImportTest, textThatIsNoJsonTakesNothingIn) {
    const std::int64_t before = fixture().database().integer("SELECT COUNT(*) FROM order_imports WHERE state > 0");
    const HttpResponse refused = send("[" + order("1", 10).dump() + ",\n  oops\n]");
    requireProblems(refused, {"orders:type"});
    requireIn("line 2, column 3: order 2: the text is not valid JSON", refused.body);
    requireProblems(send(" "), {"orders:required"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, stock());
    CPPUNIT_ASSERT_EQUAL(before, fixture().database().integer("SELECT COUNT(*) FROM order_imports WHERE state > 0"));
    HttpClient client = operatorClient();
    CPPUNIT_ASSERT_EQUAL(415, client.request("POST", "/order-imports", {{"Content-Type", "text/csv"}}, "[]").status);
}

TEST(OrderImportTest, importsAreListedNewestFirst) {
    const std::int64_t first = idOf(import(json{order("1", 1000)}.dump()));
    const std::int64_t second = idOf(import("[]"));
    HttpClient client = operatorClient();
    const json page = dataOf(client.get("/order-imports?per_page=2"));
    CPPUNIT_ASSERT_EQUAL(second, idOf(page.at("imports").at(0)));
    CPPUNIT_ASSERT_EQUAL(first, idOf(page.at("imports").at(1)));
    CPPUNIT_ASSERT(!page.at("imports").at(1).contains("failures"));
    requireError(404, "NOT_FOUND", client.get("/order-imports/47110815"));
}

TEST(OrderImportTest, auditLogNamesWhoHandedTheFileIn) {
    import(json{order("1", 1)}.dump());
    CPPUNIT_ASSERT_EQUAL(operatorKey().substr(0, 11),
                         fixture().database().text("SELECT actor FROM audit_log WHERE action = 'order.create' "
                                                   "ORDER BY id DESC LIMIT 1"));
    CPPUNIT_ASSERT_EQUAL(0, run(json{order("2", 1)}.dump()).exitCode);
    CPPUNIT_ASSERT(fixture()
                       .database()
                       .text("SELECT actor FROM audit_log WHERE action = 'order.create' ORDER BY id DESC LIMIT 1")
                       .starts_with("local: "));
}

TEST(OrderImportTest, cancelledImportTriesNoFurtherOrder) {
    const std::int64_t product = std::exchange(_product, _supplier->product(100'000));
    const std::int64_t id = idOf(dataOf(send(orders(5'000).dump()), 202).at("import"));
    waitUntil([&] { return read(id).at("created").get<int>() > 2; });
    HttpClient client = operatorClient();
    const json stopped = dataOf(client.postEmpty("/order-imports/" + std::to_string(id) + "/cancel")).at("import");
    CPPUNIT_ASSERT_EQUAL(json("stopped"), stopped.at("state"));
    requireIn("cancelled by ok_", stopped.at("problem").get<std::string>());
    CPPUNIT_ASSERT(stopped.at("not_tried").get<int>() > 0);
    CPPUNIT_ASSERT_EQUAL(json("done"), import(orders(1).dump()).at("state")); // the job is done with the other
    CPPUNIT_ASSERT_EQUAL(countsOf(stopped), countsOf(read(id)));
    CPPUNIT_ASSERT_EQUAL(100'000 - stopped.at("created").get<std::int64_t>(), stock());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, stockOf(product));
}

TEST(OrderImportTest, longImportKeepsNoShortOneWaiting) {
    _product = _supplier->product(100'000);
    const std::int64_t id = idOf(dataOf(send(orders(3'000).dump()), 202).at("import"));
    waitUntil([&] { return read(id).at("created").get<int>() > 0; });
    CPPUNIT_ASSERT_EQUAL(std::string("1 0 0 0"), countsOf(import(order("short", 1).dump())));
    CPPUNIT_ASSERT_EQUAL(json("running"), read(id).at("state"));
    waitUntil([&] { return read(id).at("state") == "done"; });
}

TEST(OrderImportTest, whatIsOldIsRemoved) {
    const std::int64_t old = idOf(import(json{order("1", 1)}.dump()));
    send("[" + order("2", 10).dump() + ", oops]");
    TestDatabase& database = fixture().database();
    database.exec("UPDATE order_imports SET finished_at = NOW(6) - INTERVAL 8 DAY WHERE id = " + std::to_string(old));
    database.exec("UPDATE order_imports SET touched_at = NOW(6) - INTERVAL 2 HOUR WHERE state = 0");
    requireControl(fixture().server(), {"job", "run", "orders", "remove-imports"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database.integer("SELECT COUNT(*) FROM order_imports WHERE state = 0 OR "
                                                           "id = " +
                                                           std::to_string(old)));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database.integer("SELECT COUNT(*) FROM order_import_rows r LEFT JOIN "
                                                           "order_imports i ON i.id = r.import_id WHERE i.id IS NULL"));
}

TEST(OrderImportTest, commandShowsWhatBecameOfTheFile) {
    const auto good = run(json{order("1", 1), order("2", 1)}.dump());
    CPPUNIT_ASSERT_EQUAL_MESSAGE(good.errors, 0, good.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("2 of 2 orders taken in, 0 there already, 0 failed, 0 not tried\n"), good.output);
    CPPUNIT_ASSERT_EQUAL(std::string(), good.errors); // no progress outside of a terminal
    const auto bad = run(json{order("1", 1), order("3", 1000), order("4", 1)}.dump(), {"--stop-on-error"});
    CPPUNIT_ASSERT_EQUAL(1, bad.exitCode);
    requireIn("0 of 3 orders taken in, 1 there already, 1 failed, 1 not tried\n", bad.output);
    requireIn(_name + "3", bad.output);
    requireIn("items[0].quantity", bad.output);
    requireIn("stopped: an order failed", bad.errors);
    const auto asJson = run(json{order("3", 1000)}.dump(), {"--json"});
    CPPUNIT_ASSERT_EQUAL(1, asJson.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 1 0"), countsOf(json::parse(asJson.output).at("import")));
}

TEST(OrderImportTest, commandSaysWhatIsWrongWithTheFile) {
    const auto wrong = run("[{\n oops");
    CPPUNIT_ASSERT_EQUAL(2, wrong.exitCode);
    requireIn("line 2, column ", wrong.errors);
    requireIn("/nonexistent/orders.json",
              requireControl(fixture().server(), {"order", "import", "/nonexistent/orders.json"}, 1));
    requireIn("cannot read", requireControl(fixture().server(), {"order", "import", _folder.path()}, 1));
    requireControl(fixture().server(), {"order", "import"}, 2);
}

TEST(OrderImportTest, standardInputIsRead) {
    writeWholeFile(file(), json{order("1", 10)}.dump());
    const auto result = runCommand({.arguments = {"sh", "-c", "cat " + file() + " | " + command("order import -")}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{90}, stock());
}

TEST(OrderImportTest, progressIsShownOnATerminal) {
    writeWholeFile(file(), json{order("1", 1), order("2", 1)}.dump());
    const auto result = runCommand({.arguments = {"script", "-qec", command("order import " + file()), "/dev/null"},
                                    .environment = {{"TERM", "xterm"}}});
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    requireIn("] 0 of 2", result.output);
    CPPUNIT_ASSERT_MESSAGE(
        result.output,
        result.output.ends_with("\r\033[K2 of 2 orders taken in, 0 there already, 0 failed, 0 not tried\r\n"));
}

TEST(OrderImportTest, serverGoesOnWhenTheCommandIsEnded) {
    _product = _supplier->product(100'000);
    writeWholeFile(file(), orders(2'000).dump());
    ChildProcess process({.arguments = {ServerProcess::controlProgram(), "--config", fixture().server().configFile(),
                                        "order", "import", file()},
                          .output = _folder / "output",
                          .errors = _folder / "output"});
    waitUntil([&] { return stock() < 100'000; });
    process.signal(SIGINT);
    CPPUNIT_ASSERT_EQUAL(1, process.waitFor(std::chrono::minutes(1)).value_or(-1));
    requireIn("the server goes on with it", readWholeFile(_folder / "output"));
    waitUntil([&] { return stock() == 98'000; });
}

/// The server is killed while it takes orders in.
TEST(OrderImportTest, killedServerGoesOnWhereItWasAndDoublesNothing) {
    constexpr int ORDERS = 1'500;
    ServerOptions options;
    options.plugins = {"categories", "catalog", "inventory", "orders"};
    ServerFixture own(options);
    SupplierClient supplier({}, own);
    const std::int64_t product = supplier.fill(1).front();
    own.database().exec("UPDATE products SET stock_qty = 1000000, approval = 1");
    json all = json::array();
    for (int i = 1; i <= ORDERS; ++i)
        all.push_back(orderBody(json::array({{{"product_id", product}, {"quantity", 1}}})));
    const auto groups = [&] { return own.database().integer("SELECT COUNT(*) FROM order_groups"); };
    const std::string key = OperatorClient(own).key();
    const auto platform = [&] { return own.server().operatorClient(key); };
    const std::int64_t id = idOf(
        dataOf(platform().request("POST", "/order-imports", {{"Content-Type", "application/json"}}, all.dump()), 202)
            .at("import"));
    for (int round = 1; round <= 3; ++round) {
        waitUntil([&] { return groups() >= round * ORDERS / 5; });
        own.server().kill();
        // Nobody renews its lease: this is what waiting for its end comes to.
        own.database().exec("UPDATE jobs SET lease_until = NOW(6) WHERE plugin = 'orders' AND name = 'import'");
        CPPUNIT_ASSERT_EQUAL(groups(), own.database().integer("SELECT created FROM order_imports"));
        CPPUNIT_ASSERT_MESSAGE("it was over before the server was killed", groups() < ORDERS);
        own.server().start();
    }
    waitUntil([&] { return own.database().integer("SELECT state FROM order_imports") == 3; });
    const json done = dataOf(platform().get("/order-imports/" + std::to_string(id))).at("import");
    CPPUNIT_ASSERT_EQUAL(std::to_string(ORDERS) + " 0 0 0", countsOf(done));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{ORDERS}, groups());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000 - ORDERS}, own.database().integer("SELECT stock_qty FROM products"));
    own.requireSoundOrders();
}

} // namespace supplierd::tests
