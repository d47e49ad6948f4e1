#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Approval: the product, the totals and the catalogue's change number move together, or not at all.
class ProductCommandTest : public MigratedControlFixture {
public:
    void setUp() override {
        MigratedControlFixture::setUp();
        _category = server().createCategory("Roses");
        _supplier = server().createSupplier("A");
    }

protected:
    /// As the catalog plugin leaves a new product behind.
    std::string addProduct(std::int64_t supplier, bool active = true) {
        const auto supplierId = std::to_string(supplier);
        const auto category = std::to_string(_category);
        database().exec(
            "INSERT INTO products (supplier_id, name, category_id, base_price, unit, is_active, change_seq) "
            "VALUES (" +
            supplierId + ", 'Rose', " + category + ", 1, 0, " + (active ? "1" : "0") + ", 1)");
        const auto id = std::to_string(database().lastInsertId());
        database().exec("UPDATE supplier_state SET change_seq = GREATEST(change_seq, 1) WHERE supplier_id = " +
                        supplierId);
        return id;
    }

    std::vector<std::string> addProducts(std::int64_t supplier, int count) {
        const auto supplierId = std::to_string(supplier);
        const auto category = std::to_string(_category);
        const auto number = std::to_string(count);
        database().exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, change_seq) SELECT " +
                        supplierId + ", 'Rose', " + category + ", 1, 0, 1 FROM seq_1_to_" + number);
        database().exec("UPDATE supplier_state SET change_seq = GREATEST(change_seq, 1) WHERE supplier_id = " +
                        supplierId);
        std::vector<std::string> ids;
        for (const auto& row : database().query("SELECT id FROM products WHERE approval = 0 AND supplier_id = " +
                                                supplierId + " ORDER BY id DESC LIMIT " + number))
            ids.push_back(*row[0]);
        return ids;
    }

    std::string approve(const std::vector<std::string>& ids) {
        std::vector<std::string> arguments{"product", "approve"};
        arguments.insert(arguments.end(), ids.begin(), ids.end());
        return runWell(arguments);
    }

    static std::vector<std::string> rejecting(const std::vector<std::string>& ids) {
        std::vector<std::string> arguments{"product", "reject", "--reason", "wrong picture"};
        arguments.insert(arguments.end(), ids.begin(), ids.end());
        return arguments;
    }

    template <class Work>
    std::int64_t statementsOf(const Work& work) {
        const std::string executed = "SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                                     "WHERE VARIABLE_NAME IN ('COM_STMT_EXECUTE', 'COM_INSERT', 'COM_UPDATE')";
        const std::int64_t before = database().integer(executed);
        work();
        return database().integer(executed) - before;
    }

    std::string joined(const std::string& sql) {
        std::string text;
        const auto rows = database().query(sql);
        for (const auto& cell : rows.at(0))
            text += (text.empty() ? "" : " ") + cell.value_or("NULL");
        return text;
    }

    std::string product(const std::string& id, const std::string& columns) {
        return joined("SELECT " + columns + " FROM products WHERE id = " + id);
    }

    std::string state(std::int64_t supplier) {
        return joined(
            "SELECT change_seq, (SELECT CONCAT_WS(' ', SUM(state = 0), SUM(state = 1), SUM(state = 2)) "
            "FROM products p WHERE p.supplier_id = s.supplier_id) FROM supplier_state s WHERE supplier_id = " +
            std::to_string(supplier));
    }

    std::int64_t _category = 0;
    std::int64_t _supplier = 0;
};

TEST(ProductCommandTest, approvalMovesProductAndTotals) {
    const auto first = addProduct(_supplier);
    const auto second = addProduct(_supplier);
    addProduct(_supplier);
    CPPUNIT_ASSERT(runWell({"product", "approve", first, second}).find("2 of 2") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("1 2 2"), product(first, "approval, version, change_seq"));
    CPPUNIT_ASSERT_EQUAL(std::string("1 1"), product(second, "updated_at > created_at, state"));
    CPPUNIT_ASSERT_EQUAL(std::string("2 1 2 0"), state(_supplier));
}

TEST(ProductCommandTest, inactiveProductIsCountedAsInactiveWhenApproved) {
    const auto id = addProduct(_supplier, false);
    runWell({"product", "approve", id});
    CPPUNIT_ASSERT_EQUAL(std::string("2 0 0 1"), state(_supplier));
}

TEST(ProductCommandTest, rejectionTakesAnApprovedProductBackAndKeepsTheReason) {
    const auto id = addProduct(_supplier);
    runWell({"product", "approve", id});
    runWell({"product", "reject", id, "--reason", " wrong picture 💐 "});
    CPPUNIT_ASSERT_EQUAL(std::string("2 wrong picture 💐 0 3"),
                         product(id, "approval, approval_reason, state, version"));
    CPPUNIT_ASSERT_EQUAL(std::string("3 1 0 0"), state(_supplier));
    runWell({"product", "approve", id});
    CPPUNIT_ASSERT_EQUAL(std::string("1 NULL"), product(id, "approval, approval_reason"));
}

TEST(ProductCommandTest, rejectionNeedsAReason) {
    const auto id = addProduct(_supplier);
    runBadly({"product", "reject", id}, 2);
    runBadly({"product", "reject", id, "--reason", "  "}, 2);
    runBadly({"product", "reject", id, "--reason", std::string(1001, 'x')}, 2);
    CPPUNIT_ASSERT_EQUAL(std::string("0 1"), product(id, "approval, version"));
}

TEST(ProductCommandTest, repeatedApprovalTouchesNothing) {
    const auto id = addProduct(_supplier);
    runWell({"product", "approve", id, id});
    const auto outcome = runJson({"product", "approve", id}).at("products").at(0);
    CPPUNIT_ASSERT(!outcome.at("changed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::string("1 2"), product(id, "approval, version"));
}

TEST(ProductCommandTest, oneUnknownIdAmongSeveralChangesNothing) {
    const auto id = addProduct(_supplier);
    const auto errors = runBadly({"product", "approve", "4711", id, "4712"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors,
                           errors.find("Product not found: 4711, 4712; nothing was changed") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("0 1"), product(id, "approval, version"));
    CPPUNIT_ASSERT_EQUAL(std::string("1 1 0 0"), state(_supplier));
}

TEST(ProductCommandTest, deletedProductIsUnknown) {
    const auto id = addProduct(_supplier);
    database().exec("UPDATE products SET deleted = 1, deleted_at = NOW(6) WHERE id = " + id);
    runBadly({"product", "approve", id}, 1);
}

TEST(ProductCommandTest, productsOfSeveralSuppliersGoTogether) {
    const auto other = server().createSupplier("B");
    const auto theirs = addProduct(other);
    const auto ours = addProduct(_supplier);
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), runJson({"product", "approve", theirs, ours}).at("products").size());
    CPPUNIT_ASSERT_EQUAL(std::string("2 0 1 0"), state(_supplier));
    CPPUNIT_ASSERT_EQUAL(std::string("2 0 1 0"), state(other));
}

TEST(ProductCommandTest, verdictsAreInTheAuditLog) {
    const auto id = addProduct(_supplier);
    runWell({"product", "approve", id});
    runWell({"product", "approve", id});
    runWell({"product", "reject", id, "--reason", "wrong picture"});
    runBadly({"product", "approve", id, "4711"}, 1);
    const auto object = "product " + id + " " + std::to_string(_supplier) + " ";
    const std::string approved = R"({"approval":{"status":"approved","reason":null}})";
    CPPUNIT_ASSERT_EQUAL("product.approve " + object + R"({"approval":{"status":"pending","reason":null}} )" +
                             approved + "\nproduct.reject " + object + approved +
                             R"( {"approval":{"status":"rejected","reason":"wrong picture"}})" + "\n",
                         audited());
}

TEST(ProductCommandTest, verdictsAreInTheChangeLog) {
    const auto id = addProduct(_supplier);
    const auto before = lastChangeOf(database(), _supplier);
    // addProduct() counts without a log, as a release did that had none.
    runWell({"product", "approve", id});
    runWell({"product", "approve", id});
    runWell({"product", "reject", id, "--reason", "wrong picture"});
    runBadly({"product", "approve", id, "4711"}, 1);
    CPPUNIT_ASSERT((std::vector<std::string>{"product.approved " + id, "", "product.rejected " + id}) ==
                   changesOf(database(), _supplier, before));
    CPPUNIT_ASSERT_EQUAL(actor() + " ", originOfLastChange(database(), _supplier));
}

TEST(ProductCommandTest, manyProductsAreDecidedInBatches) {
    const auto other = server().createSupplier("B");
    auto ids = addProducts(_supplier, 450);
    const auto theirs = addProducts(other, 10);
    ids.insert(ids.end(), theirs.begin(), theirs.end());
    std::reverse(ids.begin(), ids.end());
    CPPUNIT_ASSERT(approve(ids).find("460 of 460") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("4 0 450 0"), state(_supplier)); // one change of the catalogue for 200
    CPPUNIT_ASSERT_EQUAL(std::string("2 0 10 0"), state(other));
    CPPUNIT_ASSERT_EQUAL(std::string("2 200"),
                         joined("SELECT MIN(change_seq), COUNT(*) FROM products WHERE supplier_id = " +
                                std::to_string(_supplier) + " AND change_seq = 2"));
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t(460),
        database().integer("SELECT COUNT(*) FROM audit_log a JOIN products p ON p.id = a.object_id AND "
                           "p.supplier_id = a.supplier_id WHERE a.action = 'product.approve' AND a.before_json = "
                           "'{\\\"approval\\\":{\\\"status\\\":\\\"pending\\\",\\\"reason\\\":null}}'"));

    ids.push_back("999999999");
    const auto errors = run(rejecting(ids)).errors;
    CPPUNIT_ASSERT_MESSAGE(errors,
                           errors.find("Product not found: 999999999; nothing was changed") != std::string::npos);
    ids.pop_back();
    runWell(rejecting(ids));
    CPPUNIT_ASSERT_EQUAL(std::string("7 450 0 0"), state(_supplier));
}

TEST(ProductCommandTest, disabledPluginIsNamedWithItsCommand) {
    runWell({"plugin", "disable", "catalog"});
    const auto errors = runBadly({"product", "approve", "1"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("run: supplierctl plugin enable catalog") != std::string::npos);
}

TEST(ProductCommandTest, brokenPluginThatIsNotConcernedIsOnlyTold) {
    const auto id = addProduct(_supplier);
    std::filesystem::create_symlink("/nonexistent/gone.so", server().pluginsEnabled() / "gone.so");
    const auto result = run({"product", "approve", id});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT(result.errors.find("/nonexistent/gone.so") != std::string::npos);

    std::filesystem::remove(server().pluginsEnabled() / "catalog.so");
    std::filesystem::create_symlink("/nonexistent/catalog.so", server().pluginsEnabled() / "catalog.so");
    const auto errors = runBadly({"product", "approve", id}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("/nonexistent/catalog.so") != std::string::npos);
}

class ProductBatchTest : public ProductCommandTest {
protected:
    bool countsStatements() const override { return true; }
};

TEST(ProductBatchTest, aBatchIsAConstantNumberOfStatements) {
    runWell({"product", "approve", addProduct(_supplier)});
    const auto one = addProducts(_supplier, 1);
    const auto ofOne = statementsOf([&] { approve(one); });
    const auto many = addProducts(_supplier, 200);
    const auto ofMany = statementsOf([&] { approve(many); });
    CPPUNIT_ASSERT_EQUAL(ofOne, ofMany);
}

} // namespace supplierd::tests
