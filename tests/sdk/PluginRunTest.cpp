#include "tests/support/Test.h"

#include <supplierd/testing/PluginRun.h>

#include <fcntl.h>
#include <unistd.h>

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

/// Bytes that keep their promises, or break one of them.
class TextContent final : public Content {
public:
    explicit TextContent(std::string bytes, std::size_t missing = 0, int file = -1)
        : _bytes(std::move(bytes)), _missing(missing), _file(file) {}
    ~TextContent() override {
        if (_file >= 0)
            ::close(_file);
    }

    std::uint64_t size() const override { return _bytes.size() + _missing; }
    std::string read(std::uint64_t offset, std::size_t wanted) const override { return _bytes.substr(offset, wanted); }
    int descriptor() const override { return _file; }

private:
    std::string _bytes;
    std::size_t _missing;
    int _file;
};

Response picture(Request& request) {
    const auto name = request.pathText("name");
    std::shared_ptr<const Content> content = std::make_shared<TextContent>(std::string(300'000, 'p'));
    if (name == "cut")
        content = std::make_shared<TextContent>("pp", 1);
    else if (name == "other")
        content = std::make_shared<TextContent>("pppp", 0, ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    return Response::of(content, "image/png").addHeader("ETag", "\"v1\"");
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
                        {Method::Get, "/pictures/{name}", Audience::Public, "", Body::None, picture},
                        {Method::Post, "/pictures/{name}", Audience::Public, "", Body::None, picture},
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
protected:
    using Steps = std::vector<std::string>;

    FakeHost host;
    Steps steps;

    PluginRun run(const std::map<std::string, std::string>& config = {}) {
        return {std::make_unique<Probe>(steps), host, config};
    }

    std::string routeOf(std::string_view path) {
        PluginRun probe = run();
        const Outcome outcome = probe.call(FakeRequest(host.database(), Method::Get, path));
        return outcome.error ? outcome.error->message() : std::string(outcome.data().get("route").text());
    }
};

TEST(PluginRunTest, pluginLivesItsWholeLife) {
    {
        PluginRun probe = run({{"size", "5"}});
        CPPUNIT_ASSERT((Steps{"describe", "configure 5", "start", "ready"}) == steps);
    }
    CPPUNIT_ASSERT((Steps{"describe", "configure 5", "start", "ready", "drain", "stop"}) == steps);
}

TEST(PluginRunTest, pluginThatFailsToStartIsStopped) {
    CPPUNIT_ASSERT_THROW(PluginRun(std::make_unique<Probe>(steps, true), host), std::runtime_error);
    CPPUNIT_ASSERT((Steps{"describe", "configure 3", "start", "stop"}) == steps);
}

TEST(PluginRunTest, routesAreFoundByMethodAndPath) {
    CPPUNIT_ASSERT_EQUAL(std::string("list"), routeOf("/notes?page=1"));
    CPPUNIT_ASSERT_EQUAL(std::string("read 7"), routeOf("/notes/7"));
    CPPUNIT_ASSERT_EQUAL(std::string("file a.txt"), routeOf("/files/a.txt/raw"));
    PluginRun probe = run();
    FakeRequest post(host.database(), Method::Post, "/notes");
    CPPUNIT_ASSERT(probe.call(post.withBody("{}")).data().get("route").text() == "create");
}

TEST(PluginRunTest, pathIntegersAreMatchedStrictly) {
    CPPUNIT_ASSERT_EQUAL(std::string("read 9223372036854775807"), routeOf("/notes/9223372036854775807"));
    for (const char* path : {"/notes/0", "/notes/07", "/notes/-1", "/notes/x", "/notes/", "/notes/9223372036854775808",
                             "/notes/7/more", "/files//raw", "/files/../raw", "/files/./raw", "/notes/1.0"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, std::string("Not found"), routeOf(path));
}

TEST(PluginRunTest, unknownPathAndWrongMethodAreTold) {
    PluginRun probe = run();
    CPPUNIT_ASSERT(probe.call(FakeRequest(host.database(), Method::Get, "/none")).failed(ErrorKind::NotFound));
    CPPUNIT_ASSERT(probe.call(FakeRequest(host.database(), Method::Put, "/notes")).failed(ErrorKind::MethodNotAllowed));
}

TEST(PluginRunTest, missingBodyIsRefused) {
    PluginRun probe = run();
    CPPUNIT_ASSERT(probe.call(FakeRequest(host.database(), Method::Post, "/notes")).failed(ErrorKind::Validation));
}

TEST(PluginRunTest, errorsOfHandlersCanBeAssertedOn) {
    PluginRun probe = run();
    const Outcome outcome = probe.call(FakeRequest(host.database(), Method::Get, "/refuse"));
    CPPUNIT_ASSERT(outcome.failed(ErrorKind::Validation));
    CPPUNIT_ASSERT(outcome.hasDetail("a", "type") && !outcome.hasDetail("a", "required"));
    CPPUNIT_ASSERT_THROW(outcome.data(), ApiError);
    CPPUNIT_ASSERT_THROW(probe.call(FakeRequest(host.database(), Method::Get, "/crash")), std::runtime_error);
}

TEST(PluginRunTest, contentCanBeLookedAt) {
    PluginRun probe = run();
    const Outcome outcome = probe.call(FakeRequest(host.database(), Method::Get, "/pictures/rose.png"));
    CPPUNIT_ASSERT(outcome.bytes() == std::string(300'000, 'p'));
    CPPUNIT_ASSERT_EQUAL(std::string("image/png"), outcome.response.contentType);
    CPPUNIT_ASSERT_EQUAL(std::string("\"v1\""), outcome.header("etag").value_or("none"));
    CPPUNIT_ASSERT(!outcome.header("Location"));
    CPPUNIT_ASSERT_THROW(probe.call(FakeRequest(host.database(), Method::Get, "/notes")).bytes(), std::logic_error);
    CPPUNIT_ASSERT_THROW(probe.call(FakeRequest(host.database(), Method::Get, "/refuse")).bytes(), ApiError);
}

TEST(PluginRunTest, contentThatBreaksItsPromisesIsTold) {
    PluginRun probe = run();
    for (const char* path : {"/pictures/cut", "/pictures/other"})
        CPPUNIT_ASSERT_THROW_MESSAGE(path, probe.call(FakeRequest(host.database(), Method::Get, path)).bytes(),
                                     std::logic_error);
}

TEST(PluginRunTest, contentBelongsToGetOnly) {
    PluginRun probe = run();
    CPPUNIT_ASSERT_THROW(probe.call(FakeRequest(host.database(), Method::Post, "/pictures/rose.png")),
                         std::logic_error);
}

} // namespace supplierd::tests
