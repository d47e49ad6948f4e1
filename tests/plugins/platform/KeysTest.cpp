#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

namespace {

const json EVERY_SCOPE{"categories:read", "orders:read",    "orders:write", "prices:write",
                       "products:read",   "products:write", "stock:write"};

} // namespace

class KeysTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _operator = std::make_unique<OperatorClient>();
        _supplier = std::make_unique<SupplierClient>(_operator->createSupplier());
    }

    void tearDown() override { // an idle connection holds a thread of the server
        _supplier.reset();
        _operator.reset();
    }

protected:
    HttpResponse post(const json& body) { return _operator->post(_supplier->path("/keys"), body); }
    json create(const json& body) { return dataOf(_operator->post(_supplier->path("/keys"), body), 201).at("key"); }
    json listed() { return dataOf(_operator->get(_supplier->path("/keys"))).at("keys"); }
    static std::string revocation(std::int64_t id) { return "/keys/" + std::to_string(id) + "/revoke"; }

    std::size_t revocations(std::int64_t id) {
        std::size_t count = 0;
        for (const json& entry : _operator->audit("key", id))
            count += entry["action"] == "key.revoke" ? 1 : 0;
        return count;
    }

    static HttpClient supplierClient(const std::string& key) { return fixture().server().client(key); }

    static std::int64_t keyId(const std::string& key) {
        return fixture().database().integer("SELECT id FROM api_keys WHERE key_id = '" + key.substr(3, 8) + "'");
    }

    std::unique_ptr<OperatorClient> _operator;
    std::unique_ptr<SupplierClient> _supplier;
};

TEST(KeysTest, aKeyIsShownOnceAndWorks) {
    const json key = create({{"name", "Shop system"}});
    const auto secret = key.at("secret").get<std::string>();
    CPPUNIT_ASSERT_EQUAL(std::size_t{55}, secret.size());
    CPPUNIT_ASSERT_EQUAL(json(secret.substr(0, 11)), key["prefix"]);
    CPPUNIT_ASSERT_EQUAL(json("Shop system"), key["name"]);
    CPPUNIT_ASSERT_EQUAL(EVERY_SCOPE, key["scopes"]);
    for (const char* field : {"hourly_limit", "expires_at", "last_used_at", "revoked_at"})
        CPPUNIT_ASSERT_MESSAGE(field, key.at(field).is_null());
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, key.size());
    requireStatus(200, supplierClient(secret).get("/products"));
}

TEST(KeysTest, whatAKeyIsToBeIsKept) {
    const json key = create({{"name", "  Till 💐 "},
                             {"hourly_limit", 50},
                             {"scopes", {"orders:read", "products:read", "orders:read"}},
                             {"expires_at", "2099-01-31T12:00:00+01:00"}});
    CPPUNIT_ASSERT_EQUAL(json("Till 💐"), key["name"]);
    CPPUNIT_ASSERT_EQUAL(json(50), key["hourly_limit"]);
    CPPUNIT_ASSERT_EQUAL(json({"orders:read", "products:read"}), key["scopes"]);
    CPPUNIT_ASSERT_EQUAL(json("2099-01-31T11:00:00Z"), key["expires_at"]);
}

TEST(KeysTest, aKeyIsHeldToItsScopes) {
    auto client = supplierClient(create({{"scopes", {"products:read"}}})["secret"]);
    requireStatus(200, client.get("/products"));
    requireForbidden("scope", client.get("/categories"));
    requireForbidden("scope", client.post("/products", json::object()));
}

TEST(KeysTest, aKeyIsHeldToItsHourlyLimit) {
    auto client = supplierClient(create({{"hourly_limit", 2}})["secret"]);
    CPPUNIT_ASSERT_EQUAL(std::string("2"), client.get("/products").header("X-RateLimit-Limit"));
    requireStatus(200, client.get("/products"));
    requireError(429, "RATE_LIMITED", client.get("/products"));
}

TEST(KeysTest, everyProblemOfANewKeyIsNamed) {
    requireProblems(post({{"name", 7}, {"hourly_limit", "5"}, {"scopes", "products:read"}, {"expires_at", "tomorrow"}}),
                    {"name:type", "hourly_limit:type", "scopes:type", "expires_at:type"});
    requireProblems(post({{"name", std::string(256, 'a')},
                          {"hourly_limit", 0},
                          {"scopes", {"products:read", "products:delete", 5, nullptr}},
                          {"expires_at", "2099-02-30T00:00:00Z"}}),
                    {"name:too_long", "hourly_limit:out_of_range", "scopes[1]:not_in_set", "scopes[2]:type",
                     "scopes[3]:type", "expires_at:type"});
    requireProblems(post({{"scopes", {" ", "products:read"}}}), {"scopes[0]:required"});
    requireProblems(post({{"scopes", json::array()}, {"hourly_limit", 1'000'000'001}, {"expires_at", 5}}),
                    {"scopes:required", "hourly_limit:out_of_range", "expires_at:type"});
    requireProblems(post({{"expires_at", "2099-01-31T12:00:00"}}), {"expires_at:type"}); // of which zone?
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, listed().size());                               // the one of its making
}

TEST(KeysTest, anExpiryHasToLieAhead) {
    requireProblems(post({{"expires_at", "2020-01-01T00:00:00Z"}}), {"expires_at:out_of_range"});
    const json key = create({{"expires_at", "2099-12-31T23:59:59Z"}});
    fixture().database().exec("UPDATE api_keys SET expires_at = NOW(6) - INTERVAL 1 SECOND "
                              "WHERE id = " +
                              std::to_string(idOf(key)));
    requireForbidden("key_expired", supplierClient(key["secret"]).get("/products"));
}

TEST(KeysTest, theListShowsEveryKeyOfItsSupplierWithoutSecrets) {
    json second = create({{"name", "Second"}});
    const SupplierClient other = _operator->createSupplier();
    const json keys = listed();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, keys.size());
    second.erase("secret");
    CPPUNIT_ASSERT_EQUAL(second, keys[0]);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->key().substr(0, 11)), keys[1]["prefix"]);
}

TEST(KeysTest, theListHasPages) {
    for (int i = 0; i < 24; ++i)
        create({{"name", "Key " + std::to_string(i)}});
    const std::string path = "/suppliers/" + std::to_string(_supplier->id()) + "/keys";
    const json first = dataOf(_operator->get(path));
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, first["keys"].size());
    CPPUNIT_ASSERT_EQUAL(json("Key 23"), first["keys"][0]["name"]);
    CPPUNIT_ASSERT_EQUAL(json({{"current_page", 1}, {"total_pages", 2}, {"total_items", 25}, {"per_page", 20}}),
                         first["pagination"]);
    const json last = dataOf(_operator->get(path + "?page=3&per_page=10"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, last["keys"].size());
    CPPUNIT_ASSERT_EQUAL(json("Key 0"), last["keys"][3]["name"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{25}, dataOf(_operator->get(path + "?per_page=1000"))["keys"].size());
    requireProblems(_operator->get(path + "?page=0&per_page=x"), {"page:out_of_range", "per_page:type"});
    requireError(404, "NOT_FOUND", _operator->get("/suppliers/999999999/keys?page=0"));
}

TEST(KeysTest, aRevokedKeyIsRefusedWithinTwoSeconds) {
    requireStatus(200, _supplier->get("/products"));
    const std::int64_t id = idOf(listed()[0]);
    const json key = dataOf(_operator->postEmpty(revocation(id)))["key"];
    CPPUNIT_ASSERT(!key.at("revoked_at").is_null());
    CPPUNIT_ASSERT(!key.contains("secret"));
    CPPUNIT_ASSERT_EQUAL(key["revoked_at"], listed()[0]["revoked_at"]);
    waitForKeys();
    requireForbidden("key_revoked", _supplier->get("/products"));
    const json entries = _operator->audit("key", id); // that the key was used is noted at some time of its own
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [](const json& each) { return each["action"] == "key.revoke"; });
    CPPUNIT_ASSERT(entry != entries.end());
    CPPUNIT_ASSERT_EQUAL(json(_supplier->id()), (*entry)["supplier_id"]);
    CPPUNIT_ASSERT_EQUAL(json({{"revoked_at", nullptr}}), (*entry)["before"]);
    CPPUNIT_ASSERT_EQUAL(json({{"revoked_at", key["revoked_at"]}}), (*entry)["after"]);
}

TEST(KeysTest, revokingTwiceKeepsTheFirstTime) {
    const json key = create(json::object());
    requireStatus(200, _operator->postEmpty(revocation(idOf(key))));
    fixture().database().exec("UPDATE api_keys SET revoked_at = '2026-01-02 03:04:05' WHERE id = " +
                              std::to_string(idOf(key)));
    const std::size_t entries = revocations(idOf(key));
    const json again = dataOf(_operator->postEmpty(revocation(idOf(key))))["key"];
    CPPUNIT_ASSERT_EQUAL(json("2026-01-02T03:04:05Z"), again["revoked_at"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entries);
    CPPUNIT_ASSERT_EQUAL(entries, revocations(idOf(key)));
}

TEST(KeysTest, anOperatorCannotRevokeTheKeyItUses) {
    requireError(409, "CONFLICT", _operator->postEmpty(revocation(keyId(_operator->key()))));
    requireStatus(200, _operator->get("/suppliers"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                         fixture().database().integer("SELECT revoked_at IS NULL FROM api_keys WHERE id = " +
                                                      std::to_string(keyId(_operator->key()))));
}

TEST(KeysTest, anOperatorCanRevokeAnothersKey) {
    OperatorClient another;
    requireStatus(200, another.get("/suppliers"));
    const json key = dataOf(_operator->postEmpty(revocation(keyId(another.key()))))["key"];
    CPPUNIT_ASSERT_EQUAL(json(another.prefix()), key["prefix"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), key["scopes"]);
    waitForKeys();
    requireForbidden("key_revoked", another.get("/suppliers"));
    const json entries = _operator->audit("key", idOf(key)); // its use may be recorded after its end
    const auto entry = std::ranges::find_if(entries, [](const json& e) { return e.at("action") == "key.revoke"; });
    CPPUNIT_ASSERT(entry != entries.end());
    CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), entry->at("actor"));
    CPPUNIT_ASSERT(entry->at("supplier_id").is_null());
}

TEST(KeysTest, makingAKeyIsAuditedWithoutItsSecret) {
    const json key = create({{"name", "Audited"}, {"scopes", {"orders:read"}}});
    const json entry = _operator->audit("key", idOf(key))[0];
    CPPUNIT_ASSERT_EQUAL(json("key.create"), entry["action"]);
    CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), entry["actor"]);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->id()), entry["supplier_id"]);
    CPPUNIT_ASSERT(entry["before"].is_null());
    CPPUNIT_ASSERT_EQUAL(json({{"prefix", key["prefix"]},
                               {"name", "Audited"},
                               {"hourly_limit", nullptr},
                               {"scopes", {"orders:read"}},
                               {"expires_at", nullptr}}),
                         entry["after"]);
}

} // namespace supplierd::tests
