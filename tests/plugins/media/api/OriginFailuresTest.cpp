#include "ImageFixtures.h"
#include "MediaFixture.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"

#include <condition_variable>
#include <future>
#include <mutex>

namespace supplierd::tests {

/// Origins that misbehave, as a supplier sees it through the API.
class OriginFailuresTest : public CppUnit::TestFixture {
public:
    void setUp() override { _product = _supplier.createProduct(); }
    void tearDown() override { _fixture.requireAgreement(); }

protected:
    static MediaFixture& fixture() {
        static MediaFixture fixture({.settings = {{"fetch.timeout", "\"2s\""}}});
        return fixture;
    }

    std::string code(LoopbackOrigin::Script script) {
        return _supplier.refusal(_product, _fixture.origin().script(std::move(script)))["code"];
    }
    void requireCode(const std::string& expected, LoopbackOrigin::Script script) {
        CPPUNIT_ASSERT_EQUAL(expected, code(std::move(script)));
    }
    std::string redirectTo(const std::string& place) {
        return _fixture.origin().script([place](OriginConnection& connection) { connection.redirect(place); });
    }

    MediaFixture& _fixture = fixture();
    MediaClient _supplier{_fixture};
    std::int64_t _product = 0;
};

TEST(OriginFailuresTest, silentAndDrippingOriginsEndAtTheTimeout) {
    requireCode("timeout", [](OriginConnection& connection) { connection.holdOpen(); });
    requireCode("timeout", [](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        for (;;) {
            connection.send("x");
            connection.pause(std::chrono::milliseconds(50));
        }
    });
    requireCode("timeout", [](OriginConnection& connection) {
        for (;;) {
            connection.send("X");
            connection.pause(std::chrono::milliseconds(50));
        }
    });
}

TEST(OriginFailuresTest, theSizeLimitHoldsForWhatArrives) {
    const auto endless = [](OriginConnection& connection) {
        for (;;)
            connection.send(std::string(100'000, 'x'));
    };
    requireCode("too_large", [&](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\n\r\n");
        endless(connection);
    });
    requireCode("too_large", [&](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
        endless(connection);
    });
    requireCode("too_large", [&](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (;;)
            connection.send("10000\r\n" + std::string(65'536, 'x') + "\r\n");
    });
}

TEST(OriginFailuresTest, fiveMebibytesAreTakenAndOneByteMoreIsNot) {
    constexpr std::size_t LIMIT = 5'242'880;
    const std::string picture = smallPicture();
    const std::string exactly = _fixture.origin().serve(paddedJpeg(picture, LIMIT));
    const std::string more = _fixture.origin().serve(paddedJpeg(picture, LIMIT + 1));
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier.add(_product, {exactly})["added"]);
    CPPUNIT_ASSERT_EQUAL(json("too_large"), _supplier.refusal(_product, more)["code"]);
}

TEST(OriginFailuresTest, lyingAndCutAnswersAreRefused) {
    const std::string picture = smallPicture();
    requireCode("damaged", [picture](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + picture);
    });
    requireCode("damaged", [picture](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + picture);
    });
    requireCode("damaged", [picture](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" + picture);
    });
    for (const std::string& refused :
         {code([](OriginConnection& connection) { connection.reset(); }),
          code([](OriginConnection& connection) { connection.end(); }),
          code([](OriginConnection& connection) { connection.send("this is no HTTP\r\n\r\n"); })})
        CPPUNIT_ASSERT_MESSAGE(refused, refused == "connect" || refused == "damaged" || refused == "http_status");
    for (const char* const status : {"204 No Content", "206 Partial Content", "403 Forbidden", "500 Oops"})
        requireCode("http_status",
                    [status, picture](OriginConnection& connection) { connection.answer(status, picture); });
}

TEST(OriginFailuresTest, compressedAnswersAreRefused) {
    requireCode("type", [](OriginConnection& connection) {
        connection.answer("200 OK", smallPicture(), "Content-Encoding: gzip\r\n");
    });
}

TEST(OriginFailuresTest, typeIsByContent) {
    requireCode("type", [](OriginConnection& connection) {
        connection.answer("200 OK", "<html><script>alert(1)</script></html>", "Content-Type: image/jpeg\r\n");
    });
    requireCode("type", [](OriginConnection& connection) {
        connection.answer("200 OK", "GIF89a\x01", "Content-Type: image/png\r\n");
    });
    const std::string url = _fixture.origin().script([](OriginConnection& connection) {
        connection.answer("200 OK", smallPicture(), "Content-Type: text/html\r\n");
    });
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier.add(_product, {url})["added"]);
}

TEST(OriginFailuresTest, picturesThatAreNotTaken) {
    const std::string whole = smallPicture();
    const std::vector<std::pair<std::string, std::string>> pictures{
        {whole.substr(0, whole.size() - 20), "damaged"},
        {blackPng(12'001, 1), "dimensions"},
        {blackPng(7'000, 7'000), "dimensions"},
        {withPngChunk(blackPng(4, 4), "acTL", std::string("\0\0\0\2\0\0\0\0", 8)), "animated"}};
    for (const auto& [bytes, expected] : pictures)
        CPPUNIT_ASSERT_EQUAL(json(expected), _supplier.refusal(_product, _fixture.origin().serve(bytes))["code"]);
    CPPUNIT_ASSERT_EQUAL(json("animated images are not supported"),
                         _supplier.refusal(_product, _fixture.origin().serve(pictures.back().first))["message"]);
}

TEST(OriginFailuresTest, redirectsAreFollowedThreeTimes) {
    std::string url = _fixture.origin().serve(smallPicture());
    for (int i = 0; i < 3; ++i)
        url = redirectTo(url);
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier.add(_product, {url})["added"]);
    CPPUNIT_ASSERT_EQUAL(json("http_status"), _supplier.refusal(_product, redirectTo(url))["code"]);
    const std::string loop =
        _fixture.origin().script([](OriginConnection& connection) { connection.redirect(connection.target()); });
    CPPUNIT_ASSERT_EQUAL(json("http_status"), _supplier.refusal(_product, loop)["code"]);
}

TEST(OriginFailuresTest, redirectsToForbiddenPlacesAreRefused) {
    for (const char* const place :
         {"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "//192.168.1.1/x",
          "http://[::ffff:10.0.0.1]/", "http://0x7f.1/", "file:///etc/passwd", "http://user:key@127.0.0.1/"}) {
        const json refusal = _supplier.refusal(_product, redirectTo(place));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(place, json("address"), refusal["code"]);
    }
    CPPUNIT_ASSERT_EQUAL(json("address not allowed"),
                         _supplier.refusal(_product, redirectTo("http://10.0.0.1/"))["message"]);
}

TEST(OriginFailuresTest, forbiddenPlacesAreRefused) {
    const std::string port = std::to_string(_fixture.origin().port());
    for (const std::string& place :
         {std::string("http://10.0.0.1/"), std::string("http://172.16.0.1/"), std::string("http://192.168.0.1/"),
          std::string("http://169.254.169.254/"), std::string("http://100.64.0.1/"), std::string("http://0.0.0.0/"),
          std::string("http://224.0.0.1/"), std::string("http://198.18.0.1/"), std::string("http://192.0.2.1/"),
          std::string("http://[::]/"), "http://[::1]:" + port + "/", "http://[::ffff:127.0.0.1]:" + port + "/",
          std::string("http://[fe80::1]/"), std::string("http://[fc00::1]/"), std::string("http://[64:ff9b::a00:1]/"),
          std::string("http://[2002:a00:1::1]/")}) {
        const json refusal = _supplier.refusal(_product, place);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(place, json("address"), refusal["code"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(place, json("address not allowed"), refusal["message"]);
    }
    for (const char* const place : {"http://127.0.0.1:1/", "http://2130706433/", "gopher://127.0.0.1/", "x"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(place, json("address"), _supplier.refusal(_product, place)["code"]);
}

TEST(OriginFailuresTest, certificatesAreChecked) {
    TestAuthority authority;
    const auto script = [](OriginConnection& connection) { connection.answer("200 OK", smallPicture()); };
    LoopbackOrigin good(script, authority.issue("good", "IP:127.0.0.1"));
    LoopbackOrigin other(script, authority.issue("other", "DNS:other.example.com"));
    const std::string goodPort = std::to_string(good.port());
    const std::string otherPort = std::to_string(other.port());
    const std::string ports = "[" + goodPort + ", " + otherPort + "]";
    MediaFixture trusting({.settings = {{"fetch.allow_ports", ports},
                                        {"fetch.trusted_certificates", "\"" + authority.certificate() + "\""}}});
    MediaClient supplier(trusting);
    auto product = supplier.createProduct();
    const std::string url = "https://127.0.0.1:" + goodPort + "/x";
    CPPUNIT_ASSERT_EQUAL(json(1), supplier.add(product, {url})["added"]);
    CPPUNIT_ASSERT_EQUAL(json("tls"), supplier.refusal(product, "https://127.0.0.1:" + otherPort + "/x")["code"]);

    MediaFixture strict({.settings = {{"fetch.allow_ports", ports}}});
    MediaClient another(strict);
    CPPUNIT_ASSERT_EQUAL(json("tls"), another.refusal(another.createProduct(), url)["code"]);
}

TEST(OriginFailuresTest, closedPortsAreNamed) {
    const std::string port = std::to_string(_fixture.origin().port());
    CPPUNIT_ASSERT_EQUAL(json("connect"), _supplier.refusal(_product, "http://127.9.9.9:" + port + "/x")["code"]);
}

TEST(OriginFailuresTest, oneBadUrlDoesNotKeepTheOthersWaiting) {
    std::vector<std::string> urls{
        _fixture.origin().script([](OriginConnection& connection) { connection.holdOpen(); })};
    while (urls.size() < 10)
        urls.push_back(_fixture.origin().serve(smallPicture()));
    const json data = _supplier.add(_product, urls);
    CPPUNIT_ASSERT_EQUAL(json(9), data["added"]);
    CPPUNIT_ASSERT_EQUAL(json("timeout"), data["errors"][0]["code"]);
    CPPUNIT_ASSERT_EQUAL(json(0), data["errors"][0]["index"]);
}

/// Only one image at a time: those behind the silent one are never begun.
TEST(OriginFailuresTest, theRequestHasADeadline) {
    MediaFixture fixture({.settings = {{"request_deadline", "\"2s\""},
                                       {"fetch.timeout", "\"1h\""},
                                       {"fetch.max_parallel", "1"},
                                       {"fetch.max_parallel_per_supplier", "1"}}});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string silent = fixture.origin().script([](OriginConnection& connection) { connection.holdOpen(); });
    const std::string good = fixture.origin().serve(smallPicture());
    const json data = supplier.add(product, {good, silent, good + "?1", good + "?2"});
    CPPUNIT_ASSERT_EQUAL(json(1), data["added"]);
    for (const json& error : data["errors"])
        CPPUNIT_ASSERT_EQUAL(json("timeout"), error["code"]);
}

TEST(OriginFailuresTest, tooManyRequestsAtOnceAreTurnedAway) {
    MediaFixture fixture({.settings = {{"max_requests", "2"}, {"max_requests_per_supplier", "1"}}});
    MediaClient one(fixture);
    MediaClient two(fixture);
    MediaClient three(fixture);
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0;
    bool mayGo = false;
    const std::string url = fixture.origin().script([&](OriginConnection& connection) {
        {
            std::unique_lock lock(mutex);
            ++waiting;
            changed.notify_all();
            changed.wait(lock, [&] { return mayGo; });
        }
        connection.answer("200 OK", smallPicture());
    });
    const auto awaitRequests = [&](int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waiting == count; });
    };
    const auto product = one.createProduct();
    const auto product2 = two.createProduct();
    const auto product3 = three.createProduct();
    HttpClient another = one.anotherClient();
    auto first = std::async(std::launch::async, [&] { one.add(product, {url}); });
    awaitRequests(1);
    const HttpResponse sameSupplier = another.post(imagesPath(product), {{"image_url", url}});
    auto second = std::async(std::launch::async, [&] { two.add(product2, {url}); });
    awaitRequests(2);
    const HttpResponse third = three.postImages(product3, {url});
    {
        const std::lock_guard lock(mutex);
        mayGo = true;
    }
    changed.notify_all();
    first.get();
    second.get();
    for (const HttpResponse& response : {sameSupplier, third}) {
        requireStatus(503, response);
        CPPUNIT_ASSERT(response.hasHeader("Retry-After"));
    }
    CPPUNIT_ASSERT_EQUAL(json(1), three.add(product3, {url})["added"]);
    fixture.requireAgreement();
}

} // namespace supplierd::tests
