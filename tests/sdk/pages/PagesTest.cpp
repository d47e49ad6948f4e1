#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <memory>
#include <string>

namespace supplierd::tests {

namespace {

/// What a browser does for an answer's cookie.
std::string cookieOf(const HttpResponse& response) {
    const auto field = response.header("Set-Cookie");
    return field.substr(0, field.find(';'));
}

} // namespace

/// PagesPlugin.cpp, through a real server.
class PagesTest : public CppUnit::TestFixture {
protected:
    struct Fixture {
        TestDatabase database;
        ServerProcess server{database,
                             {.pluginFiles = {SUPPLIERD_TEST_PAGES_PLUGIN},
                              .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n"
                                               "[rate_limit]\npublic_per_minute = 20\n"}};
        std::int64_t supplier = server.createSupplier("Van der Berg Bloemen");
        int clients = 0;
    };

    static Fixture& fixture() {
        static Fixture fixture;
        return fixture;
    }

    /// An address that nobody had before.
    static HttpHeaders newAddress() {
        return {{"X-Forwarded-For", "198.51.100." + std::to_string(++fixture().clients)}};
    }

    static HttpHeaders with(HttpHeaders headers, const std::string& name, const std::string& value) {
        headers.emplace_back(name, value);
        return headers;
    }

    /// At the server's root.
    static HttpClient browser() {
        const auto url = fixture().server.url();
        return HttpClient(url.substr(0, url.find("/api/")));
    }

    static HttpResponse get(const std::string& path, HttpHeaders headers = newAddress()) {
        return browser().get(path, headers);
    }

    static HttpResponse signIn(const std::string& form) {
        return browser().request("POST", "/shop-sign-in",
                                 with(newAddress(), "Content-Type", "application/x-www-form-urlencoded"), form);
    }

    static std::string session(std::int64_t supplier = fixture().supplier) {
        const auto response = signIn("name=Ann&password=correct+horse&supplier=" + std::to_string(supplier));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 303, response.status);
        return cookieOf(response);
    }

    static void requireContains(const std::string& text, const std::string& part) {
        CPPUNIT_ASSERT_MESSAGE(part + " is missing in: " + text, text.find(part) != std::string::npos);
    }
};

TEST(PagesTest, textHasAnyStatusAndNoEnvelope) {
    const auto response = get("/shop-teapot");
    CPPUNIT_ASSERT_EQUAL(418, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("short and stout"), response.body);
    CPPUNIT_ASSERT_EQUAL(std::string("text/plain; charset=utf-8"), response.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
}

TEST(PagesTest, redirectNamesItsPlace) {
    const auto response = get("/shop");
    CPPUNIT_ASSERT_EQUAL(308, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("/shop/"), response.header("Location"));
    CPPUNIT_ASSERT(response.body.empty());
}

TEST(PagesTest, failedRouteShowsItsPageWithoutTheReason) {
    const auto broken = get("/shop-broken");
    CPPUNIT_ASSERT_EQUAL(500, broken.status);
    CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), broken.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("<h1>500 SERVER_ERROR</h1><p>Internal error</p><p>/shop-broken</p>"), broken.body);
    logLine(fixture().server, "tulip-secret");
    const auto missing = get("/shop/nothing.html");
    CPPUNIT_ASSERT_EQUAL(404, missing.status);
    requireContains(missing.body, "<h1>404 NOT_FOUND</h1>");
    // What no route has stays the API's.
    CPPUNIT_ASSERT_EQUAL(std::string("NOT_FOUND"), get("/nowhere").error().at("code").get<std::string>());
}

TEST(PagesTest, filesComeWithTypeTagAndCacheControl) {
    const auto page = get("/shop/");
    CPPUNIT_ASSERT_EQUAL(200, page.status);
    CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), page.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=60"), page.header("Cache-Control"));
    requireContains(page.body, "<h1>Roses</h1>");
    const auto style = get("/shop/css/site.css");
    CPPUNIT_ASSERT_EQUAL(std::string("text/css; charset=utf-8"), style.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("h1 { color: red; }\n"), style.body);
    CPPUNIT_ASSERT(style.header("ETag") != page.header("ETag"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{34}, style.header("ETag").size()); // quoted, so strong
}

TEST(PagesTest, fileThatIsUnchangedIsNotSent) {
    const auto tag = get("/shop/index.html").header("ETag");
    const auto again = get("/shop/index.html", with(newAddress(), "If-None-Match", tag));
    CPPUNIT_ASSERT_EQUAL(304, again.status);
    CPPUNIT_ASSERT(again.body.empty());
    CPPUNIT_ASSERT_EQUAL(tag, again.header("ETag"));
}

TEST(PagesTest, headOfAFileHasNoBody) {
    auto client = browser();
    const auto head = client.request("HEAD", "/shop/css/site.css", newAddress());
    CPPUNIT_ASSERT_EQUAL(200, head.status);
    CPPUNIT_ASSERT_EQUAL(std::string("19"), head.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(418, client.get("/shop-teapot", newAddress()).status); // on the same connection
}

TEST(PagesTest, restHasNoDotSegmentsAndNoForeignSlashes) {
    for (const char* path : {"/shop/css/../index.html", "/shop/%2e%2e/index.html", "/shop/css%2fsite.css",
                             "/shop/css//site.css", "/shop/./index.html"}) {
        const auto response = get(path);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 404, response.status);
        requireContains(response.header("Content-Type"), "application/json"); // no route's
    }
    CPPUNIT_ASSERT_EQUAL(200, get("/shop/css/%73ite.css").status);
}

TEST(PagesTest, callerIsSeenThroughATrustedProxy) {
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9 https red unknown"),
                         get("/shop-caller", {{"X-Forwarded-For", "203.0.113.9"},
                                              {"X-Forwarded-Proto", "https"},
                                              {"Cookie", "size=3; colour=\"red\"; colour=blue"}})
                             .body);
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9 http - unknown"),
                         get("/shop-caller", {{"X-Forwarded-For", "203.0.113.9"}}).body);
}

TEST(PagesTest, formIsReadIntoTypedParameters) {
    const auto wrong = signIn("name=Ann+%26+Bob&password=guess");
    CPPUNIT_ASSERT_EQUAL(403, wrong.status);
    requireContains(wrong.body, "Wrong password for Ann & Bob");
    const auto malformed = signIn("name=Ann&supplier=zero");
    CPPUNIT_ASSERT_EQUAL(422, malformed.status);
    requireContains(malformed.body, "<li>supplier</li>");
}

TEST(PagesTest, formOfAnotherTypeOrSizeIsAPageToo) {
    auto client = browser();
    const auto json =
        client.request("POST", "/shop-sign-in", with(newAddress(), "Content-Type", "application/json"), "{}");
    CPPUNIT_ASSERT_EQUAL(415, json.status);
    requireContains(json.body, "<h1>415 UNSUPPORTED_MEDIA_TYPE</h1>");
    const auto large = signIn("name=" + std::string(600, 'x'));
    CPPUNIT_ASSERT_EQUAL(413, large.status);
    requireContains(large.body, "512 bytes");
}

TEST(PagesTest, unknownCallerIsSentToSignIn) {
    const auto response = get("/shop-account");
    CPPUNIT_ASSERT_EQUAL(303, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("/shop-sign-in"), response.header("Location"));
    CPPUNIT_ASSERT_EQUAL(303, get("/shop-account", with(newAddress(), "Cookie", "session=guess")).status);
}

TEST(PagesTest, signedInCallerIsKnownOnPagesAndInTheApi) {
    const auto cookie = session();
    const auto id = std::to_string(fixture().supplier);
    const auto page = get("/shop-account", with(newAddress(), "Cookie", cookie));
    CPPUNIT_ASSERT_EQUAL(std::string("<p>shop:Ann of " + id + ", guest</p>"), page.body);
    const auto api = get("/api/v1/supplier/shop-mine", with(newAddress(), "Cookie", cookie));
    CPPUNIT_ASSERT_EQUAL(200, api.status);
    CPPUNIT_ASSERT_EQUAL(page.body, api.body);
    CPPUNIT_ASSERT(!api.hasHeader("X-RateLimit-Limit")); // no key's limit
    CPPUNIT_ASSERT_EQUAL(401, get("/api/v1/supplier/shop-mine").status);
}

TEST(PagesTest, signedInCallerLacksOtherScopes) {
    const auto response = get("/shop-back-room", with(newAddress(), "Cookie", session()));
    CPPUNIT_ASSERT_EQUAL(403, response.status);
    requireContains(response.body, "shop:rule");
}

TEST(PagesTest, forgedRequestIsNotSignedIn) {
    auto client = browser();
    const auto headers = with(newAddress(), "Cookie", session());
    CPPUNIT_ASSERT_EQUAL(303, client.postEmpty("/shop-order", headers).status);
    CPPUNIT_ASSERT_EQUAL(303, client.postEmpty("/shop-order", with(headers, "Origin", "http://evil.example")).status);
    CPPUNIT_ASSERT_EQUAL(200, client.postEmpty("/shop-order", with(headers, "Origin", "http://shop.example")).status);
}

TEST(PagesTest, suspendedSupplierIsNotServedThroughASession) {
    const auto suspended = fixture().server.createSupplier("Closed", "suspended");
    const auto response = get("/shop-account", with(newAddress(), "Cookie", session(suspended)));
    CPPUNIT_ASSERT_EQUAL(403, response.status);
    requireContains(response.body, "suspended");
}

TEST(PagesTest, keyGoesBeforeACookie) {
    const auto other = fixture().server.createSupplier("Other");
    auto client = fixture().server.client(fixture().server.createKey(other));
    const auto response = client.get("/shop-mine", with(newAddress(), "Cookie", session()));
    requireContains(response.body, " of " + std::to_string(other) + ", ruler");
}

TEST(PagesTest, routeHasALimitOfItsOwnPerAddress) {
    const auto address = newAddress();
    CPPUNIT_ASSERT_EQUAL(418, get("/shop-twice-a-minute", address).status);
    CPPUNIT_ASSERT_EQUAL(418, get("/shop-twice-a-minute", address).status);
    const auto refused = get("/shop-twice-a-minute", address);
    CPPUNIT_ASSERT_EQUAL(429, refused.status);
    requireContains(refused.body, "<h1>429 RATE_LIMITED</h1>");
    const auto seconds = std::stoi(refused.header("Retry-After"));
    CPPUNIT_ASSERT(seconds >= 1 && seconds <= 60);
    CPPUNIT_ASSERT_EQUAL(418, get("/shop-twice-a-minute").status); // another address
    CPPUNIT_ASSERT_EQUAL(418, get("/shop-teapot", address).status);
}

TEST(PagesTest, publicRoutesShareALimitPerAddress) {
    const auto address = newAddress();
    for (int i = 0; i < 20; ++i)
        CPPUNIT_ASSERT_EQUAL(i % 2 == 0 ? 418 : 404, get(i % 2 == 0 ? "/shop-teapot" : "/nowhere", address).status);
    const auto refused = get("/nowhere", address);
    CPPUNIT_ASSERT_EQUAL(429, refused.status);
    CPPUNIT_ASSERT(refused.hasHeader("Retry-After"));
    CPPUNIT_ASSERT_EQUAL(429, get("/shop-caller", address).status);
    CPPUNIT_ASSERT_EQUAL(418, get("/shop-unlimited", address).status);
}

} // namespace supplierd::tests
