#include "host/http/Router.h"

#include "tests/support/Test.h"

#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

using Segments = std::vector<std::string>;

Route route(Method method, std::string pattern, Audience audience = Audience::Supplier) {
    Route made;
    made.method = method;
    made.pattern = std::move(pattern);
    made.audience = audience;
    return made;
}

} // namespace

class RouterTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _metrics = std::make_unique<host::ServerMetrics>(std::make_shared<prometheus::Registry>());
        _router = std::make_unique<host::Router>(*_metrics);
    }

protected:
    host::RouteMatch find(std::string_view method, const Segments& segments) const {
        return _router->find(method, segments);
    }

    std::unique_ptr<host::ServerMetrics> _metrics;
    std::unique_ptr<host::Router> _router;
};

TEST(RouterTest, literalPathIsFoundUnderTheBasePathOfItsAudience) {
    _router->add(route(Method::Get, "/products"));
    const auto match = find("GET", {"api", "v1", "supplier", "products"});
    CPPUNIT_ASSERT(match.handler != nullptr);
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/supplier/products"), match.handler->pattern);
    CPPUNIT_ASSERT(find("GET", {"products"}).handler == nullptr);
}

TEST(RouterTest, theRootIsAPathOfItsOwn) {
    _router->add(route(Method::Get, "/", Audience::Public));
    CPPUNIT_ASSERT(find("GET", {""}).handler != nullptr);
    CPPUNIT_ASSERT(find("GET", {"a"}).handler == nullptr);
    CPPUNIT_ASSERT(find("GET", {"", ""}).handler == nullptr);
}

TEST(RouterTest, audiencesDoNotMix) {
    _router->add(route(Method::Get, "/products", Audience::Operator));
    _router->add(route(Method::Get, "/media/{file}", Audience::Public));
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "products"}).handler == nullptr);
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "platform", "products"}).handler != nullptr);
    CPPUNIT_ASSERT(find("GET", {"media", "a.jpg"}).handler != nullptr);
}

TEST(RouterTest, integerParameterIsParsed) {
    _router->add(route(Method::Post, "/products/{id:int}/images/{image_id:int}/delete"));
    const auto match =
        find("POST", {"api", "v1", "supplier", "products", "12", "images", "9223372036854775807", "delete"});
    CPPUNIT_ASSERT(match.handler != nullptr);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, match.parameters.size());
    CPPUNIT_ASSERT_EQUAL(std::string("id"), std::string(match.parameters[0].name));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{12}, match.parameters[0].integer);
    CPPUNIT_ASSERT_EQUAL(std::string("image_id"), std::string(match.parameters[1].name));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9'223'372'036'854'775'807}, match.parameters[1].integer);
}

TEST(RouterTest, whatIsNoIdIsNoMatch) {
    _router->add(route(Method::Get, "/products/{id:int}"));
    for (const char* id : {"", "0", "-1", "+1", "01", "1.0", "1e3", "abc", "1a", " 1", "1 ", "9223372036854775808",
                           "99999999999999999999", "1/2"}) {
        const auto match = find("GET", {"api", "v1", "supplier", "products", id});
        CPPUNIT_ASSERT_MESSAGE(id, match.handler == nullptr && match.allow.empty());
    }
}

TEST(RouterTest, textParameterTakesAnythingButNothing) {
    _router->add(route(Method::Get, "/files/{name}"));
    const auto match = find("GET", {"api", "v1", "supplier", "files", "a/b c"});
    CPPUNIT_ASSERT(match.handler != nullptr);
    CPPUNIT_ASSERT_EQUAL(std::string("a/b c"), match.parameters.at(0).text);
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "files", ""}).handler == nullptr);
}

TEST(RouterTest, textParameterTakesNoStepInATree) {
    _router->add(route(Method::Get, "/files/{folder}/{name}"));
    for (const char* step : {".", ".."}) {
        CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "files", step, "a"}).handler == nullptr);
        CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "files", "a", step}).handler == nullptr);
    }
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "files", "...", ".a"}).handler != nullptr);
}

TEST(RouterTest, restTakesAllThatFollows) {
    _router->add(route(Method::Get, "/shop/{rest...}", Audience::Public));
    const auto rest = [&](const std::vector<std::string>& segments) {
        const auto match = find("GET", segments);
        return match.handler ? match.parameters.at(0).text : std::string("no match");
    };
    CPPUNIT_ASSERT_EQUAL(std::string("css/site.css"), rest({"shop", "css", "site.css"}));
    CPPUNIT_ASSERT_EQUAL(std::string("a b"), rest({"shop", "a b"}));
    CPPUNIT_ASSERT_EQUAL(std::string(""), rest({"shop", ""}));
    CPPUNIT_ASSERT_EQUAL(std::string("css/"), rest({"shop", "css", ""}));
    CPPUNIT_ASSERT_EQUAL(std::string("no match"), rest({"shop"}));
    CPPUNIT_ASSERT_EQUAL(std::string("no match"), rest({"shops", "a"}));
}

TEST(RouterTest, restTakesNoStepInATreeAndNoForeignSlash) {
    _router->add(route(Method::Get, "/shop/{rest...}", Audience::Public));
    for (const char* segment : {".", "..", "", "../../etc/passwd", "a/b"})
        CPPUNIT_ASSERT_MESSAGE(segment, find("GET", {"shop", segment, "x"}).handler == nullptr);
    CPPUNIT_ASSERT(find("GET", {"shop", "x", ".."}).handler == nullptr);
}

TEST(RouterTest, restComesLastAndTakesNothingOfTheApis) {
    _router->add(route(Method::Get, "/{rest...}", Audience::Public));
    _router->add(route(Method::Get, "/shop/{rest...}", Audience::Public));
    _router->add(route(Method::Get, "/shop/{name}", Audience::Public));
    CPPUNIT_ASSERT_EQUAL(std::string("/shop/{name}"), find("GET", {"shop", "a"}).handler->pattern);
    CPPUNIT_ASSERT_EQUAL(std::string("/shop/{rest...}"), find("GET", {"shop", "a", "b"}).handler->pattern);
    CPPUNIT_ASSERT_EQUAL(std::string("/{rest...}"), find("GET", {"api", "v1"}).handler->pattern);
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "nothing"}).handler == nullptr);
}

TEST(RouterTest, wholePathMustMatch) {
    _router->add(route(Method::Get, "/products"));
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier"}).handler == nullptr);
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "products", ""}).handler == nullptr);
    CPPUNIT_ASSERT(find("GET", {"", "api", "v1", "supplier", "products"}).handler == nullptr);
}

TEST(RouterTest, pathsAreCaseSensitive) {
    _router->add(route(Method::Get, "/products"));
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "Products"}).handler == nullptr);
}

TEST(RouterTest, wrongMethodTellsTheMethodsThatThePathHas) {
    _router->add(route(Method::Get, "/products"));
    _router->add(route(Method::Post, "/products"));
    const auto match = find("DELETE", {"api", "v1", "supplier", "products"});
    CPPUNIT_ASSERT(match.handler == nullptr);
    CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD, POST"), match.allow);
}

TEST(RouterTest, unknownPathAllowsNothing) {
    _router->add(route(Method::Get, "/products"));
    CPPUNIT_ASSERT(find("GET", {"api", "v1", "supplier", "bouquets"}).allow.empty());
}

TEST(RouterTest, headIsAnsweredByGet) {
    _router->add(route(Method::Get, "/products"));
    _router->add(route(Method::Post, "/stock"));
    CPPUNIT_ASSERT(find("HEAD", {"api", "v1", "supplier", "products"}).handler != nullptr);
    CPPUNIT_ASSERT_EQUAL(std::string("POST"), find("HEAD", {"api", "v1", "supplier", "stock"}).allow);
}

TEST(RouterTest, methodNamesAreCaseSensitive) {
    _router->add(route(Method::Get, "/products"));
    CPPUNIT_ASSERT(find("get", {"api", "v1", "supplier", "products"}).handler == nullptr);
}

TEST(RouterTest, literalComesBeforeParameterInWhateverOrderTheyWereAdded) {
    _router->add(route(Method::Get, "/files/{name}"));
    _router->add(route(Method::Get, "/files/latest"));
    _router->add(route(Method::Get, "/files/{name}/size"));
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/supplier/files/latest"),
                         find("GET", {"api", "v1", "supplier", "files", "latest"}).handler->pattern);
    CPPUNIT_ASSERT_EQUAL(std::string("/api/v1/supplier/files/{name}"),
                         find("GET", {"api", "v1", "supplier", "files", "oldest"}).handler->pattern);
}

TEST(RouterTest, audienceOfAPathIsToldByItsFirstSegments) {
    CPPUNIT_ASSERT(host::audienceOf({"api", "v1", "supplier", "products"}) == Audience::Supplier);
    CPPUNIT_ASSERT(host::audienceOf({"api", "v1", "supplier"}) == Audience::Supplier);
    CPPUNIT_ASSERT(host::audienceOf({"api", "v1", "platform", "keys"}) == Audience::Operator);
    for (const Segments& path : {Segments{""},
                                 {"api", "v1"},
                                 {"api", "v1", "suppliers"},
                                 {"", "api", "v1", "supplier"},
                                 {"api", "v2", "supplier"},
                                 {"API", "v1", "supplier"}})
        CPPUNIT_ASSERT(host::audienceOf(path) == Audience::Public);
}

} // namespace supplierd::tests
