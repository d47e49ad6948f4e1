#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <string>

namespace supplierd::tests {

/// What a request has and the API does not know is told beside its response.
class WarningsTest : public CppUnit::TestFixture {
protected:
    HttpClient _client = newClient();

    static Json product() {
        static const auto CATEGORY = fixture().server().createCategory("Roses for warnings");
        return {{"name", "Red Naomi"}, {"category_id", CATEGORY}, {"base_price", 0.085}, {"unit", "stem"}};
    }
};

TEST(WarningsTest, unknownParameterIsTold) {
    const auto response = _client.get("/products?statuss=active&page=1");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string(R"([{"code":"unknown","field":"statuss",)"
                                     R"("message":"unknown parameter 'statuss'; did you mean 'status'?"}])"),
                         response.json().at("warnings").dump());
    CPPUNIT_ASSERT(!_client.get("/products?status=active").json().contains("warnings"));
}

TEST(WarningsTest, unknownFieldIsToldAndStaysInTheReplay) {
    auto body = product();
    body["colour"] = "red";
    body["variants"] = {{{"name", "60 cm"}, {"skuu", "x"}}};
    const auto first = _client.post("/products", body, {{"Idempotency-Key", "warned"}});
    requireStatus(201, first);
    const auto warnings = first.json().at("warnings");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, warnings.size());
    CPPUNIT_ASSERT_EQUAL(std::string("colour"), warnings[0].at("field").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("variants[0].skuu"), warnings[1].at("field").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("unknown field 'skuu'; did you mean 'sku'?"),
                         warnings[1].at("message").get<std::string>());
    const auto replayed = _client.post("/products", body, {{"Idempotency-Key", "warned"}});
    CPPUNIT_ASSERT_EQUAL(std::string("true"), replayed.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.body, replayed.body);
}

TEST(WarningsTest, productCanBeSentBackAsItWasRead) {
    auto body = product();
    body["variants"] = {{{"name", "60 cm"}}};
    const auto created = _client.post("/products", body);
    requireStatus(201, created);
    CPPUNIT_ASSERT(!created.json().contains("warnings"));
    auto sent = created.data().at("product");
    const auto path = "/products/" + std::to_string(sent.at("id").get<std::int64_t>());
    const auto response = _client.post(path, sent);
    requireStatus(200, response);
    CPPUNIT_ASSERT_MESSAGE(response.body, !response.json().contains("warnings"));
}

TEST(WarningsTest, routeWithoutADocumentHasNoWarnings) {
    const auto response = _client.get("/test/whoami?anything=1");
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.json().contains("warnings"));
}

TEST(WarningsTest, refusalHasNoWarnings) {
    const auto response = _client.post("/products", {{"colour", "red"}});
    requireError(422, "VALIDATION_ERROR", response);
    CPPUNIT_ASSERT(!response.json().contains("warnings"));
}

} // namespace supplierd::tests
