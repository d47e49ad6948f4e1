#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// Owners and staff of a store, and its profile.
class RolesTest : public CppUnit::TestFixture {
protected:
    static std::string pathOf(const TestUser& user) { return "/dashboard/api/users/" + std::to_string(user.id); }

    struct Store {
        TestUser owner = createSupplierUser();
        TestUser person = createUser(owner.supplierId);
        Visitor visitor = visitorOf(owner);

        HttpResponse setRole(const json& role) { return visitor.post(pathOf(person), role); }
        Visitor staff(const json& scopes) {
            json role{{"role", "staff"}};
            if (!scopes.is_null())
                role["scopes"] = scopes;
            const auto changed = setRole(role);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(changed.body, 200, changed.status);
            return visitorOf(person);
        }
    };

    static json lastAudit(const std::string& object, std::int64_t id) {
        return visitorOf(createUser(0))
            .get("/api/v1/platform/audit?object=" + object + "&id=" + std::to_string(id))
            .data()
            .at("entries")
            .at(0);
    }
};

TEST(RolesTest, whoWasThereBeforeThereWereRolesIsAnOwner) {
    Store store;
    const json user = store.visitor.session().at("user");
    CPPUNIT_ASSERT_EQUAL(json(false), user.at("is_staff"));
    CPPUNIT_ASSERT(user.at("scopes").is_null());
    const json users = store.visitor.get("/dashboard/api/users").data().at("users");
    for (const json& one : users)
        CPPUNIT_ASSERT_EQUAL(json("owner"), one.at("role"));
}

TEST(RolesTest, staffMayWhatTheirScopesSayAndNoMore) {
    Store store;
    auto packer = store.staff({"orders:read"});
    CPPUNIT_ASSERT_EQUAL(200, packer.get("/api/v1/supplier/orders").status);
    const auto refused = packer.get("/api/v1/supplier/products");
    CPPUNIT_ASSERT_EQUAL(403, refused.status);
    CPPUNIT_ASSERT_EQUAL(json("scope"), refused.error().at("details").at(0).at("code"));
    CPPUNIT_ASSERT_EQUAL(403, packer.post("/api/v1/supplier/products/1/images/upload", json::object()).status);
    CPPUNIT_ASSERT_EQUAL(json({"orders:read"}), packer.session().at("user").at("scopes"));
}

TEST(RolesTest, staffWithoutAListMayAllThatAKeyMay) {
    Store store;
    auto staff = store.staff(nullptr);
    CPPUNIT_ASSERT_EQUAL(200, staff.get("/api/v1/supplier/orders").status);
    CPPUNIT_ASSERT_EQUAL(200, staff.get("/api/v1/supplier/products").status);
    CPPUNIT_ASSERT_EQUAL(json(true), staff.session().at("user").at("is_staff"));
}

TEST(RolesTest, anOwnerSwitchesTestModeOn) {
    Store store;
    const json before = store.visitor.session();
    CPPUNIT_ASSERT_EQUAL(json(false), before.at("user").at("is_in_test_mode"));
    const std::string path = "/dashboard/api/test-mode";
    CPPUNIT_ASSERT_EQUAL(422, store.visitor.post(path, json::object()).status);
    for (int i = 0; i < 2; ++i) { // twice is no second sandbox
        CPPUNIT_ASSERT_EQUAL(200, store.visitor.post(path, {{"is_on", true}}).status);
        const json in = store.visitor.session();
        CPPUNIT_ASSERT_EQUAL(json(true), in.at("user").at("is_in_test_mode"));
        CPPUNIT_ASSERT_EQUAL(json(store.owner.supplierId), in.at("store").at("sandbox_of"));
    }
    const json key = store.visitor.post("/dashboard/api/keys", json::object()).data().at("key");
    CPPUNIT_ASSERT(key.at("secret").get<std::string>().starts_with("sk_test_"));
    CPPUNIT_ASSERT_EQUAL(200, store.visitor.get("/api/v1/supplier/sandbox").status);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.visitor.get("/dashboard/api/keys").data().at("keys").size());
    // Another browser of the same person shows the store.
    CPPUNIT_ASSERT_EQUAL(before.at("store"), visitorOf(store.owner).session().at("store"));
    CPPUNIT_ASSERT_EQUAL(200, store.visitor.post(path, {{"is_on", false}}).status);
    CPPUNIT_ASSERT_EQUAL(before, store.visitor.session());
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, store.visitor.get("/dashboard/api/keys").data().at("keys").size());
}

TEST(RolesTest, staffTestInASandboxThatIsThere) {
    Store store;
    auto staff = store.staff({"products:read"});
    const std::string path = "/dashboard/api/test-mode";
    CPPUNIT_ASSERT_EQUAL(403, staff.post(path, {{"is_on", true}}).status);
    CPPUNIT_ASSERT_EQUAL(200, store.visitor.post(path, {{"is_on", true}}).status);
    CPPUNIT_ASSERT_EQUAL(200, staff.post(path, {{"is_on", true}}).status);
    CPPUNIT_ASSERT_EQUAL(store.visitor.session().at("store"), staff.session().at("store"));
    CPPUNIT_ASSERT_EQUAL(200, staff.get("/api/v1/supplier/products").status);
    CPPUNIT_ASSERT_EQUAL(403, staff.get("/api/v1/supplier/orders").status);
    CPPUNIT_ASSERT_EQUAL(403, staff.get("/dashboard/api/keys").status);
    CPPUNIT_ASSERT_EQUAL(403, visitorOf(createUser(0)).post(path, {{"is_on", true}}).status);
}

TEST(RolesTest, staffLookAfterNoKeysNoPeopleAndNoProfile) {
    Store store;
    auto staff = store.staff(nullptr);
    const json key = store.visitor.post("/dashboard/api/keys", json::object()).data().at("key");
    for (const std::string path : {"/keys", "/users", "/usage"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 403, staff.get("/dashboard/api" + path).status);
    for (const std::string& path :
         {std::string("/keys"), "/keys/" + key.at("id").dump() + "/revoke", std::string("/users"),
          "/users/" + std::to_string(store.owner.id), "/users/" + std::to_string(store.owner.id) + "/disable",
          "/users/" + std::to_string(store.owner.id) + "/link", std::string("/store")}) {
        const auto refused = staff.post("/dashboard/api" + path, json::object());
        // What takes no body refuses it before it looks at who asks.
        const auto again = refused.status == 403 ? refused : staff.post("/dashboard/api" + path);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path + again.body, 403, again.status);
    }
    CPPUNIT_ASSERT_EQUAL(200, fixture().server().client(key.at("secret")).get("/products").status);
}

TEST(RolesTest, aRoleCountsForSessionsThatRun) {
    Store store;
    auto person = visitorOf(store.person);
    CPPUNIT_ASSERT_EQUAL(200, person.get("/dashboard/api/keys").status);
    CPPUNIT_ASSERT_EQUAL(200, store.setRole({{"role", "staff"}}).status);
    CPPUNIT_ASSERT_EQUAL(403, person.get("/dashboard/api/keys").status);
    CPPUNIT_ASSERT_EQUAL(200, store.setRole({{"role", "owner"}}).status);
    CPPUNIT_ASSERT_EQUAL(200, person.get("/dashboard/api/keys").status);
    const json entry = lastAudit("user", store.person.id);
    CPPUNIT_ASSERT_EQUAL(json("user.update"), entry.at("action"));
    CPPUNIT_ASSERT_EQUAL(json("owner"), entry.at("after").at("role"));
}

TEST(RolesTest, nobodyChangesTheirOwnRoleOrAnotherStoresPeople) {
    Store store;
    CPPUNIT_ASSERT_EQUAL(409, store.visitor.post(pathOf(store.owner), {{"role", "staff"}}).status);
    const auto stranger = createSupplierUser();
    CPPUNIT_ASSERT_EQUAL(404, store.visitor.post(pathOf(stranger), {{"role", "staff"}}).status);
}

TEST(RolesTest, aRoleThatIsNoneIsRefusedWithEveryProblem) {
    Store store;
    const auto refused = store.setRole({{"role", "king"}, {"scopes", {"orders:read", "world:rule"}}});
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, std::size_t{3}, refused.error().at("details").size());
    CPPUNIT_ASSERT_EQUAL(422, store.setRole({{"role", "staff"}, {"scopes", json::array()}}).status);
    CPPUNIT_ASSERT_EQUAL(422, store.setRole(json::object()).status);
    auto operatorVisitor = visitorOf(createUser(0));
    const std::string colleague = "/api/v1/platform/users/" + std::to_string(createUser(0).id);
    CPPUNIT_ASSERT_EQUAL(422, operatorVisitor.post(colleague, {{"role", "staff"}}).status);
}

TEST(RolesTest, theCommandLineMakesStaffAndOwners) {
    Store store;
    const std::string id = std::to_string(store.person.id);
    const json staff = control({"user", "role", id, "staff", "--scope", "orders:read"}).at("user");
    CPPUNIT_ASSERT_EQUAL(json("staff"), staff.at("role"));
    CPPUNIT_ASSERT_EQUAL(json({"orders:read"}), staff.at("scopes"));
    CPPUNIT_ASSERT_EQUAL(403, visitorOf(store.person).get("/dashboard/api/keys").status);
    CPPUNIT_ASSERT_EQUAL(json("owner"), control({"user", "role", id, "owner"}).at("user").at("role"));
    const json added = control({"user", "add", "staff" + id + "@store.example", "--supplier",
                                std::to_string(store.owner.supplierId), "--staff"})
                           .at("user");
    CPPUNIT_ASSERT_EQUAL(json("staff"), added.at("role"));
}

TEST(RolesTest, anAddedPageIsInTheMenuOfThoseWithItsScopeAlone) {
    Store store;
    CPPUNIT_ASSERT(store.staff({"orders:read"}).session().at("pages").empty());
    const json pages = store.staff({"orders:read", "history:read"}).session().at("pages");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, pages.size());
    CPPUNIT_ASSERT_EQUAL(json("requests"), pages[0].at("id"));
}

TEST(RolesTest, anOwnerChangesTheProfileButNotTheStanding) {
    Store store;
    const json changed =
        store.visitor
            .post("/dashboard/api/store",
                  {{"name", " Rozenhof "}, {"email", "sales@rozenhof.example"}, {"status", "suspended"}})
            .data()
            .at("store");
    CPPUNIT_ASSERT_EQUAL(json("Rozenhof"), changed.at("name"));
    CPPUNIT_ASSERT_EQUAL(json("verified"), changed.at("status"));
    CPPUNIT_ASSERT_EQUAL(changed, store.visitor.session().at("store"));
    const auto refused = store.visitor.post("/dashboard/api/store", {{"name", ""}, {"email", "nobody"}});
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, refused.error().at("details").size());
    const json entry = lastAudit("supplier", store.owner.supplierId);
    CPPUNIT_ASSERT_EQUAL(json("supplier.update"), entry.at("action"));
    CPPUNIT_ASSERT_EQUAL(json(store.owner.email), entry.at("actor"));
    CPPUNIT_ASSERT_EQUAL(json("Rozenhof"), entry.at("after").at("name"));
}

TEST(RolesTest, anOperatorHasNoStoreToChange) {
    CPPUNIT_ASSERT_EQUAL(403, visitorOf(createUser(0)).post("/dashboard/api/store", {{"name", "Market"}}).status);
}

} // namespace supplierd::tests
