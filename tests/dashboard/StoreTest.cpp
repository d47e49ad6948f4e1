#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Numbers.h"
#include "tests/support/Test.h"

#include <atomic>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Keys, people and charts: what the pages do that the API does not.
class StoreTest : public CppUnit::TestFixture {
protected:
    static json makeKey(Visitor& visitor, const json& fields) {
        const auto response = visitor.post("/dashboard/api/keys", fields);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
        return response.data().at("key");
    }

    static int statusWith(const json& key) {
        return fixture().server().client(key.at("secret")).get("/products").status;
    }
};

TEST(StoreTest, aKeyIsMadeShownOnceAndWorksUntilItIsRevoked) {
    auto visitor = visitorOf(createSupplierUser());
    const json key = makeKey(visitor, {{"name", "Webshop"}});
    CPPUNIT_ASSERT_EQUAL(200, statusWith(key));
    const auto list = visitor.get("/dashboard/api/keys");
    CPPUNIT_ASSERT(list.body.find(key.at("secret").get<std::string>()) == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(json("Webshop"), list.data().at("keys").at(0).at("name"));
    CPPUNIT_ASSERT_EQUAL(200, visitor.post("/dashboard/api/keys/" + key.at("id").dump() + "/revoke").status);
    CPPUNIT_ASSERT_EQUAL(403, statusWith(key));
}

TEST(StoreTest, aKeyIsWhatItWasAskedToBe) {
    auto visitor = visitorOf(createSupplierUser());
    const json key =
        makeKey(visitor, {{"scopes", {"orders:read"}}, {"hourly_limit", 7}, {"expires_at", "2099-01-02T03:04:05Z"}});
    CPPUNIT_ASSERT_EQUAL(json({"orders:read"}), key.at("scopes"));
    CPPUNIT_ASSERT_EQUAL(json(7), key.at("hourly_limit"));
    CPPUNIT_ASSERT_EQUAL(json("2099-01-02T03:04:05Z"), key.at("expires_at"));
    CPPUNIT_ASSERT_EQUAL(403, statusWith(key));
}

TEST(StoreTest, everyProblemOfAKeyIsTold) {
    auto visitor = visitorOf(createSupplierUser());
    const auto refused = visitor.post("/dashboard/api/keys", {{"scopes", {"all"}}, {"hourly_limit", -1}});
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, refused.error().at("details").size());
}

TEST(StoreTest, anOwnerMakesNoKeyAboveTheServersLimit) {
    auto visitor = visitorOf(createSupplierUser());
    for (const int limit : {1'001, 1'000'000'000}) {
        const auto refused = visitor.post("/dashboard/api/keys", {{"hourly_limit", limit}});
        CPPUNIT_ASSERT_EQUAL(422, refused.status);
        CPPUNIT_ASSERT_EQUAL(json("out_of_range"), refused.error().at("details").at(0).at("code"));
    }
    CPPUNIT_ASSERT_EQUAL(json(1'000), makeKey(visitor, {{"hourly_limit", 1'000}}).at("hourly_limit"));
}

TEST(StoreTest, aStoreHasFiftyLiveKeysHoweverManyAreAskedForAtOnce) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const json first = makeKey(visitor, json::object());
    fixture().database().exec("INSERT INTO api_keys (key_id, key_hash, kind, supplier_id, expires_at) SELECT "
                              "SUBSTRING(MD5(RAND()), 1, 8), RANDOM_BYTES(32), 'supplier', " +
                              std::to_string(user.supplierId) + ", IF(seq > 45, NOW(6), NULL) FROM " + numbersTo(60));
    std::vector<Visitor> visitors;
    for (int i = 0; i < 8; ++i)
        visitors.push_back(visitorOf(user));
    std::atomic<int> made{0};
    together(8, [&](int i) {
        const auto response = visitors[static_cast<std::size_t>(i)].post("/dashboard/api/keys", json::object());
        if (response.status == 201)
            ++made;
        else if (response.status != 422 || response.error().at("details").at(0).at("code") != "too_many")
            CPPUNIT_FAIL(response.body);
    });
    CPPUNIT_ASSERT_EQUAL(4, made.load());
    CPPUNIT_ASSERT_EQUAL(200, visitor.post("/dashboard/api/keys/" + first.at("id").dump() + "/revoke").status);
    makeKey(visitor, json::object());
}

TEST(StoreTest, nobodySeesOrRevokesAnotherStoresKeys) {
    auto visitor = visitorOf(createSupplierUser());
    const json key = makeKey(visitor, {{"name", "Mine"}});
    auto other = visitorOf(createSupplierUser());
    CPPUNIT_ASSERT(other.get("/dashboard/api/keys").data().at("keys").empty());
    CPPUNIT_ASSERT_EQUAL(404, other.post("/dashboard/api/keys/" + key.at("id").dump() + "/revoke").status);
    auto operatorVisitor = visitorOf(createUser(0));
    CPPUNIT_ASSERT_EQUAL(403, operatorVisitor.get("/dashboard/api/keys").status);
    CPPUNIT_ASSERT_EQUAL(200, statusWith(key));
}

TEST(StoreTest, aKeyMakesNoKeys) {
    auto visitor = visitorOf(createSupplierUser());
    const auto secret = makeKey(visitor, json::object()).at("secret").get<std::string>();
    auto client = fixture().server().rootClient(secret);
    CPPUNIT_ASSERT_EQUAL(401, client.get("/dashboard/api/keys").status);
    CPPUNIT_ASSERT_EQUAL(401, client.post("/dashboard/api/keys", json::object()).status);
}

TEST(StoreTest, theListSaysHowFarAKeysHourIsUsedUp) {
    auto visitor = visitorOf(createSupplierUser());
    const json key = makeKey(visitor, {{"hourly_limit", 10}});
    for (int i = 0; i < 3; ++i)
        statusWith(key);
    const json limit = visitor.get("/dashboard/api/keys").data().at("keys").at(0).at("rate_limit");
    CPPUNIT_ASSERT_EQUAL(json(10), limit.at("limit"));
    CPPUNIT_ASSERT_EQUAL(json(7), limit.at("remaining"));
}

TEST(StoreTest, usageCountsTheRequestsOfKeys) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const json key = makeKey(visitor, {{"hourly_limit", 4}});
    for (int i = 0; i < 6; ++i)
        statusWith(key);
    visitor.get("/api/v1/supplier/products"); // the dashboard's own requests are no key's
    int requests = 0;
    int refused = 0;
    waitUntil([&] {
        requests = refused = 0;
        const json hours = visitor.get("/dashboard/api/usage?days=1").data().at("hours");
        for (const json& hour : hours) {
            requests += hour.at("requests").get<int>();
            refused += hour.at("refused").get<int>();
        }
        return requests == 6;
    });
    CPPUNIT_ASSERT_EQUAL(2, refused);
}

TEST(StoreTest, aColleagueIsInvitedIntoTheOwnStoreWhateverIsAskedFor) {
    const auto user = createSupplierUser();
    const auto other = createSupplierUser();
    auto visitor = visitorOf(user);
    const auto invited =
        visitor.post("/dashboard/api/users",
                     {{"email", "Colleague@Store.Example"}, {"name", "Col League"}, {"supplier_id", other.supplierId}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(invited.body, 201, invited.status);
    CPPUNIT_ASSERT_EQUAL(json(user.supplierId), invited.data().at("user").at("supplier_id"));
    const auto url = invited.data().at("url").get<std::string>();
    CPPUNIT_ASSERT_MESSAGE(url, url.starts_with("https://market.example/dashboard/#/welcome/"));
    const std::string token = url.substr(url.rfind('/') + 1);

    Visitor colleague;
    const auto link = colleague.post("/dashboard/api/link", {{"token", token}});
    CPPUNIT_ASSERT_EQUAL(json("colleague@store.example"), link.data().at("email"));
    CPPUNIT_ASSERT_EQUAL(json(true), link.data().at("is_new"));
    const json choice{{"token", token}, {"password", "my own password"}, {"name", "Colleague"}};
    CPPUNIT_ASSERT_EQUAL(200, colleague.post("/dashboard/api/link/accept", choice).status);
    CPPUNIT_ASSERT_EQUAL(json("Colleague"), colleague.session().at("user").at("name"));
    CPPUNIT_ASSERT_EQUAL(404, Visitor().post("/dashboard/api/link/accept", choice).status);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn("colleague@store.example", "my own password").status);
}

TEST(StoreTest, invitingDoesNotTellWhoHasAnAccountElsewhere) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const auto elsewhere = createSupplierUser();
    const auto operatorUser = createUser(0);
    const std::string stranger = "stranger" + std::to_string(user.id) + "@store.example";
    std::vector<json> seen;
    for (const auto& email : {stranger, elsewhere.email, operatorUser.email}) {
        const auto invited = visitor.post("/dashboard/api/users", {{"email", email}, {"name", "Somebody"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(invited.body, 201, invited.status);
        auto person = invited.data().at("user");
        const json listed = visitor.get("/dashboard/api/users").data().at("users").at(0);
        CPPUNIT_ASSERT_EQUAL(person, listed);
        CPPUNIT_ASSERT_EQUAL(json(email), person.at("email"));
        for (const char* own : {"id", "email", "created_at"})
            person.erase(own);
        seen.push_back(std::move(person));
        const auto again = visitor.post("/dashboard/api/users", {{"email", email}});
        CPPUNIT_ASSERT_EQUAL(422, again.status);
        CPPUNIT_ASSERT_EQUAL(json("duplicate"), again.error().at("details").at(0).at("code"));
        const auto url = invited.data().at("url").get<std::string>();
        const json token{{"token", url.substr(url.rfind('/') + 1)}};
        CPPUNIT_ASSERT_EQUAL(email == stranger ? 200 : 404, Visitor().post("/dashboard/api/link", token).status);
    }
    CPPUNIT_ASSERT_EQUAL(seen.at(0), seen.at(1));
    CPPUNIT_ASSERT_EQUAL(seen.at(0), seen.at(2));
    // Their own accounts are as before, and operators see no other.
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(elsewhere.email, PASSWORD).status);
    auto operatorVisitor = visitorOf(operatorUser);
    const auto found = operatorVisitor.get("/api/v1/platform/users?search=" + elsewhere.email).data().at("users");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found.size());
    CPPUNIT_ASSERT_EQUAL(json(elsewhere.id), found.at(0).at("id"));
}

TEST(StoreTest, peopleOfAnotherStoreAreNotThere) {
    const auto stranger = createSupplierUser();
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const json users =
        visitor.get("/dashboard/api/users?supplier_id=" + std::to_string(stranger.supplierId)).data().at("users");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, users.size());
    CPPUNIT_ASSERT_EQUAL(json(user.email), users[0].at("email"));
    CPPUNIT_ASSERT_EQUAL(404, visitor.post("/dashboard/api/users/" + std::to_string(stranger.id) + "/disable").status);
}

TEST(StoreTest, nobodyDisablesThemselves) {
    const auto user = createUser(0);
    auto visitor = visitorOf(user);
    CPPUNIT_ASSERT_EQUAL(409, visitor.post("/api/v1/platform/users/" + std::to_string(user.id) + "/disable").status);
    const auto owner = createSupplierUser();
    const auto path = "/dashboard/api/users/" + std::to_string(owner.id) + "/disable";
    CPPUNIT_ASSERT_EQUAL(409, visitorOf(owner).post(path).status);
}

TEST(StoreTest, aDisabledColleagueIsSignedOutAndStaysOut) {
    const auto user = createSupplierUser();
    const auto colleague = createUser(user.supplierId);
    auto visitor = visitorOf(user);
    auto other = visitorOf(colleague);
    const std::string path = "/dashboard/api/users/" + std::to_string(colleague.id);
    CPPUNIT_ASSERT_EQUAL(200, visitor.post(path + "/disable").status);
    CPPUNIT_ASSERT(other.session().is_null());
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(colleague.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(200, visitor.post(path + "/enable").status);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(colleague.email, PASSWORD).status);
}

TEST(StoreTest, anOperatorInvitesIntoAnyStoreAndMakesLinks) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(createUser(0));
    const json invitation{{"email", "invited@store.example"}, {"supplier_id", user.supplierId}};
    const auto invited = visitor.post("/api/v1/platform/users", invitation);
    CPPUNIT_ASSERT_EQUAL(json(user.supplierId), invited.data().at("user").at("supplier_id"));
    CPPUNIT_ASSERT_EQUAL(422, visitor.post("/api/v1/platform/users", invitation).status);
    const auto link = visitor.post("/api/v1/platform/users/" + std::to_string(user.id) + "/link");
    CPPUNIT_ASSERT_EQUAL(201, link.status);
    CPPUNIT_ASSERT_EQUAL(json(user.email), link.data().at("user").at("email"));
}

TEST(StoreTest, anOperatorRenamesAnybody) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(createUser(0));
    const std::string path = "/api/v1/platform/users/" + std::to_string(user.id);
    const auto renamed = visitor.post(path, {{"name", " Ann "}});
    CPPUNIT_ASSERT_EQUAL(json("Ann"), renamed.data().at("user").at("name"));
    CPPUNIT_ASSERT_EQUAL(json("owner"), renamed.data().at("user").at("role"));
    CPPUNIT_ASSERT_EQUAL(422, visitor.post(path, {{"name", " "}}).status);
    const auto colleague = std::to_string(createUser(0).id);
    CPPUNIT_ASSERT_EQUAL(200, visitor.post("/api/v1/platform/users/" + colleague, {{"name", "Ole"}}).status);
}

TEST(StoreTest, aPeopleRouteIsForOneKindOfPeople) {
    const auto user = createSupplierUser();
    const auto colleague = createUser(user.supplierId);
    auto owner = visitorOf(user);
    const std::string id = std::to_string(colleague.id);
    CPPUNIT_ASSERT_EQUAL(405, owner.post("/dashboard/api/users/" + id + "/remove-second-factor").status);
    const HttpResponse refused = owner.post("/dashboard/api/users/" + id + "/link"); // who has a password asks for it
    CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, 409, refused.status);
    CPPUNIT_ASSERT_EQUAL(401, owner.get("/api/v1/platform/users").status);
    CPPUNIT_ASSERT_EQUAL(403, visitorOf(createUser(0)).get("/dashboard/api/users").status);
}

TEST(StoreTest, aKeyLooksAfterSuppliersPeopleAlone) {
    auto& server = fixture().server();
    HttpClient client = server.operatorClient(server.createOperatorKey());
    const auto user = createSupplierUser();
    const json invitation{{"email", "bykey@store.example"}, {"supplier_id", user.supplierId}};
    CPPUNIT_ASSERT_EQUAL(201, client.post("/users", invitation).status);
    CPPUNIT_ASSERT_EQUAL(200, client.get("/users").status);
    CPPUNIT_ASSERT_EQUAL(201, client.postEmpty("/users/" + std::to_string(user.id) + "/link").status);
    const auto refused = client.post("/users", {{"email", "intruder@market.example"}});
    CPPUNIT_ASSERT_EQUAL(403, refused.status);
    CPPUNIT_ASSERT_EQUAL(json("key"), refused.error().at("details").at(0).at("code"));
    CPPUNIT_ASSERT(client.get("/users?search=intruder").data().at("users").empty());
    const std::string path = "/users/" + std::to_string(createUser(0).id);
    CPPUNIT_ASSERT_EQUAL(403, client.post(path, {{"name", "Ole"}}).status);
    for (const char* what : {"/link", "/disable", "/enable", "/remove-second-factor"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, 403, client.postEmpty(path + what).status);
}

TEST(StoreTest, anOperatorSeesThePluginsAndTheLoad) {
    auto visitor = visitorOf(createUser(0));
    const json server = visitor.get("/dashboard/api/server").data();
    json ids = json::array();
    for (const json& plugin : server.at("plugins")) {
        ids.push_back(plugin.at("id"));
        CPPUNIT_ASSERT_EQUAL(json(""), plugin.at("problem"));
    }
    CPPUNIT_ASSERT_EQUAL(
        json({"catalog", "categories", "dashboard", "history", "inventory", "media", "orders", "platform", "sandbox"}),
        ids);
    // A request counts until its response is written to the end, which may be after its client has read it.
    waitUntil([&] { return visitor.get("/dashboard/api/server").data().at("load").at("requests_in_progress") == 1; });
    CPPUNIT_ASSERT(server.at("load").at("pool_size") > 0);
}

TEST(StoreTest, theServersMinutesAreCounted) {
    auto visitor = visitorOf(createUser(0));
    waitUntil([&] {
        const json minutes = visitor.get("/dashboard/api/server/history?hours=1").data().at("minutes");
        if (minutes.empty())
            return false;
        int timed = 0;
        for (const json& count : minutes.back().at("took"))
            timed += count.get<int>();
        return timed > 0 && minutes.back().at("requests") == timed;
    });
}

TEST(StoreTest, aSupplierDoesNotSeeTheServer) {
    auto visitor = visitorOf(createSupplierUser());
    CPPUNIT_ASSERT_EQUAL(403, visitor.get("/dashboard/api/server").status);
    CPPUNIT_ASSERT_EQUAL(403, visitor.get("/dashboard/api/server/history").status);
}

TEST(StoreTest, aPageOfAnotherPluginIsInTheMenuOfItsAudience) {
    auto supplier = visitorOf(createSupplierUser());
    const json pages = supplier.session().at("pages");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, pages.size());
    CPPUNIT_ASSERT_EQUAL(json("sandbox"), pages[1].at("id"));
    CPPUNIT_ASSERT_EQUAL(json("requests"), pages[0].at("id"));
    CPPUNIT_ASSERT_EQUAL(json("Verzoeken"), pages[0].at("titles").at("nl"));
    CPPUNIT_ASSERT_EQUAL(200, supplier.get(pages[0].at("script")).status);
    CPPUNIT_ASSERT_EQUAL(200, supplier.get("/api/v1/supplier/requests").status);
    CPPUNIT_ASSERT(visitorOf(createUser(0)).session().at("pages").empty());
}

} // namespace supplierd::tests
