#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/Json.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

namespace supplierd::tests {

/// `supplierctl totals verify`: totals that are kept beside the orders, compared by a job of the server.
class TotalsTest : public CppUnit::TestFixture {
protected:
    static json verify(std::vector<std::string> options, int exitCode = 0) {
        options.insert(options.begin(), {"totals", "verify"});
        return controlJson(fixture().server(), std::move(options), exitCode);
    }

    static std::int64_t supplierWithWrongTotals() {
        const auto supplier = fixture().server().createSupplier("Wrong");
        fixture().database().exec("INSERT INTO order_totals (supplier_id, shipped, pending) VALUES (" +
                                  std::to_string(supplier) + ", 2, 5)");
        return supplier;
    }
};

TEST(TotalsTest, wrongTotalsAreFoundAndRepairedWithAnEntry) {
    requireIn("all totals are right\n", requireControl(fixture().server(), {"totals", "verify"}));
    const auto supplier = supplierWithWrongTotals();
    const auto other = supplierWithWrongTotals();
    const auto wrong = verify({}, 1);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong.dump(), json(4), wrong.at("wrong_totals"));
    CPPUNIT_ASSERT_EQUAL((json{{"supplier_id", supplier}, {"what", "orders pending"}, {"kept", 5}, {"counted", 0}}),
                         wrong.at("wrong").at(0));
    const auto said = requireControl(fixture().server(), {"totals", "verify"}, 1);
    requireIn("; 4 totals were wrong\n", said);
    requireIn("orders shipped", said);

    const auto repaired = verify({"--repair", "--supplier", std::to_string(supplier)});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(repaired.dump(), json(1), repaired.at("repaired"));
    CPPUNIT_ASSERT_EQUAL(json(2), verify({}, 1).at("wrong_totals"));
    CPPUNIT_ASSERT_EQUAL(json(true), verify({"--repair"}).at("good"));
    CPPUNIT_ASSERT_EQUAL(json(0), verify({}).at("wrong_totals"));
    const auto entry = fixture().database().query("SELECT actor, action, supplier_id, before_json, after_json FROM "
                                                  "audit_log WHERE action = 'supplier.recount' "
                                                  "ORDER BY id DESC LIMIT 1")[0];
    requireIn("local: ", *entry[0]);
    CPPUNIT_ASSERT_EQUAL(std::string("supplier.recount"), *entry[1]);
    CPPUNIT_ASSERT_EQUAL(std::to_string(other), *entry[2]);
    requireIn(R"("orders shipped":2)", *entry[3]);
    requireIn(R"("orders shipped":0)", *entry[4]);
    fixture().requireSoundOrders();
}

TEST(TotalsTest, aSupplierThatIsNotThereIsRefused) {
    requireIn("There is no supplier 4711",
              requireControl(fixture().server(), {"totals", "verify", "--supplier", "4711"}, 1));
    OperatorClient platform;
    requireStatus(422, platform.post("/order-totals/verify", {{"supplier_id", "x"}}));
    requireStatus(422, platform.post("/order-totals/verify", {{"repair", 1}}));
}

TEST(TotalsTest, theJobIsFollowedByItsPlace) {
    OperatorClient platform;
    const auto begun = platform.post("/order-totals/verify", {{"repair", true}});
    requireStatus(202, begun);
    const auto run = begun.data().at("job").at("run");
    CPPUNIT_ASSERT_EQUAL((json{{"plugin", "orders"}, {"name", "totals"}, {"run", run}, {"state", "waiting"}}),
                         begun.data().at("job"));
    const auto shown = [&] { return dataOf(platform.get("/jobs/orders/totals")).at("job"); };
    const auto job = shown();
    CPPUNIT_ASSERT_EQUAL(run, job.at("run"));
    waitUntil([&] { return shown().at("state") == "done"; });
    const auto later = platform.post("/order-totals/verify", json::object()).data().at("job");
    CPPUNIT_ASSERT_EQUAL(json(run.get<std::int64_t>() + 1), later.at("run"));
    CPPUNIT_ASSERT_EQUAL(later.at("run"), shown().at("run"));
    CPPUNIT_ASSERT(!job.at("requested_by").is_null());
    const auto entry = fixture().database().query(
        "SELECT actor, request_id, after_json FROM audit_log WHERE action = 'job.request' ORDER BY id DESC LIMIT 2")[1];
    CPPUNIT_ASSERT_EQUAL(job.at("requested_by").get<std::string>(), entry[0].value());
    CPPUNIT_ASSERT_EQUAL(begun.header("X-Request-Id"), entry[1].value());
    CPPUNIT_ASSERT_EQUAL(
        (json{{"plugin", "orders"}, {"name", "totals"}, {"input", {{"supplier_id", nullptr}, {"repair", true}}}}),
        json::parse(entry[2].value()));
    requireStatus(404, platform.get("/jobs/orders/total"));
}

} // namespace supplierd::tests
