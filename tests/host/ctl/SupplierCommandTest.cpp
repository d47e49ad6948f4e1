#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <string>

namespace supplierd::tests {

/// Suppliers and categories.
class SupplierCommandTest : public ServedControlFixture {
protected:
    std::string addSupplier(const std::string& name) {
        const auto supplier = runJson({"supplier", "add", name}).at("supplier");
        return std::to_string(supplier.at("id").get<std::int64_t>());
    }

    void addProduct(const std::string& supplier, const std::string& columns) {
        static constexpr const char* ALL =
            "supplier_id, name, category_id, base_price, unit, stock_qty, change_seq, approval, is_active";
        database().exec("INSERT INTO products (" + std::string(ALL) + ") VALUES (" + supplier +
                        ", 'Rose', 1, 0.485, 0, 100, 1, " + columns + ")");
    }

    /// Pending, active and inactive.
    static std::string numbersOf(const Json& supplier) {
        std::string text;
        for (const auto* state : {"pending", "active", "inactive"})
            text += supplier.at("products").at(state).dump() + " ";
        return text;
    }

    std::string status(const std::vector<std::string>& arguments) {
        return runJson(arguments).at("supplier").at("status").get<std::string>();
    }
};

TEST(SupplierCommandTest, addedSupplierIsUnverifiedAndHasItsState) {
    const auto supplier = runJson({"supplier", "add", " Bloemen BV ", "--email", "a@b.example"}).at("supplier");
    CPPUNIT_ASSERT_EQUAL(std::string("Bloemen BV"), supplier.at("name").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("unverified"), supplier.at("status").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("a@b.example"), supplier.at("email").get<std::string>());
    const auto id = std::to_string(supplier.at("id").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1),
                         database().integer("SELECT COUNT(*) FROM supplier_state WHERE supplier_id = " + id));
}

TEST(SupplierCommandTest, verifyAndSuspendChangeTheStatus) {
    const auto id = addSupplier("A");
    CPPUNIT_ASSERT_EQUAL(std::string("verified"), status({"supplier", "verify", id}));
    CPPUNIT_ASSERT_EQUAL(std::string("suspended"), status({"supplier", "suspend", id}));
    CPPUNIT_ASSERT_EQUAL(std::string("suspended"), status({"supplier", "suspend", id}));
    CPPUNIT_ASSERT_EQUAL(std::string("verified"), status({"supplier", "verify", id}));
    CPPUNIT_ASSERT(runWell({"supplier", "list"}).find("verified") != std::string::npos);
}

TEST(SupplierCommandTest, updateChangesWhatItIsTold) {
    const auto id = addSupplier("A");
    const auto changed = runJson({"supplier", "update", id, "--name", "B", "--email", "b@c.example"}).at("supplier");
    CPPUNIT_ASSERT_EQUAL(std::string("B"), changed.at("name").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("b@c.example"), changed.at("email").get<std::string>());
    CPPUNIT_ASSERT(runJson({"supplier", "update", id, "--email", ""}).at("supplier").at("email").is_null());
    requireIn("nothing to change", runBadly({"supplier", "update", id}, 2));
    runBadly({"supplier", "update", id, "--email", "nobody"}, 2);
    runBadly({"supplier", "update", "4711", "--name", "C"}, 1);
}

TEST(SupplierCommandTest, supplierIsShownWithItsNumbersOfProducts) {
    runWell({"category", "add", "Roses"});
    const auto id = addSupplier("A");
    for (const auto* state : {"1, 1", "1, 0", "0, 1"})
        addProduct(id, state);
    const auto shown = run({"supplier", "show", id});
    requireIn("name: A\n", shown.output);
    requireIn("products:\n  pending: 1\n  active: 1\n  inactive: 1\n", shown.output);
    requireIn("supplierctl key list " + id, shown.errors);
    addSupplier("B");
    const auto list = runJson({"supplier", "list"}).at("suppliers");
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 0 "), numbersOf(list.at(0)));
    CPPUNIT_ASSERT_EQUAL(std::string("1 1 1 "), numbersOf(list.at(1)));
    CPPUNIT_ASSERT(!runJson({"supplier", "list", "--no-products"}).at("suppliers").at(0).contains("products"));
    database().exec("UPDATE products SET deleted = 1");
    CPPUNIT_ASSERT_EQUAL(std::string("0 0 0 "), numbersOf(runJson({"supplier", "show", id}).at("supplier")));
    runWell({"plugin", "disable", "catalog"});
    server().restart();
    CPPUNIT_ASSERT(!runJson({"supplier", "show", id}).at("supplier").contains("products"));
    runBadly({"supplier", "show", "4711"}, 1);
}

TEST(SupplierCommandTest, suppliersAreListedByPage) {
    for (const auto* name : {"A", "B", "C"})
        addSupplier(name);
    const auto names = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"supplier", "list"});
        std::string text;
        const auto list = runJson(arguments);
        for (const auto& supplier : list.at("suppliers"))
            text += supplier.at("name").get<std::string>();
        return text;
    };
    CPPUNIT_ASSERT_EQUAL(std::string("CB"), names({"--per-page", "2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("A"), names({"--per-page", "2", "--page", "2"}));
    CPPUNIT_ASSERT_EQUAL(std::string("CBA"), names({"--per-page", "2", "--all"}));
    CPPUNIT_ASSERT_EQUAL(std::string("B"), names({"--search", "b"}));
    requireIn("page 1 of 2, 3 in all", run({"supplier", "list", "--per-page", "2"}).errors);
    CPPUNIT_ASSERT_EQUAL(std::string("There are no suppliers; `supplierctl supplier add NAME` adds one.\n"),
                         runWell({"supplier", "list", "--status", "suspended"}));
}

TEST(SupplierCommandTest, sandboxIsMadeOnceAndShown) {
    const auto id = addSupplier("A");
    const auto first = run({"supplier", "sandbox", id});
    requireIn("supplier 2 is the sandbox of supplier " + id, first.output);
    requireIn("supplierctl key create 2", first.errors);
    CPPUNIT_ASSERT_EQUAL(first.output, runWell({"supplier", "sandbox", id}));
    requireIn("has none itself", runBadly({"supplier", "sandbox", "2"}, 1));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), runJson({"supplier", "list"}).at("suppliers").size());
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), runJson({"supplier", "list", "--sandbox"}).at("suppliers").size());
}

TEST(SupplierCommandTest, everyChangeIsInTheAuditLogOnce) {
    const auto id = addSupplier("A");
    for (const auto* verb : {"verify", "verify", "suspend"})
        runWell({"supplier", verb, id});
    runBadly({"supplier", "verify", "4711"}, 1);
    runWell({"category", "add", "Roses"});
    runBadly({"category", "add", "Roses"}, 2);
    const auto object = "supplier " + id + " " + id + " ";
    CPPUNIT_ASSERT_EQUAL("supplier.create " + object + "- {\"name\":\"A\",\"email\":null,\"status\":\"unverified\"}\n" +
                             "supplier.verify " + object + "{\"status\":\"unverified\"} {\"status\":\"verified\"}\n" +
                             "supplier.suspend " + object + "{\"status\":\"verified\"} {\"status\":\"suspended\"}\n" +
                             "category.create category 1 - - {\"name\":\"Roses\",\"slug\":\"roses\",\"parent_id\":null,"
                             "\"type\":\"flower\",\"is_active\":true}\n",
                         audited());
}

TEST(SupplierCommandTest, unknownSupplierIsNamed) {
    const auto errors = runBadly({"supplier", "verify", "4711"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("There is no supplier 4711") != std::string::npos);
}

TEST(SupplierCommandTest, whatIsNoIdIsToldSo) {
    const auto errors = runBadly({"supplier", "verify", "x"}, 2);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("'x' is no whole number") != std::string::npos);
    runBadly({"supplier", "verify", "0"}, 2);
    runBadly({"supplier", "verify", "1x"}, 2);
    runBadly({"supplier", "verify", "99999999999999999999"}, 2);
}

TEST(SupplierCommandTest, anUpdateWithoutOptionsSaysWhichThereAre) {
    runWell({"supplier", "add", "A"});
    requireIn("give at least one of --name, --email\n", runBadly({"supplier", "update", "1"}, 2));
    requireIn("--type, --active, --inactive, --top\n", runBadly({"category", "update", "1"}, 2));
    runWell({"supplier", "update", "1", "--name", "B"});
}

TEST(SupplierCommandTest, aPageBehindTheLastOneIsNoEmptyList) {
    CPPUNIT_ASSERT_EQUAL(std::string("There are no suppliers; `supplierctl supplier add NAME` adds one.\n"),
                         runWell({"supplier", "list", "--page", "9"}));
    runWell({"supplier", "add", "A"});
    CPPUNIT_ASSERT_EQUAL(std::string("There is nothing on page 9; the last page is 1.\n"),
                         runWell({"supplier", "list", "--page", "9"}));
}

TEST(SupplierCommandTest, emptyNameIsAUsageError) {
    runBadly({"supplier", "add", "   "}, 2);
    CPPUNIT_ASSERT_EQUAL(std::size_t(0), runJson({"supplier", "list"}).at("suppliers").size());
}

TEST(SupplierCommandTest, whatIsNoEmailIsAUsageError) {
    for (const auto* email : {"nomail", "@b.example", "a@", "a b@c.example"}) {
        const auto errors = runBadly({"supplier", "add", "A", "--email", email}, 2);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("must be an e-mail address") != std::string::npos);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t(0), runJson({"supplier", "list"}).at("suppliers").size());
}

TEST(SupplierCommandTest, whatIsNoUtf8IsAUsageError) {
    runBadly({"supplier", "add", "caf\xe9"}, 2);
    runBadly({"supplier", "add", "A", "--email", "caf\xe9@b.example"}, 2);
    for (const auto& arguments : {std::vector<std::string>{"category", "add", "caf\xe9"},
                                  std::vector<std::string>{"category", "add", "A", "--slug", "caf\xe9"}}) {
        const auto errors = runBadly(arguments, 2);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("valid UTF-8") != std::string::npos);
    }
}

TEST(SupplierCommandTest, commandsToTheTerminalAreShownNotSent) {
    const std::string name = "A\x1b[2J\x07\n\u009b31m\u202eZ";
    const std::string shown = "A\\u001b[2J\\u0007\\u000a\\u009b31m\\u202eZ";
    addSupplier(name);
    for (const auto& text : {runWell({"supplier", "list"}), runWell({"category", "add", name, "--slug", "a"}),
                             runWell({"category", "list"}), runBadly({"category", "add", "B", "--slug", name}, 2),
                             runBadly({"supplier", "add", "C", "--email", name}, 2), runBadly({name}, 2)})
        for (const char c : text)
            CPPUNIT_ASSERT_MESSAGE(text, c == '\n' || static_cast<unsigned char>(c) >= ' ');
    const auto list = runWell({"supplier", "list"});
    CPPUNIT_ASSERT_MESSAGE(list, list.find(shown + "  ") != std::string::npos);
    CPPUNIT_ASSERT(runWell({"category", "list"}).find(shown) != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(name, runJson({"supplier", "list"}).at("suppliers").at(0).at("name").get<std::string>());
}

TEST(SupplierCommandTest, namesOfAnyScriptAreKept) {
    addSupplier("Цветы 💐 'x' \"y\"; DROP TABLE suppliers");
    CPPUNIT_ASSERT_EQUAL(std::string("Цветы 💐 'x' \"y\"; DROP TABLE suppliers"),
                         runJson({"supplier", "list"}).at("suppliers").at(0).at("name").get<std::string>());
}

TEST(SupplierCommandTest, categoryGetsItsSlugFromItsName) {
    const auto top = runJson({"category", "add", "Cut flowers & more!"}).at("category");
    CPPUNIT_ASSERT_EQUAL(std::string("cut-flowers-more"), top.at("slug").get<std::string>());
    CPPUNIT_ASSERT(top.at("parent_id").is_null());
    const auto parent = std::to_string(top.at("id").get<std::int64_t>());
    const auto below = runJson({"category", "add", "Vases", "--parent", parent, "--type", "supply"}).at("category");
    CPPUNIT_ASSERT_EQUAL(top.at("id").get<std::int64_t>(), below.at("parent_id").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::string("supply"), below.at("type").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), runJson({"category", "list"}).at("categories").size());
    runBadly({"category", "add", "花"}, 2);
    runBadly({"category", "add", "Roses", "--slug", "Not A Slug"}, 2);
    runBadly({"category", "add", "Roses", "--type", "tree"}, 2);
}

TEST(SupplierCommandTest, categoriesAreListedWithTheirParents) {
    runWell({"category", "add", "Roses"});
    runWell({"category", "add", "Garden roses", "--parent", "1", "--inactive"});
    const auto list = runWell({"category", "list"});
    requireIn("garden-roses  Roses   flower  no", list);
    requireIn("PARENT", list);
    CPPUNIT_ASSERT_EQUAL(std::string("Roses"),
                         runJson({"category", "list"}).at("categories").at(1).at("parent_name").get<std::string>());
}

TEST(SupplierCommandTest, categoryChangesInWhatIsNamed) {
    runWell({"category", "add", "Roses"});
    runWell({"category", "add", "Climbers", "--parent", "1"});
    CPPUNIT_ASSERT_EQUAL(std::string("category 2: Climbing roses (climbers)\n"),
                         runWell({"category", "update", "2", "--name", "Climbing roses", "--inactive"}));
    const auto changed = runJson({"category", "update", "2", "--top", "--active"}).at("category");
    CPPUNIT_ASSERT(changed.at("parent_id").is_null());
    CPPUNIT_ASSERT(changed.at("is_active").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::string("Climbing roses"), changed.at("name").get<std::string>());
    runBadly({"category", "update", "1", "--parent", "1"}, 2);
    runBadly({"category", "update", "99", "--name", "A"}, 1);
}

TEST(SupplierCommandTest, categoryUnderAnUnknownParentIsRefused) {
    const auto errors = runBadly({"category", "add", "Roses", "--parent", "99"}, 2);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("no category 99") != std::string::npos);
}

TEST(SupplierCommandTest, secondCategoryOfTheSameSlugIsRefused) {
    runWell({"category", "add", "Roses"});
    const auto errors = runBadly({"category", "add", "ROSES"}, 2);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("slug 'roses' is already used") != std::string::npos);
    runWell({"category", "add", "ROSES", "--slug", "more-roses"});
}

} // namespace supplierd::tests
