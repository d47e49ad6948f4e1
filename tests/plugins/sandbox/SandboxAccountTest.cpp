#include "SandboxFixture.h"
#include "tests/support/Test.h"

#include <memory>

namespace supplierd::tests {

using nlohmann::json;

class SandboxAccountTest : public CppUnit::TestFixture {
public:
    void setUp() override { _on = std::make_unique<SandboxFixture>(); }
    void tearDown() override { _on.reset(); } // an idle connection holds a thread of the server

protected:
    std::unique_ptr<SandboxFixture> _on;
};

TEST(SandboxAccountTest, aSupplierHasOneSandboxAtMost) {
    const SupplierClient other = _on->marketplace.createSupplier({{"name", "Kwekerij De Berg"}});
    requireError(404, "NOT_FOUND", _on->marketplace.get(other.path("/sandbox")));
    const json made = dataOf(_on->marketplace.postEmpty(other.path("/sandbox")), 201).at("supplier");
    CPPUNIT_ASSERT_EQUAL(json(true), made["sandbox"]);
    CPPUNIT_ASSERT_EQUAL(json(other.id()), made["sandbox_of"]);
    CPPUNIT_ASSERT_EQUAL(json("Kwekerij De Berg (sandbox)"), made["name"]);
    CPPUNIT_ASSERT_EQUAL(json("verified"), made["status"]);
    CPPUNIT_ASSERT_EQUAL(made, dataOf(_on->marketplace.postEmpty(other.path("/sandbox"))).at("supplier"));
    CPPUNIT_ASSERT_EQUAL(made, dataOf(_on->marketplace.get(other.path("/sandbox"))).at("supplier"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _on->marketplace.audit("supplier", idOf(made)).size());
}

TEST(SandboxAccountTest, racingRequestsMakeOneSandbox) {
    const SupplierClient other = _on->marketplace.createSupplier();
    race(8, [&](OperatorClient& another, int) {
        const int status = another.postEmpty(other.path("/sandbox")).status;
        CPPUNIT_ASSERT(status == 200 || status == 201);
    });
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                         fixture().database().integer("SELECT COUNT(*) FROM suppliers WHERE sandbox_of = " +
                                                      std::to_string(other.id())));
}

TEST(SandboxAccountTest, itIsRenamedWithItsSupplierUnlessItHasANameOfItsOwn) {
    OperatorClient& marketplace = _on->marketplace;
    const SupplierClient live = marketplace.createSupplier({{"name", "Kwekerij De Berg"}});
    const json made = dataOf(marketplace.postEmpty(live.path("/sandbox")), 201).at("supplier");
    const std::string twin = "/suppliers/" + made["id"].dump();
    const auto nameOfTwin = [&] { return dataOf(marketplace.get(twin)).at("supplier").at("name").get<std::string>(); };
    requireStatus(200, marketplace.post(live.path(), {{"name", "Kwekerij Het Dal"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("Kwekerij Het Dal (sandbox)"), nameOfTwin());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, marketplace.audit("supplier", idOf(made)).size());
    requireStatus(200, marketplace.post(live.path(), {{"email", "dal@example.com"}}));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, marketplace.audit("supplier", idOf(made)).size());
    requireStatus(200, marketplace.post(twin, {{"name", "Playground"}}));
    requireStatus(200, marketplace.post(live.path(), {{"name", "Kwekerij De Top"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("Playground"), nameOfTwin());
}

TEST(SandboxAccountTest, aSandboxHasNoSandboxAndASuspendedSupplierGetsNone) {
    requireError(409, "CONFLICT", _on->marketplace.postEmpty(_on->twin.path("/sandbox")));
    const SupplierClient suspended = _on->marketplace.createSupplier({{"status", "suspended"}});
    requireError(409, "CONFLICT", _on->marketplace.postEmpty(suspended.path("/sandbox")));
    requireError(404, "NOT_FOUND", _on->marketplace.postEmpty("/suppliers/4711000/sandbox"));
}

TEST(SandboxAccountTest, anUnverifiedSupplierCanTryTheApi) {
    SupplierClient newcomer = _on->marketplace.createSupplier({{"status", "unverified"}});
    SupplierClient trying = sandboxOf(_on->marketplace, newcomer);
    requireForbidden("supplier_unverified", newcomer.get("/products"));
    requireStatus(200, trying.get("/products"));
}

TEST(SandboxAccountTest, itsKeysAndAnswersSayThatNothingIsReal) {
    CPPUNIT_ASSERT_EQUAL(std::string("sk_test_"), _on->twin.key().substr(0, 8));
    CPPUNIT_ASSERT_EQUAL(std::size_t{60}, _on->twin.key().size());
    const HttpResponse self = _on->twin.get("/me");
    CPPUNIT_ASSERT_EQUAL(json(true), dataOf(self).at("supplier").at("sandbox"));
    CPPUNIT_ASSERT_EQUAL(json(_on->twin.key().substr(0, 16)), dataOf(self).at("key").at("prefix"));
    CPPUNIT_ASSERT_EQUAL(std::string("true"), self.header("X-Sandbox"));
    CPPUNIT_ASSERT_EQUAL(std::string("true"), _on->twin.get("/products/4711000").header("X-Sandbox")); // a 404
    const HttpResponse live = _on->live.get("/me");
    CPPUNIT_ASSERT_EQUAL(json(false), dataOf(live).at("supplier").at("sandbox"));
    CPPUNIT_ASSERT(!live.hasHeader("X-Sandbox"));
    const json keys = dataOf(_on->marketplace.get(_on->twin.path("/keys"))).at("keys");
    CPPUNIT_ASSERT_EQUAL(json(_on->twin.key().substr(0, 16)), keys.at(0).at("prefix"));
}

TEST(SandboxAccountTest, aKeyOfTheOtherKindIsUnknown) {
    HttpClient disguised = _on->twin.anotherClient();
    disguised.setKey("sk_" + _on->twin.key().substr(8));
    requireStatus(401, disguised.get("/products"));
    disguised.setKey("sk_test_" + _on->live.key().substr(3));
    requireStatus(401, disguised.get("/products"));
    HttpClient misplaced = fixture().server().operatorClient(_on->twin.key());
    requireStatus(401, misplaced.get("/suppliers"));
}

TEST(SandboxAccountTest, itGoesWithItsSupplierIntoSuspensionAndBack) {
    requireStatus(200, _on->twin.get("/products"));
    requireStatus(200, _on->marketplace.postEmpty(_on->live.path("/suspend")));
    CPPUNIT_ASSERT_EQUAL(json("suspended"), dataOf(_on->marketplace.get(_on->twin.path())).at("supplier").at("status"));
    waitForKeys();
    requireForbidden("supplier_suspended", _on->twin.get("/products"));
    CPPUNIT_ASSERT_EQUAL(json("supplier.suspend"),
                         _on->marketplace.audit("supplier", _on->twin.id()).at(0).at("action"));
    requireStatus(200, _on->marketplace.postEmpty(_on->live.path("/verify")));
    CPPUNIT_ASSERT_EQUAL(json("verified"), dataOf(_on->marketplace.get(_on->twin.path())).at("supplier").at("status"));
    requireStatus(200, _on->marketplace.postEmpty(_on->twin.path("/suspend"))); // alone
    CPPUNIT_ASSERT_EQUAL(json("verified"), dataOf(_on->marketplace.get(_on->live.path())).at("supplier").at("status"));
}

TEST(SandboxAccountTest, aSupplierSeesItsSandboxAndASandboxItself) {
    const json account = dataOf(_on->marketplace.get(_on->twin.path()))["supplier"];
    json expected = {{"is_sandbox", false}, {"sandbox", json::object()}};
    for (const char* field : {"id", "name", "status", "created_at"})
        expected["sandbox"][field] = account[field];
    CPPUNIT_ASSERT_EQUAL(expected, dataOf(_on->live.get("/sandbox")));
    expected["is_sandbox"] = true;
    CPPUNIT_ASSERT_EQUAL(expected, dataOf(_on->twin.get("/sandbox")));
    SupplierClient other = _on->marketplace.createSupplier();
    CPPUNIT_ASSERT_EQUAL(json({{"is_sandbox", false}, {"sandbox", nullptr}}), dataOf(other.get("/sandbox")));
}

TEST(SandboxAccountTest, aLiveKeyCannotPlayTheMarketplace) {
    const std::string product = std::to_string(_on->liveProduct());
    requireForbidden("live_key", _on->live.post("/sandbox/orders", {{"items", "any"}}));
    requireForbidden("live_key", _on->live.post("/sandbox/clock", json::object()));
    requireForbidden("live_key", _on->live.postEmpty("/sandbox/products/" + product + "/approve"));
    requireForbidden("live_key", _on->live.post("/sandbox/products/" + product + "/reject", {{"reason", "Blurred"}}));
    requireForbidden("live_key", _on->live.request("DELETE", "/sandbox/data"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _on->live.ids().size());
}

TEST(SandboxAccountTest, playingTakesAScope) {
    SupplierClient reader = sandboxOf(_on->marketplace, _on->live, {{"scopes", {"orders:read", "products:read"}}});
    requireForbidden("scope", reader.post("/sandbox/orders", {{"items", "any"}}));
}

} // namespace supplierd::tests
