#include "tests/plugins/orders/OrdersFixture.h"
#include "tests/support/Control.h"
#include "tests/support/Json.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <cppunit/TestFixture.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr int MANY = 250;
constexpr std::int64_t MOST_OF_ONE_NUMBER = 100;
constexpr std::int64_t A_MILLION = 1'000'000;

Json renumber(const ServerProcess& server, int exitCode = 0) {
    return controlJson(server, {"backup", "renumber", "--yes"}, exitCode);
}

std::string errorOf(const ServerProcess& server) {
    return renumber(server, 1).at("error").at("message").get<std::string>();
}

} // namespace

/// supplierctl backup renumber, where the plugins' own statements raise the numbers of their tables.
class RenumberTest : public CppUnit::TestFixture {
protected:
    static std::vector<std::int64_t> column(const std::string& sql) {
        std::vector<std::int64_t> values;
        for (const auto& row : fixture().database().query(sql))
            values.push_back(std::stoll(row[0].value()));
        return values;
    }

    static std::vector<std::int64_t> inOrderOfChange(const std::string& table, std::int64_t supplier) {
        return column("SELECT id FROM " + table + " WHERE supplier_id = " + std::to_string(supplier) +
                      " ORDER BY change_seq, id");
    }

    /// Every row has a number above all that were given, and at most that of its supplier.
    static void requireFreshNumbers(const std::string& table, const OrdersClient& supplier,
                                    const std::vector<std::int64_t>& before, std::int64_t last) {
        const auto present = supplier.changeSeq();
        std::int64_t former = last + 1;
        std::int64_t ofOne = 0;
        for (const auto id : before) {
            const auto number =
                fixture().database().integer("SELECT change_seq FROM " + table + " WHERE id = " + std::to_string(id));
            CPPUNIT_ASSERT_MESSAGE(table, number >= former && number <= present);
            ofOne = number == former ? ofOne + 1 : 1;
            CPPUNIT_ASSERT_MESSAGE(table, ofOne <= MOST_OF_ONE_NUMBER);
            former = number;
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE(table, present, former);
    }
};

TEST(RenumberTest, everyNumberGoesOnHigherInTheOrderThatItHad) {
    OrdersClient supplier;
    const auto ids = supplier.fill(MANY);
    const auto product = supplier.product(10);
    fillWithGroups(supplier.id(), MANY);
    supplier.sell(product, 1);
    supplier.update(ids.front(), {{"name", "Changed last"}});
    const OrdersClient another; // whose numbers are low
    auto client = supplier.anotherClient();
    const auto path = "/products/" + std::to_string(product);
    const auto tag = client.get(path).header("ETag");
    const auto tagOfCategories = client.get("/categories").header("ETag");
    const auto last = supplier.changeSeq();
    const auto products = inOrderOfChange("products", supplier.id());
    const auto groups = inOrderOfChange("order_groups", supplier.id());
    const auto tree = fixture().database().integer("SELECT change_seq FROM category_tree");
    const auto version = supplier.read(product).at("version").get<std::int64_t>();
    CPPUNIT_ASSERT(products.size() > MANY && groups.size() > MANY);

    fixture().server().stop();
    const auto fresh = renumber(fixture().server());
    fixture().server().start();

    const auto raised = fresh.at("change_numbers_raised_by").get<std::int64_t>();
    CPPUNIT_ASSERT(raised > 1 << 24);
    CPPUNIT_ASSERT(fresh.at("rows").get<std::size_t>() > products.size() + groups.size());
    CPPUNIT_ASSERT_EQUAL(last + raised, supplier.changeSeq());
    CPPUNIT_ASSERT(another.changeSeq() >= raised);
    requireFreshNumbers("products", supplier, products, last);
    requireFreshNumbers("order_groups", supplier, groups, last);
    CPPUNIT_ASSERT_EQUAL(tree + raised, fixture().database().integer("SELECT change_seq FROM category_tree"));
    SupplierClient again(fixture(), supplier.id(), supplier.name(), supplier.key());
    CPPUNIT_ASSERT_EQUAL(version + raised, again.read(product).at("version").get<std::int64_t>());
    for (const auto& [asked, known] : {std::pair(path, tag), std::pair(std::string("/categories"), tagOfCategories)})
        requireStatus(200, again.get(asked, {{"If-None-Match", known}}));
    CPPUNIT_ASSERT(idOf(again.create()) > *std::ranges::max_element(products) + A_MILLION);
    fixture().requireChangeSeqs(supplier.id());
}

TEST(RenumberTest, itMayRunOnceMore) {
    OrdersClient supplier;
    const auto products = supplier.fill(MANY);
    fixture().server().stop();
    renumber(fixture().server());
    const auto last = supplier.changeSeq();
    renumber(fixture().server());
    fixture().server().start();
    requireFreshNumbers("products", supplier, products, last);
}

TEST(RenumberTest, aRunningServerKeepsItsNumbersAndNobodyIsSurprised) {
    const OrdersClient supplier;
    const auto last = supplier.changeSeq();
    const auto refused = errorOf(fixture().server());
    requireIn(":" + std::to_string(fixture().server().pid()) + " runs on this database", refused);
    requireIn("Stop it first", refused);
    fixture().server().stop();
    requireIn("give --yes", controlJson(fixture().server(), {"backup", "renumber"}, 2).dump());
    CPPUNIT_ASSERT_EQUAL(last, supplier.changeSeq());
    const auto fresh = renumber(fixture().server());
    fixture().server().start();
    const auto entry =
        fixture().database().query("SELECT actor, after_json FROM audit_log WHERE action = 'database.renumber' "
                                   "ORDER BY id DESC LIMIT 1")[0];
    requireIn("local: ", entry[0].value());
    CPPUNIT_ASSERT_EQUAL(fresh, Json::parse(entry[1].value()));
}

TEST(RenumberTest, tablesWhosePluginIsNotEnabledAreNotLeftAsTheyWere) {
    const OrdersClient supplier;
    const auto last = supplier.changeSeq();
    requireControl(fixture().server(), {"plugin", "disable", "orders"});
    const auto refused = errorOf(fixture().server());
    requireControl(fixture().server(), {"plugin", "enable", "orders"});
    requireIn("tables of orders", refused);
    requireIn("supplierctl plugin enable orders", refused);
    CPPUNIT_ASSERT_EQUAL(last, supplier.changeSeq());
}

TEST(RenumberTest, whatIsNotMigratedYetHasNoNumbers) {
    ServerFixture own(ServerProcess::NotStarted{}, {.plugins = {"categories", "catalog", "orders"}});
    own.server().migrate();
    own.database().exec("ALTER TABLE order_groups DROP KEY order_groups_change, DROP COLUMN change_seq");
    requireIn("change_seq", errorOf(own.server()));
    own.database().exec("DELETE FROM schema_migrations WHERE component = 'orders' AND number = 2");
    CPPUNIT_ASSERT(renumber(own.server()).at("change_numbers_raised_by").get<std::int64_t>() > 0);
}

} // namespace supplierd::tests
