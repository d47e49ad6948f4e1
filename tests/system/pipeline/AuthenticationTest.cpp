#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <string>

namespace supplierd::tests {

/// supplier-api.md "Authentication", DECISIONS.md "Authentication and rate limit".
class AuthenticationTest : public CppUnit::TestFixture {
protected:
    /// "<action> <address before> <address after>" of the key's only entry.
    std::string entry(const std::string& key) {
        const auto rows = fixture().database().query(
            "SELECT action, JSON_VALUE(before_json, '$.address'), JSON_VALUE(after_json, '$.address') FROM audit_log "
            "WHERE actor = '" +
            key.substr(0, 11) + "' AND object = 'key'");
        if (rows.size() != 1)
            return {};
        const auto& row = rows.at(0);
        return *row.at(0) + " " + row.at(1).value_or("-") + " " + row.at(2).value_or("-");
    }

    HttpClient clientOfSupplier(const std::string& status) {
        return fixture().server().client(
            fixture().server().createKey(fixture().server().createSupplier("Rozenhof", status)));
    }
    static std::string lastUseQuery(const std::string& key) {
        return "SELECT last_used_at FROM api_keys WHERE key_id = '" + key.substr(3, 8) + "'";
    }
    std::string lastUse(const std::string& key) { return fixture().database().text(lastUseQuery(key)); }
};

TEST(AuthenticationTest, keyOfAVerifiedSupplierIsAccepted) {
    const auto supplier = fixture().server().createSupplier("Gerbera Gardens");
    const auto key = fixture().server().createKey(supplier);
    const auto response = fixture().server().client(key).get("/test/whoami");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(supplier, response.data().at("supplier_id").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(key.substr(0, 11), response.data().at("key").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(false, response.data().at("operator").get<bool>());
}

TEST(AuthenticationTest, missingKeyIsUnauthorizedWithAChallenge) {
    const auto response = fixture().server().client().get("/test/whoami");
    requireError(401, "UNAUTHORIZED", response);
    CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), response.header("WWW-Authenticate"));
    CPPUNIT_ASSERT(!response.hasHeader("X-RateLimit-Limit"));
}

TEST(AuthenticationTest, malformedCredentialsAreUnauthorized) {
    const auto key = newKey();
    auto client = fixture().server().client();
    for (const std::string& value :
         {std::string(), std::string("Bearer"), std::string("Bearer "), key, "Basic " + key, "Bearer" + key,
          "Bearer " + key.substr(1), "Bearer " + key + "x", "Bearer " + key + " " + key, "Token " + key,
          "Bearer \"" + key + "\"", std::string("Bearer ") + std::string(5'000, 'a')}) {
        const auto response = client.get("/test/whoami", {{"Authorization", value}});
        requireError(401, "UNAUTHORIZED", response);
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), response.header("WWW-Authenticate"));
    }
}

TEST(AuthenticationTest, unknownKeyIsUnauthorized) {
    const auto key = "sk_zzzzzzzz_" + std::string(43, 'A');
    const auto response = fixture().server().client(key).get("/test/whoami");
    requireError(401, "UNAUTHORIZED", response);
    CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), response.header("WWW-Authenticate"));
}

TEST(AuthenticationTest, keyWithAnotherSecretIsUnauthorized) {
    auto key = newKey();
    key.back() = key.back() == 'A' ? 'B' : 'A';
    requireError(401, "UNAUTHORIZED", fixture().server().client(key).get("/test/whoami"));
}

TEST(AuthenticationTest, keyInTheQueryIsNoKey) {
    const auto key = newKey();
    auto client = fixture().server().client();
    requireError(401, "UNAUTHORIZED", client.get("/test/whoami?api_key=" + key));
    requireError(401, "UNAUTHORIZED", client.get("/test/whoami", {{"X-Api-Key", key}}));
}

TEST(AuthenticationTest, twoAuthorizationFieldsAreRefused) {
    const auto key = newKey();
    const auto response = fixture().server().client().get(
        "/test/whoami", {{"Authorization", "Bearer " + key}, {"authorization", "Bearer " + key}});
    requireError(400, "BAD_REQUEST", response);
}

TEST(AuthenticationTest, operatorKeyOnTheSupplierApiIsUnauthorized) {
    const auto key = fixture().server().createOperatorKey();
    const auto error = requireError(401, "UNAUTHORIZED", fixture().server().client(key).get("/test/whoami"));
    CPPUNIT_ASSERT_EQUAL(std::string("This is an operator's key (ok_), which belongs to /api/v1/platform: send a "
                                     "supplier's key (sk_) here"),
                         error.at("message").get<std::string>());
}

TEST(AuthenticationTest, supplierKeyOnTheOperatorApiIsUnauthorized) {
    const auto error =
        requireError(401, "UNAUTHORIZED", fixture().server().operatorClient(newKey()).get("/test/whoami"));
    CPPUNIT_ASSERT_EQUAL(std::string("This is a supplier's key (sk_), which belongs to /api/v1/supplier: send an "
                                     "operator's key (ok_) here"),
                         error.at("message").get<std::string>());
}

TEST(AuthenticationTest, operatorKeyIsAcceptedOnItsApi) {
    const auto response = fixture().server().operatorClient(fixture().server().createOperatorKey()).get("/test/whoami");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(true, response.data().at("operator").get<bool>());
    CPPUNIT_ASSERT_EQUAL(0, response.data().at("supplier_id").get<int>());
    requireRateLimitHeaders(response);
}

TEST(AuthenticationTest, pluginVerifiesAKeyThatItIsShown) {
    auto client = newClient();
    const auto show = [&](const std::string& key) { return client.get("/test/key", {{"X-Shown-Key", key}}); };
    const auto supplier = fixture().server().createSupplier("Rozenhof");
    const auto shown = show(fixture().server().createKey(supplier));
    requireStatus(200, shown);
    CPPUNIT_ASSERT_EQUAL(supplier, shown.data().at("supplier_id").get<std::int64_t>());
    CPPUNIT_ASSERT(show(fixture().server().createOperatorKey()).data().at("operator").get<bool>());
    requireStatus(403, show(newKey({{"revoked_at", "NOW(6)"}})));
    requireStatus(401, show("sk_guess"));
}

TEST(AuthenticationTest, publicRouteNeedsNoKey) {
    const auto response = fixture().server().rootClient().get("/test/public");
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.hasHeader("X-RateLimit-Limit"));
}

TEST(AuthenticationTest, revokedKeyIsForbidden) {
    auto client = newClient({{"revoked_at", "NOW(6)"}});
    requireDetail(403, "FORBIDDEN", "key_revoked", client.get("/test/whoami"));
}

TEST(AuthenticationTest, expiredKeyIsForbidden) {
    auto client = newClient({{"expires_at", "NOW(6) - INTERVAL 1 SECOND"}});
    requireDetail(403, "FORBIDDEN", "key_expired", client.get("/test/whoami"));
}

TEST(AuthenticationTest, keyThatExpiresLaterIsAccepted) {
    auto client = newClient({{"expires_at", "NOW(6) + INTERVAL 1 HOUR"}});
    requireStatus(200, client.get("/test/whoami"));
}

TEST(AuthenticationTest, unverifiedSupplierIsForbidden) {
    requireDetail(403, "FORBIDDEN", "supplier_unverified", clientOfSupplier("unverified").get("/test/whoami"));
}

TEST(AuthenticationTest, suspendedSupplierIsForbidden) {
    requireDetail(403, "FORBIDDEN", "supplier_suspended", clientOfSupplier("suspended").get("/test/whoami"));
}

TEST(AuthenticationTest, missingScopeIsForbiddenAndNamed) {
    auto client = newClient({{"scopes", "'products:read stock:write'"}});
    const auto response = client.get("/test/orders");
    const auto error = requireDetail(403, "FORBIDDEN", "scope", response);
    CPPUNIT_ASSERT(error.at("message").get<std::string>().find("orders:read") != std::string::npos);
    requireRateLimitHeaders(response);
}

TEST(AuthenticationTest, keyWithTheScopeIsAccepted) {
    requireStatus(200, newClient({{"scopes", "'products:read orders:read'"}}).get("/test/orders"));
    requireStatus(200, newClient().get("/test/orders")); // no scopes: all of them
}

TEST(AuthenticationTest, keyThatWasUnknownWorksOnceItExists) {
    const auto key = newKey();
    const auto byKeyId = " WHERE key_id = '" + key.substr(3, 8) + "'";
    fixture().database().exec("UPDATE api_keys SET key_hash = REVERSE(key_hash)" + byKeyId);
    auto client = fixture().server().client(key);
    requireError(401, "UNAUTHORIZED", client.get("/test/whoami"));
    fixture().database().exec("UPDATE api_keys SET key_hash = REVERSE(key_hash)" + byKeyId);
    waitFor("the key being accepted", [&] { return client.get("/test/whoami").status == 200; });
}

TEST(AuthenticationTest, everyKeySeesItsOwnSupplier) {
    const auto first = fixture().server().createSupplier("First");
    const auto second = fixture().server().createSupplier("Second");
    auto clientOfFirst = fixture().server().client(fixture().server().createKey(first));
    auto clientOfSecond = fixture().server().client(fixture().server().createKey(second));
    for (int i = 0; i < 3; ++i) {
        CPPUNIT_ASSERT_EQUAL(first, clientOfFirst.get("/test/whoami").data().at("supplier_id").get<std::int64_t>());
        CPPUNIT_ASSERT_EQUAL(second, clientOfSecond.get("/test/whoami").data().at("supplier_id").get<std::int64_t>());
    }
}

TEST(AuthenticationTest, lastUseIsKeptAtMostOnceAMinute) {
    const auto recent = newKey({{"last_used_at", "NOW(6) - INTERVAL 30 SECOND"}});
    const auto old = newKey({{"last_used_at", "NOW(6) - INTERVAL 90 SECOND"}});
    const auto never = newKey();
    const auto before = lastUse(recent);
    for (const auto& key : {recent, old, never})
        requireStatus(200, fixture().server().client(key).get("/test/whoami"));
    waitFor("last_used_at of the key that was never used",
            [&] { return fixture().database().query(lastUseQuery(never)).at(0).at(0).has_value(); });
    waitFor("last_used_at of the key that was used long ago", [&] {
        return fixture().database().integer("SELECT last_used_at > NOW(6) - INTERVAL 60 SECOND FROM api_keys "
                                            "WHERE key_id = '" +
                                            old.substr(3, 8) + "'") == 1;
    });
    CPPUNIT_ASSERT_EQUAL(before, lastUse(recent));
}

TEST(AuthenticationTest, firstUseAndNewAddressAreInTheAuditLog) {
    const auto fresh = newKey();
    const auto moved = newKey({{"last_used_at", "NOW(6) - INTERVAL 90 SECOND"}, {"last_used_from", "'198.51.100.7'"}});
    for (const auto& key : {fresh, moved})
        requireStatus(200, fixture().server().client(key).get("/test/whoami"));
    waitFor("the entry of the first use", [&] { return entry(fresh) == "key.first_use - 127.0.0.1"; });
    waitFor("the entry of the new address", [&] { return entry(moved) == "key.new_address 198.51.100.7 127.0.0.1"; });
}

} // namespace supplierd::tests
