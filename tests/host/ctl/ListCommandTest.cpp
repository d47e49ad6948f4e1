#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// What there is: suppliers, products and orders, as pages, and one of them.
class ListCommandTest : public MigratedControlFixture {
public:
    void setUp() override {
        MigratedControlFixture::setUp();
        _category = server().createCategory("Roses");
        _supplier = server().createSupplier("A");
    }

protected:
    std::vector<std::string> plugins() const override { return {"categories", "catalog", "orders"}; }

    std::string addProduct(const std::string& name, bool approved) {
        const auto supplier = std::to_string(_supplier);
        const auto category = std::to_string(_category);
        const std::string state = approved ? "1" : "0";
        database().exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, approval, stock_qty, "
                        "change_seq) VALUES (" +
                        supplier + ", " + database().quote(name) + ", " + category + ", 0.485, 0, " + state +
                        ", 100, 1)");
        return std::to_string(database().lastInsertId());
    }

    std::int64_t _category = 0;
    std::int64_t _supplier = 0;
};

TEST(ListCommandTest, productsAreListedByPage) {
    for (int i = 0; i < 3; ++i)
        addProduct("Rose " + std::to_string(i), true);
    const auto first = run({"product", "list", "--per-page", "2"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(first.errors, 0, first.exitCode);
    CPPUNIT_ASSERT(first.output.find("Rose 2") != std::string::npos);
    CPPUNIT_ASSERT(first.output.find("Rose 0") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("page 1 of 2, 3 in all; the next one: --page 2\n"), first.errors);
    CPPUNIT_ASSERT(runWell({"product", "list", "--per-page", "2", "--page", "2"}).find("Rose 0") != std::string::npos);
    const auto page = runJson({"product", "list", "--per-page", "2"});
    CPPUNIT_ASSERT_EQUAL(3, page.at("pagination").at("total_items").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), page.at("products").size());
    const auto cursor = page.at("pagination").at("next_cursor").get<std::string>();
    CPPUNIT_ASSERT_EQUAL(std::size_t(1),
                         runJson({"product", "list", "--per-page", "2", "--cursor", cursor}).at("products").size());
}

TEST(ListCommandTest, filtersAreThoseOfTheApi) {
    addProduct("Waiting", false);
    addProduct("Sold", true);
    const auto names = [&](const std::vector<std::string>& filters) {
        std::vector<std::string> arguments = {"product", "list"};
        arguments.insert(arguments.end(), filters.begin(), filters.end());
        std::string text;
        const auto page = runJson(arguments);
        for (const auto& product : page.at("products"))
            text += product.at("name").get<std::string>() + " ";
        return text;
    };
    CPPUNIT_ASSERT_EQUAL(std::string("Sold Waiting "), names({}));
    CPPUNIT_ASSERT_EQUAL(std::string("Waiting "), names({"--status", "pending"}));
    CPPUNIT_ASSERT_EQUAL(std::string("Sold "), names({"--status", "active", "--supplier", std::to_string(_supplier)}));
    CPPUNIT_ASSERT_EQUAL(std::string(), names({"--supplier", "4711"}));
    CPPUNIT_ASSERT_EQUAL(std::string("There are no such products.\n"),
                         runWell({"product", "list", "--supplier", "4711"}));
}

TEST(ListCommandTest, whatTheServiceRefusesIsWrongUsage) {
    for (const auto& wrong : std::vector<std::vector<std::string>>{{"--status", "sold"},
                                                                   {"--supplier", "x"},
                                                                   {"--page", "0"},
                                                                   {"--per-page", "101"},
                                                                   {"--cursor", "rubbish"}}) {
        std::vector<std::string> arguments = {"product", "list"};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        const auto errors = runBadly(arguments, 2);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find(wrong.front().substr(2, 4)) != std::string::npos);
    }
}

TEST(ListCommandTest, productIsShownWithItsSupplier) {
    const auto id = addProduct("Red Naomi", true);
    const auto text = runWell({"product", "show", id});
    for (const auto* line : {"name: Red Naomi\n", "base_price: 0.485\n", "supplier:\n  id: ", "  status: approved\n"})
        CPPUNIT_ASSERT_MESSAGE(text, text.find(line) != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("A"),
                         runJson({"product", "show", id}).at("product").at("supplier").at("name").get<std::string>());
    const auto errors = runBadly({"product", "show", "4711"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("there is no product 4711") != std::string::npos);
}

TEST(ListCommandTest, namesAreSafeForATerminal) {
    const auto id = addProduct("Rose \x1b[31m", true);
    for (const auto& text : {runWell({"product", "list"}), runWell({"product", "show", id})}) {
        CPPUNIT_ASSERT_MESSAGE(text, text.find("Rose \\u001b[31m") != std::string::npos);
        CPPUNIT_ASSERT(text.find('\x1b') == std::string::npos);
    }
}

TEST(ListCommandTest, ordersAreListedAndShown) {
    const auto product = addProduct("Rose", true);
    const auto file = server().directory() / "orders.json";
    writeWholeFile(file, R"({"order_number":"A-1","customer":{"company_name":"Fleur"},"items":[{"product_id":)" +
                             product + R"(,"quantity":2}]})");
    runWell({"order", "import", file});
    const auto page = runJson({"order", "list", "--status", "pending", "--supplier", std::to_string(_supplier)});
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), page.at("orders").size());
    const auto id = std::to_string(page.at("orders").at(0).at("id").get<std::int64_t>());
    CPPUNIT_ASSERT(runWell({"order", "list"}).find("Fleur") != std::string::npos);
    const auto text = runWell({"order", "show", id});
    for (const auto* line : {"order_number: A-1\n", "items:\n  -\n", "company_name: Fleur\n"})
        CPPUNIT_ASSERT_MESSAGE(text, text.find(line) != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("There are no such orders.\n"), runWell({"order", "list", "--status", "shipped"}));
    runBadly({"order", "show", "4711"}, 1);
    runBadly({"order", "list", "--created-from", "yesterday"}, 2);
}

TEST(ListCommandTest, supplierIsShown) {
    const auto id = std::to_string(_supplier);
    CPPUNIT_ASSERT_EQUAL(std::string("A"),
                         runJson({"supplier", "show", id}).at("supplier").at("name").get<std::string>());
    CPPUNIT_ASSERT(runWell({"supplier", "show", id}).find("status: verified\n") != std::string::npos);
    runBadly({"supplier", "show", "4711"}, 1);
}

TEST(ListCommandTest, suppliersAreListedWithTheirNumbersOfProducts) {
    addProduct("Rose", true);
    addProduct("Tulip", true);
    addProduct("Lily", false);
    const auto other = server().createSupplier("B");
    database().exec("UPDATE products SET is_active = 0 WHERE name = 'Rose'");
    const auto numbers = [&](const Json& supplier) {
        std::string text;
        for (const auto* state : {"products_pending", "products_active", "products_inactive"})
            text += supplier.at(state).dump() + " ";
        return text;
    };
    const auto list = runJson({"supplier", "list"}).at("suppliers");
    CPPUNIT_ASSERT_EQUAL(std::string("1 1 1 "), numbers(list.at(0)));
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 0 "), numbers(list.at(1)));
    database().exec("UPDATE products SET deleted = 1");
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 0 "),
                         numbers(runJson({"supplier", "show", std::to_string(_supplier)}).at("supplier")));
    runWell({"plugin", "disable", "orders"});
    runWell({"plugin", "disable", "catalog"});
    CPPUNIT_ASSERT_EQUAL(std::string("null null null "),
                         numbers(runJson({"supplier", "suspend", std::to_string(other)}).at("supplier")));
}

TEST(ListCommandTest, suppliersAreListedByPage) {
    server().createSupplier("B");
    const auto first = run({"supplier", "list", "--limit", "1"});
    CPPUNIT_ASSERT_EQUAL("Further ones: --after " + std::to_string(_supplier) + "\n", first.errors);
    const auto next = runJson({"supplier", "list", "--limit", "1", "--after", std::to_string(_supplier)});
    CPPUNIT_ASSERT_EQUAL(std::string("B"), next.at("suppliers").at(0).at("name").get<std::string>());
}

TEST(ListCommandTest, wrongTotalsAreRepairedWithAnEntry) {
    addProduct("Rose", true);
    const auto other = server().createSupplier("B");
    CPPUNIT_ASSERT_EQUAL(std::string("2 of 2 suppliers checked; all totals are right\n"),
                         runWell({"totals", "verify"}));
    database().exec("INSERT INTO order_totals (supplier_id, shipped, pending) VALUES (" + std::to_string(other) +
                    ", 2, 0), (" + std::to_string(_supplier) + ", 0, 5)");
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), runJson({"totals", "verify"}, 1).at("wrong").size());
    CPPUNIT_ASSERT_EQUAL(std::string(), audited());
    const auto repaired = runJson({"totals", "verify", "--repair"});
    CPPUNIT_ASSERT_EQUAL(2, repaired.at("repaired").get<int>());
    runWell({"totals", "verify"});
    const auto log = audited();
    CPPUNIT_ASSERT_MESSAGE(log, log.find(R"("orders shipped":2)") != std::string::npos &&
                                    log.find(R"("orders shipped":0)") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), database().integer("SELECT SUM(pending + shipped) FROM order_totals"));
    const auto errors = runBadly({"totals", "verify", "--supplier", "4711"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("there is no supplier 4711") != std::string::npos);
}

} // namespace supplierd::tests
