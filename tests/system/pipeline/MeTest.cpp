#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <string>

namespace supplierd::tests {

/// `GET /me`: a key learns whose it is and what it may.
class MeTest : public CppUnit::TestFixture {};

TEST(MeTest, keyLearnsWhoItIs) {
    const auto supplier = fixture().server().createSupplier("Gerbera & Zonen");
    const auto key = fixture().server().createKey(
        supplier, {{"name", "'sync'"}, {"hourly_limit", "7"}, {"expires_at", "'2036-01-02 03:04:05'"}});
    auto client = fixture().server().client(key);
    client.get("/test/whoami");
    const auto response = client.get("/me");
    requireStatus(200, response);
    const auto data = response.data();
    CPPUNIT_ASSERT_EQUAL(
        Json({{"id", supplier}, {"name", "Gerbera & Zonen"}, {"status", "verified"}, {"sandbox", false}}).dump(),
        data.at("supplier").dump());
    const auto& about = data.at("key");
    CPPUNIT_ASSERT_EQUAL(key.substr(0, 11), about.at("prefix").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("sync"), about.at("name").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(7, about.at("hourly_limit").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("2036-01-02T03:04:05Z"), about.at("expires_at").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string(R"(["categories:read","orders:read","products:read","products:write"])"),
                         about.at("scopes").dump()); // of the plugins that are enabled
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, about.size());
    CPPUNIT_ASSERT_EQUAL(
        Json({{"limit", 7}, {"remaining", 5}, {"reset", std::stoll(response.header("X-RateLimit-Reset"))}}).dump(),
        data.at("rate_limit").dump());
    CPPUNIT_ASSERT(!data.at("server").at("version").get<std::string>().empty());
    CPPUNIT_ASSERT(response.body.find(key.substr(12)) == std::string::npos);
}

TEST(MeTest, keyOfFewScopesMayAskToo) {
    const auto response = newClient({{"scopes", "'orders:read stock:write'"}}).get("/me");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string(R"(["orders:read","stock:write"])"),
                         response.data().at("key").at("scopes").dump());
    CPPUNIT_ASSERT(response.data().at("key").at("hourly_limit").is_null());
    CPPUNIT_ASSERT(response.data().at("key").at("expires_at").is_null());
    CPPUNIT_ASSERT_EQUAL(1'000, response.data().at("rate_limit").at("limit").get<int>());
}

TEST(MeTest, operatorKeyLearnsWhoItIs) {
    const auto key = fixture().server().createOperatorKey({{"name", "'ops'"}});
    const auto response = fixture().server().operatorClient(key).get("/me");
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.data().contains("supplier"));
    CPPUNIT_ASSERT_EQUAL(key.substr(0, 11), response.data().at("key").at("prefix").get<std::string>());
    CPPUNIT_ASSERT(response.data().at("key").at("scopes").empty());
}

TEST(MeTest, documentDescribesIt) {
    for (const char* path : {"/api/v1/supplier/openapi.json", "/api/v1/platform/openapi.json"})
        CPPUNIT_ASSERT(fixture().server().rootClient().get(path).json().at("paths").at("/me").contains("get"));
}

} // namespace supplierd::tests
