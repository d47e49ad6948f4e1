#include "tests/host/http/ContentServer.h"
#include "tests/support/Test.h"

#include <supplierd/Validation.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

Response teapot(Request&) {
    return Response::text("short and stout", 418);
}

Response order(Request& request) {
    Details details;
    QueryReader form(request.form(), details);
    const auto name = form.text("name", 100).value_or("nobody");
    form.integer("amount", 1);
    details.throwIfAny();
    return Response::text("for " + name);
}

Response errorPage(const FailedRequest& error) {
    if (error.status == 401)
        return Response::redirect("/shop-sign-in");
    std::string page = std::to_string(error.status) + " " + std::string(error.code) + " " + std::string(error.message) +
                       " " + std::string(error.head.path());
    for (const auto& detail : error.details)
        page += " " + detail.field;
    return Response::html(std::move(page), error.status);
}

std::vector<Route> routes() {
    Route broken = publicRoute("/shop-broken", [](Request&) -> Response { throw std::runtime_error("tulip-secret"); });
    Route form = publicRoute("/shop-order", order, Method::Post);
    form.body = Body::Form;
    form.maxBody = 64;
    Route account = publicRoute("/shop-account", teapot);
    account.scope = "shop:enter";
    Route limited = publicRoute("/shop-twice-a-minute", teapot);
    limited.perMinute = 2;
    std::vector<Route> all{broken, form, account, limited};
    for (Route& route : all)
        route.errorPage = errorPage;
    all.push_back(publicRoute("/shop-teapot", teapot));
    all.push_back(publicRoute("/shop-unlimited", teapot));
    all.back().perMinute = -1;
    return all;
}

} // namespace

/// Routes for browsers: forms, errors that are pages, and limits of addresses.
class PageRouteTest : public CppUnit::TestFixture {
protected:
    HttpResponse post(const std::string& form, const std::string& type = "application/x-www-form-urlencoded") {
        return _client.request("POST", "/shop-order", {{"Content-Type", type}}, form);
    }

    static void requirePage(int status, const std::string& begin, const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, status, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), response.header("Content-Type"));
        CPPUNIT_ASSERT_MESSAGE(response.body, response.body.starts_with(std::to_string(status) + " " + begin));
    }

    ContentServer _server{routes(), std::chrono::seconds(30), 12};
    HttpClient _client = _server.client();
};

TEST(PageRouteTest, textHasAnyStatusAndNoEnvelope) {
    const auto response = _client.get("/shop-teapot");
    CPPUNIT_ASSERT_EQUAL(418, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("short and stout"), response.body);
    CPPUNIT_ASSERT_EQUAL(std::string("text/plain; charset=utf-8"), response.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
}

TEST(PageRouteTest, failedRouteShowsItsPageWithoutTheReason) {
    const auto broken = _client.get("/shop-broken");
    requirePage(500, "SERVER_ERROR Internal error /shop-broken", broken);
    CPPUNIT_ASSERT(broken.body.find("tulip-secret") == std::string::npos);
    _server.waitUntilIdle();
    CPPUNIT_ASSERT(_server.log().find("tulip-secret") != std::string::npos);
    // What no route has stays the API's.
    CPPUNIT_ASSERT_EQUAL(std::string("NOT_FOUND"), _client.get("/nowhere").error().at("code").get<std::string>());
}

TEST(PageRouteTest, formIsReadIntoTypedParameters) {
    CPPUNIT_ASSERT_EQUAL(std::string("for Ann & Bob"), post("name=Ann+%26+Bob&amount=2").body);
    const auto malformed = post("name=Ann&amount=zero");
    requirePage(422, "VALIDATION_ERROR", malformed);
    CPPUNIT_ASSERT_MESSAGE(malformed.body, malformed.body.ends_with(" amount"));
}

TEST(PageRouteTest, formOfAnotherTypeOrSizeIsAPageToo) {
    requirePage(415, "UNSUPPORTED_MEDIA_TYPE", post("{}", "application/json"));
    const auto large = post("name=" + std::string(64, 'x'));
    requirePage(413, "PAYLOAD_TOO_LARGE", large);
    CPPUNIT_ASSERT_MESSAGE(large.body, large.body.find("64 bytes") != std::string::npos);
}

TEST(PageRouteTest, unknownCallerIsSentToSignIn) {
    const auto response = _client.get("/shop-account");
    CPPUNIT_ASSERT_EQUAL(303, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("/shop-sign-in"), response.header("Location"));
}

TEST(PageRouteTest, routeHasALimitOfItsOwn) {
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT_EQUAL(418, _client.get("/shop-twice-a-minute").status);
    const auto refused = _client.get("/shop-twice-a-minute");
    requirePage(429, "RATE_LIMITED", refused);
    const auto seconds = std::stoi(refused.header("Retry-After"));
    CPPUNIT_ASSERT(seconds >= 1 && seconds <= 60);
    CPPUNIT_ASSERT_EQUAL(418, _client.get("/shop-teapot").status);
}

TEST(PageRouteTest, publicRoutesAndUnknownPathsShareALimit) {
    for (int i = 0; i < 6; ++i) {
        CPPUNIT_ASSERT_EQUAL(418, _client.get("/shop-teapot").status);
        CPPUNIT_ASSERT_EQUAL(404, _client.get("/nowhere").status);
    }
    const auto refused = _client.get("/nowhere");
    CPPUNIT_ASSERT_EQUAL(429, refused.status);
    CPPUNIT_ASSERT(refused.hasHeader("Retry-After"));
    CPPUNIT_ASSERT_EQUAL(429, _client.get("/shop-broken").status);
    CPPUNIT_ASSERT_EQUAL(418, _client.get("/shop-unlimited").status);
}

} // namespace supplierd::tests
