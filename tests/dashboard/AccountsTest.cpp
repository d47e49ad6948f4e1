#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// Signing in and out, and whose requests a session's are.
class AccountsTest : public CppUnit::TestFixture {
protected:
    static json body(const std::string& current, const std::string& next) {
        return {{"current_password", current}, {"password", next}};
    }
};

TEST(AccountsTest, aSessionCallsTheApiInThePlaceOfAKey) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    const auto products = visitor.get("/api/v1/supplier/products");
    CPPUNIT_ASSERT_EQUAL(200, products.status);
    CPPUNIT_ASSERT(!products.hasHeader("X-RateLimit-Limit")); // no key's limit
    const json product{
        {"name", "Red Naomi"}, {"category_id", fixture().category()}, {"base_price", 0.85}, {"unit", "stem"}};
    const auto created = visitor.post("/api/v1/supplier/products", product);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(created.body, 201, created.status);
    CPPUNIT_ASSERT_EQUAL(user.supplierId, fixture().database().integer("SELECT supplier_id FROM products WHERE id = " +
                                                                       created.data().at("product").at("id").dump()));
    CPPUNIT_ASSERT_EQUAL(401, visitor.get("/api/v1/platform/suppliers").status);
}

TEST(AccountsTest, anOperatorsSessionCallsTheOperatorsApiAlone) {
    auto visitor = visitorOf(createUser(0));
    CPPUNIT_ASSERT_EQUAL(200, visitor.get("/api/v1/platform/suppliers").status);
    CPPUNIT_ASSERT_EQUAL(401, visitor.get("/api/v1/supplier/products").status);
    CPPUNIT_ASSERT_EQUAL(json("operator"), visitor.session().at("user").at("role"));
    CPPUNIT_ASSERT(visitor.session().at("store").is_null());
}

TEST(AccountsTest, aKeyGoesBeforeASession) {
    auto visitor = visitorOf(createSupplierUser());
    const auto response = visitor.send("GET", "/api/v1/supplier/products", {{"Authorization", "Bearer sk_wrong"}});
    CPPUNIT_ASSERT_EQUAL(401, response.status);
}

TEST(AccountsTest, theCookieIsOutOfReachOfScriptsAndOtherSites) {
    const auto user = createSupplierUser();
    Visitor visitor;
    const auto cookie = visitor.signIn(user.email, PASSWORD).header("Set-Cookie");
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.find("HttpOnly") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.find("SameSite=Strict") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.find("Path=/") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.starts_with("supplierd="));
}

/// Another program of this host has set one of the same name, for a path: browsers send it first.
TEST(AccountsTest, aCookieOfSomebodyElsesHidesNoSession) {
    const auto visitor = visitorOf(createSupplierUser());
    HttpClient client = fixture().server().rootClient();
    for (const std::string& cookies : {"supplierd=theirs; " + visitor.cookie(), "supplierd=; x=y;" + visitor.cookie(),
                                       visitor.cookie() + "; supplierd=theirs"})
        CPPUNIT_ASSERT_EQUAL(200, client.get("/api/v1/supplier/products", {{"Cookie", cookies}}).status);
    CPPUNIT_ASSERT_EQUAL(401,
                         client.get("/api/v1/supplier/products", {{"Cookie", "supplierd=theirs; supplierd=a"}}).status);
}

TEST(AccountsTest, behindTlsTheCookieIsBoundToItsHost) {
    const auto user = createSupplierUser();
    const json credentials{{"email", user.email}, {"password", PASSWORD}};
    Visitor visitor;
    const HttpHeaders tls{{"X-Forwarded-Proto", "https"}, {"Content-Type", "application/json"}};
    const auto cookie = visitor.send("POST", "/dashboard/api/sign-in", tls, credentials.dump()).header("Set-Cookie");
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.starts_with("__Host-supplierd="));
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.find("Secure") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(cookie, cookie.find("Domain") == std::string::npos);
    // Over plain http it is nobody's.
    CPPUNIT_ASSERT(visitor.session().is_null());
}

TEST(AccountsTest, aChangeWithoutTheTokenOfTheSessionIsNotDone) {
    auto visitor = visitorOf(createSupplierUser());
    const HttpHeaders type{{"Content-Type", "application/json"}};
    const auto api = visitor.send("POST", "/api/v1/supplier/stock", type, R"({"items": []})", false);
    CPPUNIT_ASSERT_EQUAL(401, api.status);
    const auto own = visitor.send("POST", "/dashboard/api/keys", type, "{}", false);
    CPPUNIT_ASSERT_EQUAL(403, own.status);
    CPPUNIT_ASSERT_EQUAL(json("csrf"), own.error().at("details").at(0).at("code"));
    auto other = visitorOf(createSupplierUser());
    const HttpHeaders foreign{{"Content-Type", "application/json"},
                              {"X-CSRF-Token", other.session().at("csrf_token").get<std::string>()}};
    CPPUNIT_ASSERT_EQUAL(403, visitor.send("POST", "/dashboard/api/keys", foreign, "{}", false).status);
}

TEST(AccountsTest, aRequestOfAnotherSiteIsNotDoneEvenWithTheToken) {
    auto visitor = visitorOf(createSupplierUser());
    for (const char* site : {"cross-site", "same-site", "none"}) {
        const HttpHeaders headers{{"Content-Type", "application/json"}, {"Sec-Fetch-Site", site}};
        CPPUNIT_ASSERT_EQUAL_MESSAGE(site, 403, visitor.send("POST", "/dashboard/api/keys", headers, "{}").status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            site, 401, visitor.send("POST", "/api/v1/supplier/stock", headers, R"({"items": []})").status);
    }
    CPPUNIT_ASSERT_EQUAL(401,
                         visitor.send("GET", "/api/v1/supplier/products", {{"Sec-Fetch-Site", "cross-site"}}).status);
}

TEST(AccountsTest, theDatabaseHoldsNoTokenAndNoPassword) {
    const auto user = createSupplierUser();
    const auto visitor = visitorOf(user);
    const std::string token = visitor.cookie().substr(visitor.cookie().find('=') + 1);
    auto& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, database.integer("SELECT COUNT(*) FROM dashboard_sessions WHERE token_hash = "
                                                           "UNHEX(SHA2(" +
                                                           database.quote(token) + ", 256))"));
    const auto hash = database.text("SELECT password_hash FROM dashboard_users WHERE id = " + std::to_string(user.id));
    CPPUNIT_ASSERT_MESSAGE(hash, hash.starts_with("$argon2id$"));
}

TEST(AccountsTest, aWrongPasswordDoesNotTellWhoExists) {
    const auto user = createSupplierUser();
    Visitor visitor;
    const auto wrong = visitor.signIn(user.email, "wrong password");
    const auto nobody = visitor.signIn("nobody@store.example", "wrong password");
    CPPUNIT_ASSERT_EQUAL(401, wrong.status);
    CPPUNIT_ASSERT_EQUAL(401, nobody.status);
    CPPUNIT_ASSERT_EQUAL(wrong.error().at("message"), nobody.error().at("message"));
    CPPUNIT_ASSERT(visitor.cookie().empty());
}

TEST(AccountsTest, fiveFailuresInARowCostAPauseEvenForTheRightPassword) {
    const auto user = createSupplierUser();
    Visitor visitor;
    for (int i = 0; i < 5; ++i)
        CPPUNIT_ASSERT_EQUAL(401, visitor.signIn(user.email, "wrong password").status);
    const auto blocked = visitor.signIn(user.email, PASSWORD);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(blocked.body, 429, blocked.status);
    const int pause = std::stoi(blocked.header("Retry-After"));
    CPPUNIT_ASSERT(pause > 0 && pause <= 15);
    // From another address as well: it is the account that is guarded.
    CPPUNIT_ASSERT_EQUAL(429, Visitor().signIn(user.email, PASSWORD).status);
    // Once the pause is over one more may be tried; when it fails, the next pause is twice as long.
    fixture().database().exec("UPDATE dashboard_attempts SET blocked_until = NOW(6) - INTERVAL 1 SECOND");
    CPPUNIT_ASSERT_EQUAL(401, visitor.signIn(user.email, "wrong password").status);
    const int next = std::stoi(visitor.signIn(user.email, PASSWORD).header("Retry-After"));
    CPPUNIT_ASSERT(next > 15 && next <= 30);
    fixture().database().exec("UPDATE dashboard_attempts SET blocked_until = NOW(6) - INTERVAL 1 SECOND");
    CPPUNIT_ASSERT_EQUAL(200, visitor.signIn(user.email, PASSWORD).status);
}

TEST(AccountsTest, failuresForNobodysAddressCostTheSamePause) {
    Visitor visitor;
    for (int i = 0; i < 5; ++i)
        CPPUNIT_ASSERT_EQUAL(401, visitor.signIn("ghost@store.example", "wrong password").status);
    CPPUNIT_ASSERT_EQUAL(429, visitor.signIn("GHOST@store.example", "wrong password").status);
}

TEST(AccountsTest, aRightPasswordForgetsTheFailuresBefore) {
    const auto user = createSupplierUser();
    Visitor visitor;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i)
            CPPUNIT_ASSERT_EQUAL(401, visitor.signIn(user.email, "wrong password").status);
        CPPUNIT_ASSERT_EQUAL(200, visitor.signIn(user.email, PASSWORD).status);
    }
}

TEST(AccountsTest, attemptsAreLimitedByClientAddress) {
    Visitor visitor;
    int status = 0;
    for (int i = 0; i < 40 && status != 429; ++i)
        status = visitor.signIn("many" + std::to_string(i) + "@store.example", "wrong password").status;
    CPPUNIT_ASSERT_EQUAL(429, status);
}

TEST(AccountsTest, signingOutEndsTheSession) {
    auto visitor = visitorOf(createSupplierUser());
    const HttpHeaders stolen{{"Cookie", visitor.cookie()}};
    CPPUNIT_ASSERT_EQUAL(200, visitor.post("/dashboard/api/sign-out").status);
    CPPUNIT_ASSERT(visitor.cookie().ends_with("="));
    CPPUNIT_ASSERT_EQUAL(401, fixture().server().rootClient().get("/api/v1/supplier/products", stolen).status);
}

TEST(AccountsTest, aSessionThatNobodyUsesEnds) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    fixture().database().exec(
        "UPDATE dashboard_sessions SET last_seen_at = NOW(6) - INTERVAL 13 HOUR WHERE user_id = " +
        std::to_string(user.id));
    CPPUNIT_ASSERT_EQUAL(401, visitor.get("/api/v1/supplier/products").status);
    CPPUNIT_ASSERT(visitor.session().is_null());
}

TEST(AccountsTest, aSessionEndsInTheEndHoweverMuchItIsUsed) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    fixture().database().exec("UPDATE dashboard_sessions SET expires_at = NOW(6) - INTERVAL 1 SECOND WHERE user_id = " +
                              std::to_string(user.id));
    CPPUNIT_ASSERT_EQUAL(401, visitor.get("/api/v1/supplier/products").status);
}

TEST(AccountsTest, sessionsAreListedAndEndedOneByOne) {
    const auto user = createSupplierUser();
    auto phone = visitorOf(user);
    auto laptop = visitorOf(user);
    const json sessions = laptop.get("/dashboard/api/me/sessions").data().at("sessions");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, sessions.size());
    const auto other = sessions[0].at("is_this").get<bool>() ? sessions[1] : sessions[0];
    CPPUNIT_ASSERT_EQUAL(json(phone.address()), other.at("address"));
    CPPUNIT_ASSERT_EQUAL(200, laptop.post("/dashboard/api/me/sessions/" + other.at("id").dump() + "/end").status);
    CPPUNIT_ASSERT(phone.session().is_null());
    CPPUNIT_ASSERT(!laptop.session().is_null());
}

TEST(AccountsTest, nobodyEndsASessionOfSomebodyElses) {
    const auto victim = createSupplierUser();
    auto visitor = visitorOf(victim);
    const auto id = visitor.get("/dashboard/api/me/sessions").data().at("sessions").at(0).at("id").dump();
    auto other = visitorOf(createSupplierUser());
    CPPUNIT_ASSERT_EQUAL(404, other.post("/dashboard/api/me/sessions/" + id + "/end").status);
    CPPUNIT_ASSERT(!visitor.session().is_null());
}

TEST(AccountsTest, aNewPasswordEndsTheOtherSessions) {
    const auto user = createSupplierUser();
    auto other = visitorOf(user);
    auto visitor = visitorOf(user);
    CPPUNIT_ASSERT_EQUAL(200, visitor.post("/dashboard/api/me/password", body(PASSWORD, "a new password")).status);
    CPPUNIT_ASSERT(other.session().is_null());
    CPPUNIT_ASSERT(!visitor.session().is_null());
    CPPUNIT_ASSERT_EQUAL(401, Visitor().signIn(user.email, PASSWORD).status);
    CPPUNIT_ASSERT_EQUAL(200, Visitor().signIn(user.email, "a new password").status);
}

TEST(AccountsTest, aNewPasswordTakesTheOldOne) {
    auto visitor = visitorOf(createSupplierUser());
    const auto refused = visitor.post("/dashboard/api/me/password", body("wrong password", "a new password"));
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    CPPUNIT_ASSERT_EQUAL(json("current_password"), refused.error().at("details").at(0).at("field"));
    CPPUNIT_ASSERT(!visitor.session().is_null());
}

TEST(AccountsTest, aPasswordThatIsTooShortIsRefused) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    for (const std::string& password : {std::string("short"), user.email}) {
        const auto refused = visitor.post("/dashboard/api/me/password", body(PASSWORD, password));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(password, 422, refused.status);
        CPPUNIT_ASSERT_EQUAL(json("password"), refused.error().at("details").at(0).at("field"));
    }
}

TEST(AccountsTest, signInsAreOnRecord) {
    const auto user = createSupplierUser();
    Visitor visitor;
    visitor.signIn(user.email, "wrong password");
    visitor.signIn(user.email, PASSWORD);
    const json items = visitor.get("/dashboard/api/me/sign-ins").data().at("sign_ins");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, items.size());
    CPPUNIT_ASSERT_EQUAL(json("signed_in"), items[0].at("outcome"));
    CPPUNIT_ASSERT_EQUAL(json("wrong"), items[1].at("outcome"));
    CPPUNIT_ASSERT_EQUAL(json(visitor.address()), items[1].at("address"));
}

TEST(AccountsTest, aSuspendedSuppliersPeopleSeeWhyTheApiRefusesThem) {
    auto visitor = visitorOf(createSupplierUser("suspended"));
    CPPUNIT_ASSERT_EQUAL(json("suspended"), visitor.session().at("store").at("status"));
    const auto refused = visitor.get("/api/v1/supplier/products");
    CPPUNIT_ASSERT_EQUAL(403, refused.status);
    CPPUNIT_ASSERT_EQUAL(json("supplier_suspended"), refused.error().at("details").at(0).at("code"));
}

TEST(AccountsTest, whatIsDoneIsInTheAuditLogUnderTheUsersName) {
    const auto user = createSupplierUser();
    auto visitor = visitorOf(user);
    CPPUNIT_ASSERT_EQUAL(201, visitor.post("/dashboard/api/keys", {{"name", "Till"}}).status);
    CPPUNIT_ASSERT_EQUAL(
        user.email, fixture().database().text("SELECT actor FROM audit_log WHERE object = 'key' AND supplier_id = " +
                                              std::to_string(user.supplierId)));
}

} // namespace supplierd::tests
