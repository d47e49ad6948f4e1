#include <supplierd/testing/PluginRun.h>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

namespace supplierd::tests {

using testing::FakeHost;
using testing::FakeRequest;
using testing::Outcome;
using testing::PluginRun;

namespace {

Response answer(const std::string& route) {
    Response response;
    JsonWriter(response.data).beginObject().field("route", route).endObject();
    return response;
}

Handler named(const std::string& route) {
    return [route](Request&) { return answer(route); };
}

/// Writes down the steps of its life.
class Probe final : public Plugin {
public:
    explicit Probe(std::vector<std::string>& steps, bool failsAtStart = false)
        : _steps(steps), _failsAtStart(failsAtStart) {}

    PluginDescription describe() override {
        _steps.emplace_back("describe");
        PluginDescription about;
        about.config = {{.name = "size", .type = ConfigType::Integer, .defaultValue = "3"}};
        about.routes = {{Method::Get, "/notes", Audience::Supplier, "", Body::None, named("list")},
                        {Method::Post, "/notes", Audience::Supplier, "", Body::Json, named("create")},
                        {Method::Get, "/notes/{id:int}", Audience::Supplier, "", Body::None,
                         [](Request& request) { return answer("read " + std::to_string(request.pathInteger("id"))); }},
                        {Method::Get, "/files/{name}/raw", Audience::Supplier, "", Body::None,
                         [](Request& request) { return answer("file " + std::string(request.pathText("name"))); }},
                        {Method::Get, "/refuse", Audience::Supplier, "", Body::None,
                         [](Request&) -> Response {
                             throw ApiError::validation({{"a", "type", "a is wrong"}});
                         }},
                        {Method::Get, "/crash", Audience::Supplier, "", Body::None,
                         [](Request&) -> Response { throw std::runtime_error("crash"); }}};
        return about;
    }
    void configure(const Config& config) override {
        _steps.push_back("configure " + std::to_string(config.integer("size")));
    }
    void start(Host&) override {
        _steps.emplace_back("start");
        if (_failsAtStart)
            throw std::runtime_error("no start");
    }
    void ready() override { _steps.emplace_back("ready"); }
    void drain() override { _steps.emplace_back("drain"); }
    void stop() noexcept override { _steps.emplace_back("stop"); }

private:
    std::vector<std::string>& _steps;
    bool _failsAtStart;
};

} // namespace

class PluginRunTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(PluginRunTest);
    CPPUNIT_TEST(testPluginLivesItsWholeLife);
    CPPUNIT_TEST(testPluginThatFailsToStartIsStopped);
    CPPUNIT_TEST(testRoutesAreFoundByMethodAndPath);
    CPPUNIT_TEST(testPathIntegersAreMatchedStrictly);
    CPPUNIT_TEST(testUnknownPathAndWrongMethodAreTold);
    CPPUNIT_TEST(testMissingBodyIsRefused);
    CPPUNIT_TEST(testErrorsOfHandlersCanBeAssertedOn);
    CPPUNIT_TEST_SUITE_END();

    using Steps = std::vector<std::string>;

    FakeHost host;
    Steps steps;

    PluginRun run(const std::map<std::string, std::string>& config = {}) {
        return {std::make_unique<Probe>(steps), host, config};
    }

    std::string routeOf(std::string_view path) {
        PluginRun probe = run();
        const Outcome outcome = probe.call(FakeRequest(host.database(), Method::Get, path));
        return outcome.error ? outcome.error->message() : outcome.data()->get("route").extract<std::string>();
    }

    void testPluginLivesItsWholeLife() {
        {
            PluginRun probe = run({{"size", "5"}});
            CPPUNIT_ASSERT((Steps{"describe", "configure 5", "start", "ready"}) == steps);
        }
        CPPUNIT_ASSERT((Steps{"describe", "configure 5", "start", "ready", "drain", "stop"}) == steps);
    }

    void testPluginThatFailsToStartIsStopped() {
        CPPUNIT_ASSERT_THROW(PluginRun(std::make_unique<Probe>(steps, true), host), std::runtime_error);
        CPPUNIT_ASSERT((Steps{"describe", "configure 3", "start", "stop"}) == steps);
    }

    void testRoutesAreFoundByMethodAndPath() {
        CPPUNIT_ASSERT_EQUAL(std::string("list"), routeOf("/notes?page=1"));
        CPPUNIT_ASSERT_EQUAL(std::string("read 7"), routeOf("/notes/7"));
        CPPUNIT_ASSERT_EQUAL(std::string("file a.txt"), routeOf("/files/a.txt/raw"));
        PluginRun probe = run();
        FakeRequest post(host.database(), Method::Post, "/notes");
        CPPUNIT_ASSERT_EQUAL(std::string("create"),
                             probe.call(post.withBody("{}")).data()->get("route").extract<std::string>());
    }

    void testPathIntegersAreMatchedStrictly() {
        CPPUNIT_ASSERT_EQUAL(std::string("read 9223372036854775807"), routeOf("/notes/9223372036854775807"));
        for (const char* path : {"/notes/0", "/notes/07", "/notes/-1", "/notes/x", "/notes/",
                                 "/notes/9223372036854775808", "/notes/7/more", "/files//raw", "/notes/1.0"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path, std::string("Not found"), routeOf(path));
    }

    void testUnknownPathAndWrongMethodAreTold() {
        PluginRun probe = run();
        CPPUNIT_ASSERT(probe.call(FakeRequest(host.database(), Method::Get, "/none")).failed(ErrorKind::NotFound));
        CPPUNIT_ASSERT(
            probe.call(FakeRequest(host.database(), Method::Put, "/notes")).failed(ErrorKind::MethodNotAllowed));
    }

    void testMissingBodyIsRefused() {
        PluginRun probe = run();
        CPPUNIT_ASSERT(probe.call(FakeRequest(host.database(), Method::Post, "/notes")).failed(ErrorKind::Validation));
    }

    void testErrorsOfHandlersCanBeAssertedOn() {
        PluginRun probe = run();
        const Outcome outcome = probe.call(FakeRequest(host.database(), Method::Get, "/refuse"));
        CPPUNIT_ASSERT(outcome.failed(ErrorKind::Validation));
        CPPUNIT_ASSERT(outcome.hasDetail("a", "type") && !outcome.hasDetail("a", "required"));
        CPPUNIT_ASSERT_THROW(outcome.data(), ApiError);
        CPPUNIT_ASSERT_THROW(probe.call(FakeRequest(host.database(), Method::Get, "/crash")), std::runtime_error);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PluginRunTest);

} // namespace supplierd::tests
