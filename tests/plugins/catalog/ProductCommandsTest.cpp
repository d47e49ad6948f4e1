#include "tests/support/Control.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// `supplierctl product list`, `show`, `approve` and `reject`, which are rows of openapi.json.
class ProductCommandsTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }
    void tearDown() override { _supplier.reset(); }

protected:
    static CommandResult run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "product");
        return runControl(fixture().server(), std::move(arguments));
    }
    static std::string require(std::vector<std::string> arguments, int exitCode = 0) {
        arguments.insert(arguments.begin(), "product");
        return requireControl(fixture().server(), std::move(arguments), exitCode);
    }
    static json requireJson(std::vector<std::string> arguments, int exitCode = 0) {
        arguments.insert(arguments.begin(), "product");
        return controlJson(fixture().server(), std::move(arguments), exitCode);
    }

    std::string create(const std::string& name = "Rose") {
        return std::to_string(idOf(_supplier->create({{"name", name}})));
    }
    std::string approvalOf(const std::string& id) {
        const json approval = _supplier->read(std::stoll(id)).at("approval");
        return approval.at("status").get<std::string>() + " " + approval.value("reason", json("")).dump();
    }
    std::string supplier() const { return std::to_string(_supplier->id()); }
    /// "Rose 2 Rose 1 "
    std::string names(std::vector<std::string> filters) {
        filters.insert(filters.begin(), {"list", "--supplier", supplier()});
        std::string text;
        const json page = requireJson(std::move(filters));
        for (const json& product : page.at("products"))
            text += product.at("name").get<std::string>() + " ";
        return text;
    }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductCommandsTest, productsAreListedByPageOrAllAtOnce) {
    for (int i = 0; i < 3; ++i)
        create("Rose " + std::to_string(i));
    const auto first = run({"list", "--supplier", supplier(), "--per-page", "2"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(first.errors, 0, first.exitCode);
    requireIn("Rose 2", first.output);
    CPPUNIT_ASSERT(first.output.find("Rose 0") == std::string::npos);
    requireIn("page 1 of 2, 3 in all; the next one: --page 2", first.errors);
    requireIn("Rose 0", require({"list", "--supplier", supplier(), "--per-page", "2", "--page", "2"}));
    const json page = requireJson({"list", "--supplier", supplier(), "--per-page", "2"});
    CPPUNIT_ASSERT_EQUAL(3, page.at("pagination").at("total_items").get<int>());
    const std::string cursor = page.at("pagination").at("next_cursor");
    CPPUNIT_ASSERT_EQUAL(std::string("Rose 0 "), names({"--per-page", "2", "--cursor", cursor}));
    CPPUNIT_ASSERT_EQUAL(std::string("Rose 2 Rose 1 Rose 0 "), names({"--all"}));
}

TEST(ProductCommandsTest, filtersAreThoseOfTheApi) {
    create("Waiting");
    const std::string sold = create("Sold");
    require({"approve", sold});
    CPPUNIT_ASSERT_EQUAL(std::string("Sold Waiting "), names({}));
    CPPUNIT_ASSERT_EQUAL(std::string("Waiting "), names({"--approval", "pending"}));
    CPPUNIT_ASSERT_EQUAL(std::string("Sold "), names({"--status", "active"}));
    CPPUNIT_ASSERT_EQUAL(std::string("There are no such products.\n"), require({"list", "--supplier", "47110815"}));
    for (const auto& wrong : std::vector<std::vector<std::string>>{
             {"--status", "sold"}, {"--supplier", "x"}, {"--page", "0"}, {"--cursor", "rubbish"}}) {
        std::vector<std::string> arguments = {"list"};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        requireIn(wrong.front().substr(2), require(arguments, 2));
    }
}

TEST(ProductCommandsTest, productIsShownWithItsSupplier) {
    const std::string id = create("Red Naomi");
    const std::string text = require({"show", id});
    for (const auto* line : {"name: Red Naomi\n", "supplier:\n  id: ", "  status: pending\n"})
        requireIn(line, text);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->name()), requireJson({"show", id}).at("product").at("supplier").at("name"));
    requireIn("Product not found", require({"show", "47110815"}, 1));
}

TEST(ProductCommandsTest, namesAreSafeForATerminal) {
    const std::string id = create("Rose \x1b[31m");
    for (const auto& text : {require({"list", "--supplier", supplier()}), require({"show", id})}) {
        requireIn("Rose \\u001b[31m", text);
        CPPUNIT_ASSERT(text.find('\x1b') == std::string::npos);
    }
}

TEST(ProductCommandsTest, productsAreApprovedAndRefused) {
    const std::string one = create();
    const std::string other = create();
    CPPUNIT_ASSERT_EQUAL(std::string("products approved: 2\n"), require({"approve", one, other}));
    CPPUNIT_ASSERT_EQUAL(std::string("approved null"), approvalOf(one));
    CPPUNIT_ASSERT_EQUAL(std::string("products refused: 1\n"), require({"reject", one, "--reason", " wrong 💐 "}));
    CPPUNIT_ASSERT_EQUAL(std::string("rejected \"wrong 💐\""), approvalOf(one));
    require({"reject", other}, 2);
    require({"reject", other, "--reason", "  "}, 2);
    CPPUNIT_ASSERT_EQUAL(std::string("approved null"), approvalOf(other));
}

TEST(ProductCommandsTest, allThatWaitOfASupplierAreApproved) {
    create();
    create();
    CPPUNIT_ASSERT_EQUAL(2, requireJson({"approve", "--supplier", supplier()}).at("approved").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string(), names({"--approval", "pending"}));
    require({"approve"}, 2);
    require({"approve", "1", "--supplier", supplier()}, 2);
}

TEST(ProductCommandsTest, moreProductsThanARequestMayNameAreApprovedByOneCommand) {
    std::vector<std::string> arguments{"approve", create("First")};
    for (int i = 0; i < 600; ++i)
        arguments.push_back(std::to_string(47110815 + i));
    arguments.push_back(create("Last"));
    const auto answer = requireJson(arguments, 1);
    CPPUNIT_ASSERT_EQUAL(2, answer.at("approved").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{600}, answer.at("errors").size());
}

TEST(ProductCommandsTest, unknownProductsAreNamedAndMakeTheCommandFail) {
    const std::string id = create();
    const std::string text = require({"approve", "47110815", id}, 1);
    requireIn("products approved: 1\n", text);
    requireIn("47110815", text);
    requireIn("Product not found", text);
    CPPUNIT_ASSERT_EQUAL(std::string("approved null"), approvalOf(id));
    CPPUNIT_ASSERT_EQUAL(47110815, requireJson({"approve", "47110815"}, 1).at("errors")[0]["product_id"].get<int>());
}

TEST(ProductCommandsTest, auditLogNamesTheUserOfTheMachine) {
    const std::string id = create();
    require({"approve", id});
    const json entry = OperatorClient().audit("product", std::stoll(id)).at(0);
    CPPUNIT_ASSERT_EQUAL(json("product.approve"), entry.at("action"));
    CPPUNIT_ASSERT(entry.at("actor").get<std::string>().starts_with("local: "));
}

TEST(ProductCommandsTest, aBatchIsAConstantNumberOfStatements) {
    PrivateMariaDb mariaDb; // other programs execute statements on the common one
    ServerFixture own({}, &mariaDb);
    SupplierClient supplier({}, own);
    const std::string executed = "SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                                 "WHERE VARIABLE_NAME IN ('COM_STMT_EXECUTE', 'COM_INSERT', 'COM_UPDATE')";
    OperatorClient platform(own);
    const auto statementsOf = [&](const std::vector<std::int64_t>& ids) {
        own.database().exec("UPDATE products SET approval = 0");
        const std::int64_t before = own.database().integer(executed);
        requireStatus(200, platform.post("/products/approve", {{"product_ids", ids}}));
        return own.database().integer(executed) - before;
    };
    statementsOf(supplier.fill(1));
    const std::int64_t ofOne = statementsOf(supplier.fill(1));
    const std::int64_t ofMany = statementsOf(supplier.fill(200));
    // What the server does by itself meanwhile is no more than a few.
    CPPUNIT_ASSERT_MESSAGE(std::to_string(ofOne) + " and " + std::to_string(ofMany), ofMany < ofOne + 20);
}

} // namespace supplierd::tests
