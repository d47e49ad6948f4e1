#include "S3Fixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <chrono>
#include <future>
#include <thread>

namespace supplierd::tests {

/// The plugin with its images in S3.
class S3StoreTest : public CppUnit::TestFixture {
public:
    void setUp() override { sharedS3Server().reset(); }

protected:
    static inline const std::string OLD = "ab/cd/abcd0000000000000000000000000000.jpg";
    static inline const std::string YOUNG = "ab/cd/abcd0000000000000000000000000001.jpg";

    static std::size_t linesWith(const std::string& text, S3Fixture& fixture) {
        const std::string log = fixture.server().log();
        std::size_t count = 0;
        for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1))
            ++count;
        return count;
    }

    static HttpResponse followed(const std::string& method, const std::string& url, HttpHeaders headers = {}) {
        const auto place = url.find('/', url.find("://") + 3);
        const auto host = url.substr(url.find("://") + 3, place - url.find("://") - 3);
        headers.emplace_back("Host", host);
        HttpClient http("http://" + host);
        if (method == "GET")
            return http.get(url.substr(place), headers);
        http.sendRaw("HEAD " + url.substr(place) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return http.readResponse(true);
    }

    /// A store that was away is asked again by itself, in a while.
    static void addWhenReached(MediaClient& supplier, std::int64_t product, const std::string& url) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        HttpResponse response = supplier.postImages(product, {url});
        while (response.status == 503 && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            response = supplier.postImages(product, {url});
        }
        requireStatus(201, response);
    }
};

TEST(S3StoreTest, imagesLieInTheBucketAndAreServedFromThere) {
    S3Fixture fixture;
    MediaClient supplier(fixture);
    const std::string bytes = smallPicture(1);
    const json image = supplier.add(supplier.createProduct(), {fixture.origin().serve(bytes)})["images"][0];
    fixture.requireAllInBucket();
    CPPUNIT_ASSERT(!std::filesystem::exists(fixture.root()));
    HttpClient files = fixture.server().rootClient();
    const std::string url = image["url"];
    const HttpResponse whole = files.get(url);
    requireStatus(200, whole);
    CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), whole.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"), whole.header("Cache-Control"));
    const std::string tag = whole.header("ETag");
    const HttpResponse part = files.get(url, {{"Range", "bytes=3-9"}});
    requireStatus(206, part);
    CPPUNIT_ASSERT_EQUAL(whole.body.substr(3, 7), part.body);
    const auto gets = fixture.bucket().countOf("GET");
    requireStatus(304, files.get(url, {{"If-None-Match", tag}}));
    files.sendRaw("HEAD " + url + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const HttpResponse head = files.readResponse(true);
    requireStatus(200, head);
    CPPUNIT_ASSERT_EQUAL(std::to_string(whole.body.size()), head.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(gets, fixture.bucket().countOf("GET")); // no bytes that nobody wants
    requireStatus(404, files.get(url.substr(0, url.size() - 8) + "0000.jpg"));
    requireStatus(404, files.get("/media/aa/bb/.store-id"));
    CPPUNIT_ASSERT(fixture.server().metric(R"(supplierd_media_store_requests_total{operation="put",outcome="ok"})") >=
                   2.0);
    CPPUNIT_ASSERT(fixture.server().metric("supplierd_media_store_request_seconds_count") >= 4.0);
}

TEST(S3StoreTest, redirectLeadsToTheBucket) {
    // Browsers leave capitals out of "Host", which is signed.
    S3Fixture fixture(
        {.media = {{"store", "\"s3\""}, {"serve", "\"redirect\""}},
         .s3 = {{"public_endpoint", "\"http://LOCALHOST:" + std::to_string(sharedS3Server().port()) + "/\""}}});
    MediaClient supplier(fixture);
    const std::string url =
        supplier.add(supplier.createProduct(), {fixture.origin().serve(smallPicture(2))})["images"][0]["url"];
    HttpClient files = fixture.server().rootClient();
    const auto asked = fixture.bucket().requests().size();
    const HttpResponse way = files.get(url);
    requireStatus(302, way);
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=900"), way.header("Cache-Control"));
    files.sendRaw("HEAD " + url + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const HttpResponse wayOfHead = files.readResponse(true);
    requireStatus(302, wayOfHead);
    CPPUNIT_ASSERT_EQUAL(asked, fixture.bucket().requests().size());
    CPPUNIT_ASSERT(way.header("Location").starts_with("http://localhost:"));
    const HttpResponse picture = followed("GET", way.header("Location"));
    requireStatus(200, picture);
    CPPUNIT_ASSERT(!picture.body.empty());
    CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), picture.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"), picture.header("Cache-Control"));
    requireStatus(200, followed("HEAD", wayOfHead.header("Location")));
    requireStatus(206, followed("GET", way.header("Location"), {{"Range", "bytes=0-3"}}));
    requireStatus(404, files.get("/media/aa/bb/nothing"));
    const auto askedBefore = fixture.bucket().requests().size();
    const HttpResponse none = files.get("/media/" + OLD);
    requireStatus(404, none);
    CPPUNIT_ASSERT_EQUAL(json("NOT_FOUND"), none.error()["code"]);
    CPPUNIT_ASSERT_EQUAL(askedBefore, fixture.bucket().requests().size());
    CPPUNIT_ASSERT(way.header("Location").find(S3Server::SECRET) == std::string::npos);
}

TEST(S3StoreTest, deletedImagesLeaveTheBucket) {
    S3Fixture fixture;
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture(3));
    const json images = supplier.add(product, {url, url + "?2"})["images"];
    requireStatus(200, supplier.removeImage(product, images[0]["id"]));
    fixture.requireAllInBucket();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, fixture.bucket().keys().size());
}

TEST(S3StoreTest, storeThatIsBusyOrFullIsA503WithoutAnImage) {
    S3Fixture fixture;
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture(4));
    for (const auto* const kind : {"503", "507", "etag", "close"}) {
        fixture.bucket().fail(kind, "PUT");
        const HttpResponse response = supplier.postImages(product, {url});
        requireStatus(503, response);
        CPPUNIT_ASSERT(response.hasHeader("Retry-After"));
        CPPUNIT_ASSERT_MESSAGE(response.body, response.body.find("127.0.0.1") == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(json::array(), supplier.images(product));
        fixture.bucket().heal();
    }
    addWhenReached(supplier, product, url);
    fixture.bucket().fail("503", "GET");
    const HttpResponse away = fixture.server().rootClient().get(supplier.images(product)[0]["url"]);
    requireStatus(503, away);
    CPPUNIT_ASSERT(away.hasHeader("Retry-After"));
    const auto log = fixture.server().log();
    requireIn("507 InsufficientStorage", log);
    CPPUNIT_ASSERT(log.find(S3Server::SECRET) == std::string::npos);
}

TEST(S3StoreTest, lostResponsesLeaveNoImageWithoutItsObject) {
    S3Fixture fixture;
    MediaClient supplier(fixture);
    fixture.bucket().fail("lost", "PUT", 3);
    supplier.add(supplier.createProduct(), {fixture.origin().serve(smallPicture(5))});
    fixture.requireAllInBucket();
}

TEST(S3StoreTest, serverStartsWhileTheStoreIsAway) {
    S3Fixture fixture;
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture(6));
    fixture.bucket().stop();
    fixture.server().stop();
    fixture.database().exec("DELETE FROM media_store"); // as on the first start
    fixture.server().start();
    supplier.reconnect();
    requireStatus(503, supplier.postImages(product, {url}));
    supplier.createProduct(); // the rest works
    const auto said = fixture.controlText({"doctor"}, 1);
    requireIn("S3 store", said);
    requireIn("cannot be used", said);
    const auto verified = fixture.controlText({"media", "verify"}, 1);
    const auto once = verified.find("the S3 store at ");
    CPPUNIT_ASSERT_MESSAGE(verified, once != std::string::npos);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(verified, std::string::npos, verified.find("store", once + 8));
    HttpClient files = fixture.server().rootClient();
    for (int i = 0; i < 20; ++i)
        requireStatus(503, files.get("/media/" + OLD));
    waitUntil([&] { return linesWith("The file cannot be read now", fixture) > 0; }); // the log is behind
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, linesWith("images cannot be read", fixture));
    CPPUNIT_ASSERT(linesWith("The file cannot be read now", fixture) < 20);
    CPPUNIT_ASSERT(fixture.server().metric("supplierd_media_store_failures_total") >= 21.0);
    fixture.bucket().start();
    addWhenReached(supplier, product, url);
    waitUntil([&] {
        requireStatus(404, files.get("/media/" + OLD));
        addWhenReached(supplier, supplier.createProduct(), url);
        return linesWith("images can be read again", fixture) == 1 &&
               linesWith("images can be stored again", fixture) == 1;
    });
    fixture.requireAllInBucket();
    CPPUNIT_ASSERT(fixture.bucket().objects().contains(".store-id")); // claimed before anything was written
}

TEST(S3StoreTest, hangingStoreLeavesThreadsToOthers) {
    S3Fixture fixture({.s3 = {{"request_timeout", "\"300ms\""}, {"timeout", "\"2s\""}}});
    MediaClient supplier(fixture);
    const std::string url =
        supplier.add(supplier.createProduct(), {fixture.origin().serve(smallPicture(7))})["images"][0]["url"];
    fixture.bucket().fail("hang", "GET");
    std::vector<std::future<int>> readers;
    for (int i = 0; i < 40; ++i)
        readers.push_back(std::async(std::launch::async, [&] {
            HttpClient files = fixture.server().rootClient();
            files.setTimeout(std::chrono::minutes(2));
            return files.get(url).status;
        }));
    for (auto& reader : readers)
        CPPUNIT_ASSERT_EQUAL(503, reader.get());
    const double hung =
        fixture.server().metric(R"(supplierd_media_store_requests_total{operation="get",outcome="timeout"})");
    CPPUNIT_ASSERT_MESSAGE(std::to_string(hung), hung >= 2 && hung < 40); // most were not let near it
}

TEST(S3StoreTest, verifyFindsAndMendsWhatIsWrong) {
    S3Fixture fixture;
    fixture.waitForJanitor();
    MediaClient supplier(fixture);
    const std::string url = fixture.origin().serve(smallPicture(8));
    const auto whole = supplier.createProduct();
    supplier.add(whole, {url});
    const auto broken = supplier.createProduct();
    const std::string lost = supplier.add(broken, {url})["images"][0]["url"];
    const auto cut = supplier.createProduct();
    const std::string thumbnail = supplier.add(cut, {url})["images"][0]["thumbnail_url"];
    fixture.bucket().control({{"remove", {lost.substr(7)}},
                              {"put", {{thumbnail.substr(7), "cut"}, {OLD, "orphan"}, {YOUNG, "orphan"}}},
                              {"age", {{OLD, 7'200}}},
                              {"max_keys", 2}});
    const json seen = fixture.verify();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(seen.dump(), json(1), seen["orphan_files"]);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(seen.dump(), json(2), seen["broken_images"]);
    CPPUNIT_ASSERT_EQUAL(json(3), seen["images"]);
    CPPUNIT_ASSERT_EQUAL(json(7), seen["files"]);
    const json mended = fixture.verify(true);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(mended.dump(), json(true), mended["good"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), supplier.images(broken));
    CPPUNIT_ASSERT(supplier.images(cut)[0]["thumbnail_url"] != thumbnail);
    const json objects = fixture.bucket().objects();
    CPPUNIT_ASSERT(!objects.contains(OLD) && objects.contains(YOUNG));
    fixture.bucket().control({{"remove", {YOUNG}}});
    fixture.requireAllInBucket();
    fixture.bucket().fail("503", "HEAD");
    requireIn("503", fixture.controlText({"media", "verify", "--repair", "--yes"}, 1));
    fixture.bucket().heal();
    fixture.requireAllInBucket(); // what was not answered was not taken for lost
}

TEST(S3StoreTest, janitorRemovesOldOrphansAlone) {
    S3Fixture fixture;
    fixture.waitForJanitor();
    fixture.bucket().control({{"put", {{OLD, "orphan"}, {YOUNG, "orphan"}, {"another/program.jpg", "x"}}},
                              {"age", {{OLD, 7'200}, {"another/program.jpg", 7'200}}}});
    fixture.control({"job", "run", "media", "janitor"});
    CPPUNIT_ASSERT((fixture.bucket().keys() == std::vector<std::string>{YOUNG, "another/program.jpg"}));
    CPPUNIT_ASSERT_EQUAL(1.0, fixture.server().metric("supplierd_media_orphans_removed_total"));
}

TEST(S3StoreTest, wrongSecretIsReportedAtTheStart) {
    S3Fixture fixture;
    fixture.configure({{"store", "\"s3\""}}, {{"secret_access_key", "\"wrong-secret-text\""}}, false);
    requireIn("90-test.toml was changed since the server read it", fixture.controlText({"doctor"}, 0));
    CPPUNIT_ASSERT_EQUAL(0, fixture.server().stop());
    fixture.server().launch();
    CPPUNIT_ASSERT(fixture.server().process().waitFor(std::chrono::minutes(1)).value_or(0) != 0);
    const auto log = fixture.server().log();
    requireIn("403 SignatureDoesNotMatch", log);
    requireIn("plugins.media.s3.secret_access_key is not the one of the access key TESTKEY", log);
    CPPUNIT_ASSERT(log.find("wrong-secret-text") == std::string::npos);
    CPPUNIT_ASSERT(fixture.controlText({"config", "show"}, 0).find("wrong-secret-text") == std::string::npos);
}

TEST(S3StoreTest, secretMayComeFromAFileOrTheEnvironment) {
    S3Fixture fixture;
    const auto file = fixture.server().directory() / "s3-secret";
    writeWholeFile(file, std::string(S3Server::SECRET) + "\n");
    std::filesystem::permissions(file, std::filesystem::perms{0600});
    const auto conf = fixture.server().directory() / "conf.d/90-test.toml";
    const auto without = [](std::string text, const std::string& key) {
        const auto begin = text.find("\n" + key + " = ");
        return text.erase(begin, text.find('\n', begin + 1) - begin);
    };
    const std::string bare = without(readWholeFile(conf), "secret_access_key");
    writeWholeFile(conf, bare + "secret_access_key_file = \"" + file.string() + "\"\n");
    fixture.server().restart();
    CPPUNIT_ASSERT_EQUAL(json(true), fixture.verify()["good"]);
    writeWholeFile(conf, without(bare, "access_key_id"));
    ::setenv("AWS_ACCESS_KEY_ID", S3Server::ACCESS_KEY, 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", S3Server::SECRET, 1);
    fixture.server().restart();
    ::unsetenv("AWS_ACCESS_KEY_ID");
    ::unsetenv("AWS_SECRET_ACCESS_KEY");
    CPPUNIT_ASSERT_EQUAL(json(true), fixture.verify()["good"]);
}

TEST(S3StoreTest, bucketOfAnotherDatabaseIsRefused) {
    S3Fixture fixture;
    MediaClient supplier(fixture);
    supplier.add(supplier.createProduct(), {fixture.origin().serve(smallPicture(9))});
    const auto keys = fixture.bucket().keys();
    fixture.bucket().control({{"put", {{".store-id", "0123456789abcdef0123456789abcdef\n"}}}});
    const auto said = fixture.controlText({"media", "verify", "--repair", "--yes"}, 1);
    requireIn("is not the one that those of this database lie in", said);
    requireIn("the object \".store-id\" of the bucket \"pictures\"", said);
    CPPUNIT_ASSERT(fixture.bucket().keys() == keys);
}

} // namespace supplierd::tests
