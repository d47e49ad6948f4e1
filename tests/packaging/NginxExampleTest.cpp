#include "tests/packaging/NginxProxy.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <cppunit/TestFixture.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

const std::string PICTURE = "/media/3f/a0/3fa00000000000000000000000000007.webp";
const std::string ABSENT = "/media/3f/a0/3fa00000000000000000000000000008.webp";
const std::string BYTES = "RIFF, and what a picture has";

} // namespace

/// packaging/nginx/supplierd.conf: pictures through nginx are what supplierd serves itself, and the API goes through.
class NginxExampleTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        if (!NginxProxy::program()) {
            throw Skip("nginx is not installed");
        }
        _proxied = std::make_unique<ProxiedServer>();
    }

protected:
    struct ProxiedServer {
        ProxiedServer()
            : on({.plugins = {"categories", "catalog", "media"},
                  .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[plugins.media]\nroot = \"" +
                                   root.path().string() + "\"\n"}),
              proxy(on.server().rootUrl().substr(std::string("http://").size()), root.path()) {
            std::filesystem::create_directories(root / "3f/a0");
            writeWholeFile(root.path() / PICTURE.substr(7), BYTES);
            proxy.start();
        }

        TemporaryDirectory root{"pictures"};
        ServerFixture on;
        SupplierClient supplier{SupplierOptions{}, on};
        NginxProxy proxy;
    };

    HttpResponse ask(bool direct, const std::string& method, const std::string& path, const HttpHeaders& headers = {}) {
        if (direct)
            return _proxied->on.server().rootClient().request(method, path, headers);
        std::vector<std::string> options = {"-X", method};
        if (method == "HEAD")
            options = {"--head"};
        for (const auto& [name, value] : headers)
            options.insert(options.end(), {"-H", name + ": " + value});
        return _proxied->proxy.request(path, options);
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

    std::unique_ptr<ProxiedServer> _proxied;
};

TEST(NginxExampleTest, exampleIsWellFormed) {
    if (!_proxied)
        return;
    const auto said = _proxied->proxy.check();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(said.errors, 0, said.exitCode);
    // The nginx of Debian 12 does not know the directive that the one of Debian 13 would rather have.
    const auto others = std::regex_replace(said.errors, std::regex(".*\\bhttp2\" directive is deprecated.*"), "");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(said.errors, std::string::npos, others.find("[warn]"));
}

TEST(NginxExampleTest, picturesAreServedAsSupplierdServesThem) {
    if (!_proxied)
        return;
    requireSame("GET", {}, 200);
    requireSame("HEAD", {}, 200);
    requireSame("GET", {{"Range", "bytes=5-8"}}, 206);
    requireSame("GET", {{"Range", "bytes=-3"}}, 206);
    requireSame("GET", {{"Range", "bytes=5-"}}, 206);
    requireSame("GET", {{"Range", "bytes=0-1,5-6"}}, 200);
    requireSame("GET", {{"Range", "bytes=9000-"}}, 416);
}

TEST(NginxExampleTest, conditionsAreJudgedAsSupplierdJudgesThem) {
    if (!_proxied)
        return;
    const auto withOwnTag = [&](const std::string& name, const HttpHeaders& more, int status) {
        for (const bool direct : {true, false}) {
            const auto tag = ask(direct, "GET", PICTURE).header("ETag");
            CPPUNIT_ASSERT_MESSAGE(tag, tag.size() > 2 && tag.front() == '"' && tag.back() == '"');
            auto headers = more;
            headers.emplace_back(name, tag);
            const auto response = ask(direct, "GET", PICTURE, headers);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name + (direct ? " directly" : " through nginx"), status, response.status);
            CPPUNIT_ASSERT_EQUAL(tag, response.header("ETag"));
            CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"), response.header("Cache-Control"));
        }
    };
    withOwnTag("If-None-Match", {}, 304);
    withOwnTag("If-Range", {{"Range", "bytes=5-8"}}, 206);
    requireSame("GET", {{"If-None-Match", "\"another\""}}, 200);
    requireSame("GET", {{"If-None-Match", "*"}}, 304);
    requireSame("GET", {{"If-Range", "\"another\""}, {"Range", "bytes=5-8"}}, 200);
    requireSame("GET", {{"If-Modified-Since", "Sat, 21 Nov 2099 10:00:00 GMT"}}, 200);
}

TEST(NginxExampleTest, nothingButPicturesIsServed) {
    if (!_proxied)
        return;
    writeWholeFile(_proxied->root / "secret.txt", "tulip-secret");
    writeWholeFile(_proxied->root / "3f/a0/secret.webp", "tulip-secret");
    for (const std::string& path :
         {ABSENT, std::string("/media"), std::string("/media/"), std::string("/media/3f/a0/"),
          std::string("/media/secret.txt"), std::string("/media/3f/a0/secret.webp"), "/" + PICTURE,
          std::string("/media/3f//a0/3fa00000000000000000000000000007.webp"),
          std::string("/media/%2e%2e/media/secret.txt"), std::string("/media/../media/secret.txt"),
          std::string("/media/3f/a1/3fa00000000000000000000000000007.webp"), PICTURE + "/", PICTURE + "x"})
        for (const bool direct : {true, false}) {
            const auto response = ask(direct, "GET", path);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path + (direct ? " directly" : " through nginx"), 404, response.status);
            CPPUNIT_ASSERT_EQUAL(std::string("NOT_FOUND"), response.error().at("code").get<std::string>());
            CPPUNIT_ASSERT(response.body.find("tulip-secret") == std::string::npos);
        }
    requireStatus(400, ask(true, "GET", PICTURE + "%00"));
    requireStatus(400, ask(false, "GET", PICTURE + "%00"));
    for (const bool direct : {true, false})
        for (const auto* method : {"POST", "DELETE"}) {
            const auto response = ask(direct, method, PICTURE);
            requireStatus(405, response);
            CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD"), response.header("Allow"));
        }
}

TEST(NginxExampleTest, apiGoesThroughWithTheClientsAddress) {
    if (!_proxied)
        return;
    const auto response =
        _proxied->proxy.request("/api/v1/supplier/categories",
                                {"--interface", "127.0.0.2", "-H", "Authorization: Bearer " + _proxied->supplier.key(),
                                 "-H", "X-Forwarded-For: 203.0.113.9", "-H", "X-Request-Id: through-nginx"});
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("through-nginx"), response.header("X-Request-Id"));
    CPPUNIT_ASSERT_EQUAL(0, _proxied->on.server().stop());
    const auto log = readWholeFile(_proxied->on.server().accessLogFile());
    requireIn(R"("client":"127.0.0.2")", log);
    CPPUNIT_ASSERT_MESSAGE(log, log.find("203.0.113.9") == std::string::npos);
}

TEST(NginxExampleTest, whatTheProxyRefusesIsInTheEnvelope) {
    if (!_proxied)
        return;
    const auto large = _proxied->root / "large.json";
    const auto post = [&](std::size_t size) {
        writeWholeFile(large, std::string(size, ' '));
        return _proxied->proxy.request("/api/v1/supplier/products",
                                       {"--data-binary", "@" + large.string(), "-H", "Content-Type: application/json",
                                        "-H", "Authorization: Bearer " + _proxied->supplier.key()});
    };
    for (const std::size_t size : {std::size_t{1'500'000}, std::size_t{3'000'000}}) {
        const auto refused = post(size);
        requireStatus(413, refused);
        CPPUNIT_ASSERT_EQUAL(std::string("PAYLOAD_TOO_LARGE"), refused.error().at("code").get<std::string>());
        CPPUNIT_ASSERT_EQUAL(refused.header("X-Request-Id"), refused.error().at("request_id").get<std::string>());
    }
    for (const std::string path : {"/%zz", "/api/v1/supplier/products"}) {
        const auto malformed =
            _proxied->proxy.request(path, {"--http1.1", "-H", "X-Long: " + std::string(20'000, 'x')});
        requireStatus(400, malformed);
        CPPUNIT_ASSERT_EQUAL(std::string("BAD_REQUEST"), malformed.error().at("code").get<std::string>());
    }
    CPPUNIT_ASSERT_EQUAL(0, _proxied->on.server().stop());
    const auto away = _proxied->proxy.request("/api/v1/supplier/products");
    requireStatus(503, away);
    CPPUNIT_ASSERT_EQUAL(std::string("SERVICE_UNAVAILABLE"), away.error().at("code").get<std::string>());
    CPPUNIT_ASSERT(away.hasHeader("Retry-After"));
    requireStatus(200, _proxied->proxy.request(PICTURE));
}

TEST(NginxExampleTest, apiIsRefusedInClear) {
    if (!_proxied)
        return;
    const auto refused = _proxied->proxy.requestInClear("/api/v1/supplier/products");
    requireStatus(403, refused);
    CPPUNIT_ASSERT_EQUAL(std::string("Use https"), refused.error().at("message").get<std::string>());
    const auto moved = _proxied->proxy.requestInClear(PICTURE);
    requireStatus(301, moved);
    CPPUNIT_ASSERT(moved.header("Location").starts_with("https://"));
}

} // namespace supplierd::tests
