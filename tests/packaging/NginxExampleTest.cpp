#include "tests/packaging/NginxProxy.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

const std::string PICTURE = "/media/3f/a0/3fa00000000000000000000000000007.webp";
const std::string ABSENT = "/media/3f/a0/3fa00000000000000000000000000008.webp";
const std::string BYTES = "RIFF, and what a picture has";

std::string shown(const HttpResponse& response) {
    return response.statusLine + "\n" + response.body;
}

} // namespace

/// packaging/nginx/supplierd.conf: pictures through nginx are what supplierd serves itself, and the API goes through.
class NginxExampleTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(NginxExampleTest);
    CPPUNIT_TEST(testExampleIsWellFormed);
    CPPUNIT_TEST(testPicturesAreServedAsSupplierdServesThem);
    CPPUNIT_TEST(testConditionsAreJudgedAsSupplierdJudgesThem);
    CPPUNIT_TEST(testNothingButPicturesIsServed);
    CPPUNIT_TEST(testApiGoesThroughWithTheClientsAddress);
    CPPUNIT_TEST(testWhatTheProxyRefusesIsInTheEnvelope);
    CPPUNIT_TEST(testApiIsRefusedInClear);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        if (!NginxProxy::program()) {
            std::cout << "skipped, nginx is not installed: ";
            return;
        }
        _world = std::make_unique<World>();
    }
    void tearDown() override { _world.reset(); }

    void testExampleIsWellFormed() {
        if (!_world)
            return;
        const auto said = _world->proxy.check();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(said.errors, 0, said.exitCode);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(said.errors, std::string::npos, said.errors.find("[warn]"));
    }

    void testPicturesAreServedAsSupplierdServesThem() {
        if (!_world)
            return;
        requireSame("GET", {}, 200);
        requireSame("HEAD", {}, 200);
        requireSame("GET", {{"Range", "bytes=5-8"}}, 206);
        requireSame("GET", {{"Range", "bytes=-3"}}, 206);
        requireSame("GET", {{"Range", "bytes=5-"}}, 206);
        requireSame("GET", {{"Range", "bytes=0-1,5-6"}}, 200);
        requireSame("GET", {{"Range", "bytes=9000-"}}, 416);
    }

    void testConditionsAreJudgedAsSupplierdJudgesThem() {
        if (!_world)
            return;
        const auto withOwnTag = [&](const std::string& name, const HttpHeaders& more, int status) {
            for (const bool direct : {true, false}) {
                const auto tag = ask(direct, "GET", PICTURE).header("ETag");
                CPPUNIT_ASSERT_MESSAGE(tag, tag.size() > 2 && tag.front() == '"' && tag.back() == '"');
                auto headers = more;
                headers.emplace_back(name, tag);
                const auto answer = ask(direct, "GET", PICTURE, headers);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(name + (direct ? " directly" : " through nginx"), status, answer.status);
                CPPUNIT_ASSERT_EQUAL(tag, answer.header("ETag"));
                CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"),
                                     answer.header("Cache-Control"));
            }
        };
        withOwnTag("If-None-Match", {}, 304);
        withOwnTag("If-Range", {{"Range", "bytes=5-8"}}, 206);
        requireSame("GET", {{"If-None-Match", "\"another\""}}, 200);
        requireSame("GET", {{"If-None-Match", "*"}}, 304);
        requireSame("GET", {{"If-Range", "\"another\""}, {"Range", "bytes=5-8"}}, 200);
        requireSame("GET", {{"If-Modified-Since", "Sat, 21 Nov 2099 10:00:00 GMT"}}, 200);
    }

    void testNothingButPicturesIsServed() {
        if (!_world)
            return;
        writeWholeFile(_world->root / "secret.txt", "tulip-secret");
        writeWholeFile(_world->root / "3f/a0/secret.webp", "tulip-secret");
        for (const std::string& path :
             {ABSENT, std::string("/media"), std::string("/media/"), std::string("/media/3f/a0/"),
              std::string("/media/secret.txt"), std::string("/media/3f/a0/secret.webp"), "/" + PICTURE,
              std::string("/media/3f//a0/3fa00000000000000000000000000007.webp"),
              std::string("/media/%2e%2e/media/secret.txt"), std::string("/media/../media/secret.txt"),
              std::string("/media/3f/a1/3fa00000000000000000000000000007.webp"), PICTURE + "/", PICTURE + "x"})
            for (const bool direct : {true, false}) {
                const auto answer = ask(direct, "GET", path);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(path + (direct ? " directly" : " through nginx"), 404, answer.status);
                CPPUNIT_ASSERT_EQUAL(std::string("NOT_FOUND"), answer.error().at("code").get<std::string>());
                CPPUNIT_ASSERT(answer.body.find("tulip-secret") == std::string::npos);
            }
        CPPUNIT_ASSERT_EQUAL(400, ask(true, "GET", PICTURE + "%00").status);
        CPPUNIT_ASSERT_EQUAL(400, ask(false, "GET", PICTURE + "%00").status);
        for (const bool direct : {true, false})
            for (const auto* method : {"POST", "DELETE"}) {
                const auto answer = ask(direct, method, PICTURE);
                CPPUNIT_ASSERT_EQUAL(405, answer.status);
                CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD"), answer.header("Allow"));
            }
    }

    void testApiGoesThroughWithTheClientsAddress() {
        if (!_world)
            return;
        const auto key = _world->server.createKey(_world->server.createSupplier("Bloem BV"));
        const auto answer = _world->proxy.request(
            "/api/v1/supplier/categories", {"--interface", "127.0.0.2", "-H", "Authorization: Bearer " + key, "-H",
                                            "X-Forwarded-For: 203.0.113.9", "-H", "X-Request-Id: through-nginx"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown(answer), 200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("through-nginx"), answer.header("X-Request-Id"));
        CPPUNIT_ASSERT_EQUAL(0, _world->server.stop());
        const auto log = readWholeFile(_world->server.accessLogFile());
        CPPUNIT_ASSERT_MESSAGE(log, log.find(R"("client":"127.0.0.2")") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(log, log.find("203.0.113.9") == std::string::npos);
    }

    void testWhatTheProxyRefusesIsInTheEnvelope() {
        if (!_world)
            return;
        const auto large = _world->root / "large.json";
        const auto post = [&](std::size_t size) {
            writeWholeFile(large, std::string(size, ' '));
            return _world->proxy.request("/api/v1/supplier/products",
                                         {"--data-binary", "@" + large.string(), "-H", "Content-Type: application/json",
                                          "-H", "Authorization: Bearer " + _world->key});
        };
        for (const std::size_t size : {std::size_t{1'500'000}, std::size_t{3'000'000}}) {
            const auto refused = post(size);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(shown(refused), 413, refused.status);
            CPPUNIT_ASSERT_EQUAL(std::string("PAYLOAD_TOO_LARGE"), refused.error().at("code").get<std::string>());
            CPPUNIT_ASSERT_EQUAL(refused.header("X-Request-Id"), refused.error().at("request_id").get<std::string>());
        }
        CPPUNIT_ASSERT_EQUAL(0, _world->server.stop());
        const auto away = _world->proxy.request("/api/v1/supplier/products");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown(away), 503, away.status);
        CPPUNIT_ASSERT_EQUAL(std::string("SERVICE_UNAVAILABLE"), away.error().at("code").get<std::string>());
        CPPUNIT_ASSERT(away.hasHeader("Retry-After"));
        CPPUNIT_ASSERT_EQUAL(200, _world->proxy.request(PICTURE).status);
    }

    void testApiIsRefusedInClear() {
        if (!_world)
            return;
        CPPUNIT_ASSERT_EQUAL(403, _world->proxy.requestInClear("/api/v1/supplier/products").status);
        const auto moved = _world->proxy.requestInClear(PICTURE);
        CPPUNIT_ASSERT_EQUAL(301, moved.status);
        CPPUNIT_ASSERT(moved.header("Location").starts_with("https://"));
    }

private:
    struct World {
        World() : server(database, options(root.path())), proxy(address(server), root.path()) {
            key = server.createKey(server.createSupplier("Van der Berg Bloemen"));
            std::filesystem::create_directories(root / "3f/a0");
            writeWholeFile(root.path() / PICTURE.substr(7), BYTES);
            proxy.start();
        }

        static ServerOptions options(const std::filesystem::path& root) {
            return {.plugins = {"categories", "catalog", "media"},
                    .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[plugins.media]\nroot = \"" +
                                     root.string() + "\"\n"};
        }
        static std::string address(const ServerProcess& server) {
            const auto client = server.client();
            return client.host() + ":" + std::to_string(client.port());
        }

        TemporaryDirectory root{"pictures"};
        TestDatabase database;
        ServerProcess server;
        NginxProxy proxy;
        std::string key;
    };

    HttpResponse ask(bool direct, const std::string& method, const std::string& path, const HttpHeaders& headers = {}) {
        if (direct)
            return HttpClient("http://" + World::address(_world->server)).request(method, path, headers);
        std::vector<std::string> options = {"-X", method};
        if (method == "HEAD")
            options = {"--head"};
        for (const auto& [name, value] : headers)
            options.insert(options.end(), {"-H", name + ": " + value});
        return _world->proxy.request(path, options);
    }

    /// The same status and body, and the same fields where supplierd has them.
    void requireSame(const std::string& method, const HttpHeaders& headers, int status) {
        const auto direct = ask(true, method, PICTURE, headers);
        const auto proxied = ask(false, method, PICTURE, headers);
        const auto message =
            method + (headers.empty() ? "" : " " + headers.back().first + ": " + headers.back().second);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(message + " directly", status, direct.status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(message + " through nginx", status, proxied.status);
        for (const auto* field : {"X-Content-Type-Options", "Content-Range"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(message + " " + field, direct.header(field), proxied.header(field));
        if (status == 416)
            return; // each says so in its own words
        CPPUNIT_ASSERT_EQUAL_MESSAGE(message, direct.body, proxied.body);
        for (const auto* field : {"Content-Type", "Content-Length", "Cache-Control"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(message + " " + field, direct.header(field), proxied.header(field));
    }

    std::unique_ptr<World> _world;
};

CPPUNIT_TEST_SUITE_REGISTRATION(NginxExampleTest);

} // namespace supplierd::tests
