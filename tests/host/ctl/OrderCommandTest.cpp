#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <csignal>
#include <string>

namespace supplierd::tests {

/// order import and order complete, through the plugin orders.
class OrderCommandTest : public MigratedControlFixture {
public:
    void setUp() override {
        MigratedControlFixture::setUp();
        const auto category = server().createCategory("Roses");
        const auto supplier = std::to_string(server().createSupplier("A"));
        database().exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, is_active, approval, "
                        "stock_qty, change_seq) VALUES (" +
                        supplier + ", 'Rose', " + std::to_string(category) + ", 0.485, 0, 1, 1, 100, 1)");
        _product = database().lastInsertId();
        database().exec("UPDATE supplier_state SET change_seq = 1 WHERE supplier_id = " + supplier);
    }

protected:
    std::vector<std::string> plugins() const override { return {"categories", "catalog", "orders"}; }

    Json order(const std::string& number, int quantity) const {
        return {{"order_number", number},
                {"customer", {{"company_name", "Bloom BV"}}},
                {"items", {{{"product_id", _product}, {"quantity", quantity}}}}};
    }

    std::string file() const { return (server().directory() / "orders.json").string(); }
    void write(const std::string& text) const { writeWholeFile(file(), text); }

    CommandResult import(const std::vector<Json>& orders) {
        write(Json(orders).dump());
        return run({"order", "import", file()});
    }

    std::string command(const std::string& arguments) const {
        return ServerProcess::controlProgram().string() + " -c " + configFile().string() + " " + arguments;
    }
    static CommandResult shell(const std::string& text) { return runCommand({.arguments = {"sh", "-c", text}}); }

    std::int64_t stock() { return database().integer("SELECT stock_qty FROM products"); }
    std::int64_t groups() { return database().integer("SELECT COUNT(*) FROM order_groups"); }
    std::string group(const std::string& number) {
        return database().text("SELECT id FROM order_groups WHERE order_number = " + database().quote(number));
    }
    std::string status(const std::string& number) {
        return database().text("SELECT status FROM order_groups WHERE order_number = " + database().quote(number));
    }

    /// As after the supplier's moves; DELIVERED is the fifth of the states.
    void deliver(const std::string& number) {
        database().exec("UPDATE order_groups SET status = 4 WHERE order_number = " + database().quote(number));
        database().exec("UPDATE order_totals SET pending = pending - 1, delivered = delivered + 1");
    }

    std::int64_t _product = 0;
};

TEST(OrderCommandTest, ordersAreTakenInWithTheirStock) {
    const auto result = import({order("A-1", 10), order("A-2", 5)});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("2 of 2 orders taken in\n"), result.output);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{85}, stock());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, groups());
}

TEST(OrderCommandTest, oneOrderIsAFileToo) {
    write(order("A-1", 10).dump());
    CPPUNIT_ASSERT_EQUAL(std::string("1 of 1 order taken in\n"), runWell({"order", "import", file()}));
    write(Json{{"orders", {order("A-2", 10)}}}.dump());
    CPPUNIT_ASSERT_EQUAL(1, runJson({"order", "import", file()}).at("created").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{80}, stock());
}

TEST(OrderCommandTest, repeatedImportTakesNothingInTwice) {
    import({order("A-1", 10)});
    const auto result = import({order("A-1", 10), order("A-2", 10)});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("1 of 2 orders taken in, 1 there already\n"), result.output);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{80}, stock());
}

TEST(OrderCommandTest, badOrdersAreNamedAndTheOthersTakenIn) {
    auto incomplete = order("A-3", 10);
    incomplete.erase("customer");
    incomplete.at("items").at(0).at("quantity") = "many";
    const auto result = import({order("A-1", 10), order("A-2", 1000), incomplete, 5, order("A-4", 10)});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("order 2 \"A-2\" failed: ", result.output);
    requireIn("order 3 \"A-3\" failed: customer is required\n    items[0].quantity must be", result.output);
    requireIn("order 4 failed: an order must be a JSON object\n", result.output);
    requireIn("2 of 5 orders taken in, 3 failed\n", result.output);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{80}, stock());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, groups());
}

TEST(OrderCommandTest, failuresAreObjectsWithJson) {
    write(Json{order("A-1", 1000), order("A-2", 1)}.dump());
    const auto answer = runJson({"order", "import", file()}, 1);
    CPPUNIT_ASSERT_EQUAL(2, answer.at("total").get<int>());
    CPPUNIT_ASSERT_EQUAL(1, answer.at("created").get<int>());
    CPPUNIT_ASSERT_EQUAL(1, answer.at("failed").get<int>());
    CPPUNIT_ASSERT_EQUAL(0, answer.at("not_tried").get<int>());
    CPPUNIT_ASSERT(answer.at("stop_reason").is_null());
    const auto& failure = answer.at("failures").at(0);
    CPPUNIT_ASSERT_EQUAL(1, failure.at("position").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("A-1"), failure.at("order_number").get<std::string>());
    CPPUNIT_ASSERT(!failure.at("details").at(0).at("field").get<std::string>().empty());
}

TEST(OrderCommandTest, stopOnErrorLeavesTheRestUntried) {
    write(Json{order("A-1", 1), order("A-2", 1000), order("A-3", 1)}.dump());
    const auto answer = runJson({"order", "import", "--stop-on-error", file()}, 1);
    CPPUNIT_ASSERT_EQUAL(1, answer.at("not_tried").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("an order failed"), answer.at("stop_reason").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{99}, stock());
}

TEST(OrderCommandTest, anotherBodyUnderAKnownNumberFails) {
    import({order("A-1", 10)});
    const auto result = import({order("A-1", 20)});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("order 1 \"A-1\" failed: ", result.output);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{90}, stock());
}

TEST(OrderCommandTest, fileThatIsNoJsonTakesNothingIn) {
    write("[" + order("A-1", 10).dump() + ",\n  oops\n]");
    const auto errors = runBadly({"order", "import", file()}, 1);
    requireIn(file() + ":2:3: the text is not valid JSON", errors);
    requireIn("nothing was taken in", errors);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, stock());
}

TEST(OrderCommandTest, emptyFileIsAFailureAndNoOrdersAreNone) {
    write("");
    requireIn(file() + " is empty", runBadly({"order", "import", file()}, 1));
    write("[]");
    CPPUNIT_ASSERT_EQUAL(std::string("there are no orders in it\n"), runWell({"order", "import", file()}));
}

TEST(OrderCommandTest, missingFileIsNamed) {
    requireIn("/nonexistent/orders.json", runBadly({"order", "import", "/nonexistent/orders.json"}, 1));
    requireIn("directory", runBadly({"order", "import", server().directory()}, 1));
    runBadly({"order", "import"}, 2);
}

TEST(OrderCommandTest, standardInputIsRead) {
    write(Json{order("A-1", 10)}.dump());
    const auto result = shell("cat " + file() + " | " + command("order import -"));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{90}, stock());
    const auto malformed = shell("echo '[{' | " + command("order import -"));
    CPPUNIT_ASSERT_EQUAL(1, malformed.exitCode);
    requireIn("standard input:", malformed.errors);
}

TEST(OrderCommandTest, manyOrdersAreAllTakenIn) {
    database().exec("UPDATE products SET stock_qty = 2000");
    Json orders;
    for (int i = 1; i <= 1000; ++i)
        orders.push_back(order("M-" + std::to_string(i), 2));
    write(orders.dump());
    CPPUNIT_ASSERT_EQUAL(1000, runJson({"order", "import", file()}).at("created").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stock());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1000}, groups());
    CPPUNIT_ASSERT_EQUAL(1000, runJson({"order", "import", file()}).at("existing").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stock());
}

TEST(OrderCommandTest, interruptedImportTellsWhatIsLeftAndCanBeRepeated) {
    database().exec("UPDATE products SET stock_qty = 5000");
    Json orders;
    for (int i = 1; i <= 5000; ++i)
        orders.push_back(order("M-" + std::to_string(i), 1));
    write(orders.dump());
    const auto output = server().directory() / "output";
    ChildProcess process(
        {.arguments = {ServerProcess::controlProgram(), "--config", configFile(), "order", "import", file(), "--json"},
         .output = output});
    while (groups() < 3)
        CPPUNIT_ASSERT(process.isRunning());
    process.signal(SIGINT);
    CPPUNIT_ASSERT_EQUAL(1, process.waitFor(std::chrono::minutes(1)).value_or(-1));
    const auto answer = Json::parse(readWholeFile(output));
    CPPUNIT_ASSERT_EQUAL(std::string("interrupted"), answer.at("stop_reason").get<std::string>());
    const auto created = answer.at("created").get<std::int64_t>();
    CPPUNIT_ASSERT_EQUAL(groups(), created);
    CPPUNIT_ASSERT_EQUAL(5000 - created, answer.at("not_tried").get<std::int64_t>());

    write(Json(Json::Array(orders.elements().begin(), orders.elements().begin() + created + 2)).dump());
    const auto second = runJson({"order", "import", file()});
    CPPUNIT_ASSERT_EQUAL(created, second.at("existing").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(2, second.at("created").get<int>());
    CPPUNIT_ASSERT_EQUAL(5000 - created - 2, stock());
}

TEST(OrderCommandTest, noProgressIsShownOutsideATerminal) {
    CPPUNIT_ASSERT_EQUAL(std::string(), import({order("A-1", 1)}).errors);
}

TEST(OrderCommandTest, progressIsShownOnATerminal) {
    write(Json{order("A-1", 1), order("A-2", 1)}.dump());
    const auto onTerminal = [&](const std::string& terminal) {
        return runCommand({.arguments = {"script", "-qec", command("order import " + file()), "/dev/null"},
                           .environment = {{"TERM", terminal}}});
    };
    const auto result = onTerminal("xterm");
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    requireIn("\r[>", result.output);
    requireIn("] 0 of 2", result.output);
    CPPUNIT_ASSERT(result.output.ends_with("\r\033[K2 of 2 orders taken in\r\n"));
    CPPUNIT_ASSERT_EQUAL(std::string("0 of 2 orders taken in, 2 there already\r\n"), onTerminal("dumb").output);
}

TEST(OrderCommandTest, disabledPluginIsNamedWithItsCommand) {
    runWell({"plugin", "disable", "orders"});
    write(order("A-1", 1).dump());
    requireIn("run: supplierctl plugin enable orders", runBadly({"order", "import", file()}, 1));
    requireIn("run: supplierctl plugin enable orders", runBadly({"order", "complete", "1"}, 1));
}

TEST(OrderCommandTest, schemaThatIsBehindSaysToMigrate) {
    for (const auto* table : {"order_items", "order_status_history", "order_totals", "order_groups", "orders"})
        database().exec("SET foreign_key_checks = 0; DROP TABLE " + std::string(table));
    write(order("A-1", 1).dump());
    requireIn("run `supplierctl migrate`", runBadly({"order", "import", file()}, 1));
}

TEST(OrderCommandTest, deliveredOrdersAreCompleted) {
    import({order("A-1", 1), order("A-2", 1)});
    deliver("A-1");
    deliver("A-2");
    const auto answer = runJson({"order", "complete", group("A-1"), group("A-2")}).at("orders");
    CPPUNIT_ASSERT(answer.at(0).at("completed").get<bool>() && answer.at(1).at("completed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(status("A-1"), status("A-2"));
    runBadly({"order", "complete", group("A-1")}, 1);
}

TEST(OrderCommandTest, orderThatCannotBeCompletedDoesNotKeepOthersFromIt) {
    import({order("A-1", 1), order("A-2", 1)});
    const auto pending = status("A-1");
    deliver("A-2");
    const auto answer = runJson({"order", "complete", "4711", group("A-1"), group("A-2")}, 1).at("orders");
    CPPUNIT_ASSERT_EQUAL(std::string("Order group not found"), answer.at(0).at("problem").get<std::string>());
    requireIn("pending", answer.at(1).at("problem").get<std::string>());
    CPPUNIT_ASSERT(answer.at(2).at("completed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(pending, status("A-1"));
    requireIn("'x' is no order id", runBadly({"order", "complete", "x"}, 2));
}

TEST(OrderCommandTest, everyChangeIsInTheAuditLog) {
    import({order("A-1", 1), order("A-2", 1000)});
    import({order("A-1", 1)});
    deliver("A-1");
    runWell({"order", "complete", group("A-1")});
    const auto log = audited();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(log, std::string("order.create"), log.substr(0, log.find(' ')));
    requireIn("\norder_group.complete order_group " + group("A-1") + " ", log);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, database().integer("SELECT COUNT(*) FROM audit_log"));
}

} // namespace supplierd::tests
