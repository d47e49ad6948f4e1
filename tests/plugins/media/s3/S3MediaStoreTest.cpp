#include "S3MediaStore.h"

#include "AwsSignature.h"
#include "MediaKey.h"
#include "S3Server.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <map>
#include <mutex>

namespace supplierd::tests {

using namespace std::chrono_literals;
using media::ImageType;
using media::MediaContent;
using media::MediaStoreError;
using media::S3MediaStore;
using media::S3Settings;
using Kind = MediaStoreError::Kind;

/// Against a server that checks every signature.
class S3MediaStoreTest : public CppUnit::TestFixture {
public:
    void setUp() override { _server.reset(); }

protected:
    static std::string put(S3MediaStore& store, const std::string& bytes = BYTES) {
        const MediaContent content{bytes, ImageType::Jpeg};
        return store.put(std::span(&content, 1)).front();
    }

    static std::string bytesOf(const S3MediaStore& store, const std::string& key) {
        const auto file = store.fetch(key);
        CPPUNIT_ASSERT_MESSAGE(key, file);
        return file->read(0, file->entry().bytes);
    }

    static std::vector<std::string> keysOf(const std::vector<media::MediaEntry>& entries) {
        std::vector<std::string> keys;
        for (const auto& entry : entries)
            keys.push_back(entry.key);
        return keys;
    }

    void requireList(const S3MediaStore& store, const std::string& fault, const std::string& part) const {
        _server.fail(fault);
        requireFailure(Kind::Refused, part, [&] { store.list({}, 5); });
        _server.heal();
    }

    template <class Work>
    static void requireFailure(Kind kind, const std::string& part, const Work& work) {
        const auto failure = thrownBy<MediaStoreError>(work, "it does not fail: " + part);
        requireIn(part, std::string(failure.what()));
        CPPUNIT_ASSERT_MESSAGE(failure.what(), failure.kind() == kind);
    }

    static inline const std::string BYTES = "the bytes of a picture";
    S3Server& _server = sharedS3Server();
};

TEST(S3MediaStoreTest, storedObjectsComeBackAsTheyWere) {
    S3MediaStore store(_server.settings());
    const std::array contents{MediaContent{BYTES, ImageType::Jpeg}, MediaContent{"thumb", ImageType::Webp}};
    const auto keys = store.put(contents);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, keys.size());
    CPPUNIT_ASSERT(media::typeOfKey(keys[0]) == ImageType::Jpeg && media::typeOfKey(keys[1]) == ImageType::Webp);
    for (const bool atOnce : {true, false}) {
        const auto file = atOnce ? store.fetch(keys[0]) : store.open(keys[0]);
        CPPUNIT_ASSERT(file);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{BYTES.size()}, file->entry().bytes);
        CPPUNIT_ASSERT_EQUAL(BYTES, file->read(0, BYTES.size()));
        CPPUNIT_ASSERT_EQUAL(BYTES.substr(2, 5), file->read(2, 5));
    }
    CPPUNIT_ASSERT_EQUAL(std::string("thumb"), store.fetch(keys[1])->read(0, 5));
}

TEST(S3MediaStoreTest, objectsTellBrowsersWhatTheyAre) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    const json object = _server.objects()[key];
    CPPUNIT_ASSERT_EQUAL(json("image/jpeg"), object["fields"]["content-type"]);
    CPPUNIT_ASSERT_EQUAL(json("public, max-age=31536000, immutable"), object["fields"]["cache-control"]);
    CPPUNIT_ASSERT_EQUAL(json(media::sha256Hex(BYTES)), object["fields"]["x-amz-meta-sha256"]);
}

TEST(S3MediaStoreTest, largeObjectsArriveWhole) {
    S3MediaStore store(_server.settings());
    std::string bytes(5 * 1024 * 1024, 'x');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * i >> 7U);
    const auto file = store.fetch(put(store, bytes));
    CPPUNIT_ASSERT(file && file->read(0, bytes.size()) == bytes);
}

TEST(S3MediaStoreTest, bucketMayBePartOfTheHost) {
    S3Settings settings = _server.settings();
    settings.endpoint = "http://localhost:" + std::to_string(_server.port());
    settings.isPathStyle = false;
    S3MediaStore store(settings);
    CPPUNIT_ASSERT_EQUAL(BYTES, bytesOf(store, put(store)));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.list({}, 10).size());
    CPPUNIT_ASSERT_EQUAL(json("pictures.localhost"), _server.requests()[0]["host"]);
}

TEST(S3MediaStoreTest, objectsHaveThePrefix) {
    S3Settings settings = _server.settings();
    settings.prefix = "shop one/";
    std::replace(settings.prefix.begin(), settings.prefix.end(), ' ', '-');
    S3MediaStore store(settings);
    const auto key = put(store);
    CPPUNIT_ASSERT(_server.keys() == std::vector{settings.prefix + key});
    CPPUNIT_ASSERT_EQUAL(key, store.list({}, 10).at(0).key);
    CPPUNIT_ASSERT(store.list(key, 10).empty());
    CPPUNIT_ASSERT_EQUAL(BYTES, bytesOf(store, key));
    CPPUNIT_ASSERT(S3MediaStore(_server.settings()).list({}, 10).empty());
}

TEST(S3MediaStoreTest, missingObjectsAndNoKeysAreNothing) {
    S3MediaStore store(_server.settings());
    const std::string missing = media::randomKey(media::randomFolder(), ImageType::Png);
    CPPUNIT_ASSERT(!store.open(missing));
    CPPUNIT_ASSERT(!store.fetch(missing));
    const auto asked = _server.requests().size();
    for (const auto* const text : {"", ".store-id", "../x", "aa/bb/secret.jpg"}) {
        CPPUNIT_ASSERT(!store.open(text) && !store.fetch(text));
        CPPUNIT_ASSERT(!store.remove(text));
    }
    CPPUNIT_ASSERT_EQUAL(asked, _server.requests().size());
}

TEST(S3MediaStoreTest, removedObjectsAreGone) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    CPPUNIT_ASSERT(store.remove(key));
    CPPUNIT_ASSERT(!store.open(key));
    store.remove(key);
    CPPUNIT_ASSERT(_server.keys().empty());
}

TEST(S3MediaStoreTest, listGoesOnOverManyPages) {
    S3MediaStore store(_server.settings());
    std::vector<std::string> keys;
    for (int i = 0; i < 11; ++i)
        keys.push_back(put(store));
    std::sort(keys.begin(), keys.end());
    _server.control({{"max_keys", 3}});
    CPPUNIT_ASSERT(keysOf(store.list({}, 100)) == keys);
    std::vector<std::string> inPieces;
    for (auto piece = store.list({}, 2); !piece.empty(); piece = store.list(inPieces.back(), 2))
        for (const auto& entry : piece)
            inPieces.push_back(entry.key);
    CPPUNIT_ASSERT(inPieces == keys);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{BYTES.size()}, store.list({}, 1).at(0).bytes);
}

TEST(S3MediaStoreTest, listKnowsWhatIsNotItsOwn) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    json others;
    for (int i = 0; i < 8; ++i)
        others["0 & <other> " + std::to_string(i)] = "x";
    _server.control({{"put", others}, {"max_keys", 2}});
    CPPUNIT_ASSERT(keysOf(store.list({}, 5)) == std::vector{key});
}

TEST(S3MediaStoreTest, namesThatXmlCannotHoldDoNoHarm) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    _server.control({{"put", {{"0 \x01\x1b", "x"}, {"0 %zz +&<\xC3\xA4>", "x"}, {key + "\x07", "x"}}}});
    CPPUNIT_ASSERT(keysOf(store.list({}, 5)) == std::vector{key});
    _server.control({{"max_keys", 1}}); // so that tokens are such names
    CPPUNIT_ASSERT(keysOf(store.list({}, 5)) == std::vector{key});
}

TEST(S3MediaStoreTest, listWithoutATokenGoesOnBehindItsLastName) {
    S3MediaStore store(_server.settings());
    std::vector<std::string> keys{put(store), put(store), put(store)};
    std::sort(keys.begin(), keys.end());
    _server.control({{"max_keys", 1}});
    _server.fail("no-token");
    CPPUNIT_ASSERT(keysOf(store.list({}, 5)) == keys);
}

TEST(S3MediaStoreTest, listThatCannotBeReliedOnIsNone) {
    S3MediaStore store(_server.settings());
    std::vector<std::string> keys{put(store), put(store), put(store)};
    std::sort(keys.begin(), keys.end());
    requireList(store, "error", "that is none, but \"Error\"");
    requireList(store, "nothing", "that is cut");
    requireList(store, "backwards", "not in the order of the names");
    _server.fail("from-start");
    requireFailure(Kind::Refused, "begins before the one that it was asked for", [&] { store.list(keys[0], 5); });
    _server.control({{"reset", true}, {"put", {{"0 other", "x"}}}});
    requireList(store, "again", "that never ends"); // with nothing of ours in it
}

TEST(S3MediaStoreTest, bucketThatIsGoneIsNoMissingObject) {
    S3Settings settings = _server.settings();
    settings.bucket = "nothing";
    const S3MediaStore store(settings);
    const std::string key = media::randomKey("aa/bb", ImageType::Png);
    requireFailure(Kind::Refused, "there is no bucket", [&] { store.open(key); });
    requireFailure(Kind::Refused, "there is no bucket", [&] { store.fetch(key); });
}

TEST(S3MediaStoreTest, pageOfAWebServerIsNoMissingObject) {
    S3MediaStore store(_server.settings());
    _server.fail("page");
    const std::string key = media::randomKey("aa/bb", ImageType::Png);
    requireFailure(Kind::Refused, "no answer of an S3 store", [&] { store.open(key); });
    requireFailure(Kind::Refused, "no answer of an S3 store", [&] { store.mark(); });
    requireFailure(Kind::Refused, "no answer of an S3 store", [&] { store.remove(key); });
}

TEST(S3MediaStoreTest, lengthThatIsNotSaidIsLookedFor) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    _server.fail("no-length", "HEAD");
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{BYTES.size()}, store.open(key)->entry().bytes);
}

TEST(S3MediaStoreTest, redirectIsNotFollowed) {
    S3MediaStore store(_server.settings());
    _server.fail("elsewhere");
    requireFailure(Kind::Refused, "answers 307", [&] { put(store); });
    requireFailure(Kind::Refused, "answers 307", [&] { store.list({}, 1); });
}

TEST(S3MediaStoreTest, temporaryCredentialsHaveTheirToken) {
    _server.control({{"token", "FwoGZXIvYXdz//+= &x"}});
    S3Settings settings = _server.settings();
    settings.credentials.sessionToken = "FwoGZXIvYXdz//+=";
    requireFailure(Kind::Refused, "plugins.media.s3.session_token has expired, or is not the one",
                   [&] { S3MediaStore(settings).mark(); });
    _server.control({{"token", "FwoGZXIvYXdz//+="}});
    S3MediaStore store(settings);
    const auto key = put(store);
    CPPUNIT_ASSERT_EQUAL(BYTES, bytesOf(store, key));
    CPPUNIT_ASSERT(keysOf(store.list({}, 5)) == std::vector{key});
    const std::string url = store.signedUrl(key, "GET").value();
    HttpClient http(url.substr(0, url.find("/pictures/")));
    const HttpResponse response = http.get(url.substr(url.find("/pictures/")));
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(BYTES, response.body);
    _server.control({{"expired", true}});
    requireFailure(Kind::Refused, "session_token has expired", [&] { store.fetch(key); });
    requireFailure(Kind::Refused, "it does not know the access key TESTKEY",
                   [&] { S3MediaStore(_server.settings()).mark(); });
}

TEST(S3MediaStoreTest, ageIsThatOfTheStoresClock) {
    S3MediaStore store(_server.settings());
    _server.control({{"skew", 600}});
    const auto key = put(store);
    _server.control({{"age", {{key, 3'600}}}});
    const auto age = std::chrono::system_clock::now() - store.list({}, 1).at(0).storedAt;
    CPPUNIT_ASSERT(age > 59min && age < 70min);
    CPPUNIT_ASSERT(std::chrono::abs(store.clockDifference() - 600s) < 120s);
}

TEST(S3MediaStoreTest, markIsKept) {
    S3MediaStore store(_server.settings());
    CPPUNIT_ASSERT_EQUAL(std::string(), store.mark());
    store.setMark("abc");
    CPPUNIT_ASSERT_EQUAL(std::string("abc"), S3MediaStore(_server.settings()).mark());
    CPPUNIT_ASSERT(store.list({}, 10).empty());
    requireIn("\"pictures\"", store.markPlace());
}

TEST(S3MediaStoreTest, whatPassesIsTriedAgain) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    for (const auto* const kind : {"500", "503", "429", "close", "cut", "lost"}) {
        _server.fail(kind, kind == std::string("lost") ? "PUT" : "", 2);
        if (kind == std::string("lost"))
            CPPUNIT_ASSERT_EQUAL(BYTES, bytesOf(store, put(store)));
        else
            CPPUNIT_ASSERT_EQUAL_MESSAGE(kind, BYTES, bytesOf(store, key));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(kind, BYTES, bytesOf(store, put(store)));
    }
}

TEST(S3MediaStoreTest, whatDoesNotPassIsGivenUp) {
    S3MediaStore store(_server.settings());
    _server.fail("503");
    requireFailure(Kind::Unreachable, "503 SlowDown", [&] { put(store); });
    const auto tries = _server.countOf("PUT");
    CPPUNIT_ASSERT_MESSAGE(std::to_string(tries), tries > 2 && tries < 10);
    _server.heal();
    CPPUNIT_ASSERT_EQUAL(BYTES, bytesOf(store, put(store))); // it was reached all the time
}

TEST(S3MediaStoreTest, lostResponseIsNoSecondObject) {
    S3MediaStore store(_server.settings());
    _server.fail("lost", "PUT", 1);
    const auto key = put(store);
    CPPUNIT_ASSERT(_server.keys() == std::vector{key});
}

TEST(S3MediaStoreTest, failedPairLeavesNothing) {
    S3MediaStore store(_server.settings());
    _server.control({{"faults", {{{"kind", "507"}, {"method", "PUT"}, {"key", "webp$"}}}}});
    const std::array contents{MediaContent{BYTES, ImageType::Jpeg}, MediaContent{"thumb", ImageType::Webp}};
    requireFailure(Kind::Full, "507", [&] { store.put(contents); });
    CPPUNIT_ASSERT(_server.keys().empty());
}

TEST(S3MediaStoreTest, wrongEtagIsNotTaken) {
    S3MediaStore store(_server.settings());
    _server.fail("etag", "PUT");
    requireFailure(Kind::Unreachable, "is not what was stored", [&] { put(store); });
    CPPUNIT_ASSERT(_server.keys().empty());
}

TEST(S3MediaStoreTest, etagOfAnEncryptingStoreIsNoHash) {
    S3MediaStore store(_server.settings());
    _server.control({{"kms", true}});
    CPPUNIT_ASSERT_EQUAL(BYTES, bytesOf(store, put(store)));
    _server.fail("flip", "GET"); // what it took is asked for, then
    requireFailure(Kind::Unreachable, "is not what was stored", [&] { put(store); });
}

TEST(S3MediaStoreTest, damagedObjectIsNotTaken) {
    S3MediaStore store(_server.settings());
    const auto key = put(store);
    _server.fail("flip", "GET");
    requireFailure(Kind::Unreachable, key + " is not what was stored", [&] { store.fetch(key); });
    const auto file = store.open(key);
    requireFailure(Kind::Unreachable, key, [&] { file->read(0, 1); });
    _server.control({{"faults", json::array()}, {"put", {{key, "something else"}}}});
    CPPUNIT_ASSERT_EQUAL(std::string("something else"), bytesOf(store, key)); // no hash but the ETag
    requireFailure(Kind::Unreachable, key, [&] { file->read(0, 1); });        // not as long as it was said
}

TEST(S3MediaStoreTest, fullStoreIsFull) {
    S3MediaStore store(_server.settings());
    _server.fail("507");
    requireFailure(Kind::Full, "507 InsufficientStorage", [&] { put(store); });
}

TEST(S3MediaStoreTest, refusalsSayWhatToDo) {
    S3Settings settings = _server.settings();
    settings.credentials.secretAccessKey = "wrong";
    requireFailure(Kind::Refused, "secret_access_key is not the one of the access key TESTKEY",
                   [&] { S3MediaStore(settings).mark(); });
    settings.credentials.accessKeyId = "NOBODY";
    requireFailure(Kind::Refused, "it does not know the access key NOBODY", [&] { S3MediaStore(settings).mark(); });
    settings = _server.settings();
    settings.region = "us-west-1";
    requireFailure(Kind::Refused, "expecting 'eu-test-1'", [&] { S3MediaStore(settings).mark(); });
    settings = _server.settings();
    settings.bucket = "nothing";
    requireFailure(Kind::Refused, "there is no bucket \"nothing\"", [&] { S3MediaStore(settings).mark(); });
    _server.control({{"skew", 3'600}});
    requireFailure(Kind::Refused, "this host's clock is wrong, or the store's, which says ",
                   [&] { S3MediaStore(_server.settings()).mark(); });
    const auto tries = _server.requests().size();
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, tries); // none of it is tried again
}

TEST(S3MediaStoreTest, noMessageHoldsTheSecret) {
    S3Settings settings = _server.settings();
    settings.bucket = "nothing";
    CPPUNIT_ASSERT(
        std::string(thrownBy<MediaStoreError>([&] { S3MediaStore(settings).mark(); }).what()).find(S3Server::SECRET) ==
        std::string::npos);
    CPPUNIT_ASSERT(S3MediaStore(settings).signedUrl("x", "GET")->find("secret") == std::string::npos);
}

TEST(S3MediaStoreTest, silentStoreIsLeftInTime) {
    S3Settings settings = _server.settings();
    settings.requestTimeout = 100ms;
    settings.timeout = 500ms;
    S3MediaStore store(settings);
    _server.fail("hang");
    requireFailure(Kind::Unreachable, "", [&] { put(store); });
    requireFailure(Kind::Unreachable, "a moment ago: Operation timed out", [&] { put(store); });
}

TEST(S3MediaStoreTest, storeThatIsAwayIsAskedByOneAtATime) {
    S3Server own;
    S3Settings settings = own.settings();
    std::atomic<int> tries = 0;
    S3MediaStore store(settings, [&](auto, auto, auto) { ++tries; });
    const auto key = put(store);
    own.stop();
    requireFailure(Kind::Unreachable, "cannot be used", [&] { store.open(key); });
    tries = 0;
    for (int i = 0; i < 20; ++i)
        requireFailure(Kind::Unreachable, "", [&] { store.open(key); });
    CPPUNIT_ASSERT_MESSAGE(std::to_string(tries), tries < 20);
    own.start();
    const auto end = std::chrono::steady_clock::now() + 1min;
    for (bool isBack = false; !isBack;) { // of itself, in a while
        CPPUNIT_ASSERT(std::chrono::steady_clock::now() < end);
        try {
            put(store);
            isBack = true;
        } catch (const MediaStoreError&) {
            std::this_thread::sleep_for(20ms);
        }
    }
}

TEST(S3MediaStoreTest, signedUrlGivesTheObject) {
    for (const bool isPathStyle : {true, false}) {
        S3Settings settings = _server.settings();
        settings.endpoint = "http://localhost:" + std::to_string(_server.port());
        settings.isPathStyle = isPathStyle;
        S3MediaStore store(settings);
        const auto key = put(store);
        const auto asked = [&](const char* method, const char* signedFor) {
            const std::string url = store.signedUrl(key, signedFor).value();
            const auto place = url.find('/', url.find("://") + 3);
            HttpClient http("http://127.0.0.1:" + std::to_string(_server.port()));
            return http.request(method, url.substr(place),
                                {{"Host", url.substr(url.find("://") + 3, place - url.find("://") - 3)}});
        };
        const HttpResponse response = asked("GET", "GET");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(BYTES, response.body);
        CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), response.header("Content-Type"));
        requireStatus(403, asked("GET", "HEAD"));
        requireStatus(403, asked("DELETE", "GET"));
        _server.control({{"skew", 2 * 3'600}});
        requireStatus(403, asked("GET", "GET"));
        _server.control({{"skew", 0}});
    }
}

TEST(S3MediaStoreTest, signedUrlStaysTheSameForAWhile) {
    S3Settings settings = _server.settings();
    settings.urlExpiry = std::chrono::hours(100);
    settings.publicEndpoint = "https://pictures.example";
    const S3MediaStore store(settings);
    const auto first = store.signedUrl("k", "GET").value();
    CPPUNIT_ASSERT_EQUAL(first, store.signedUrl("k", "GET").value());
    CPPUNIT_ASSERT(first.starts_with("https://pictures.example/pictures/k?"));
    requireIn("X-Amz-Expires=360000&", first);
}

TEST(S3MediaStoreTest, manyThreadsAtOnce) {
    S3Settings settings = _server.settings();
    settings.maxParallel = 3;
    S3MediaStore store(settings);
    std::vector<std::future<void>> threads;
    for (int i = 0; i < 8; ++i)
        threads.push_back(std::async(std::launch::async, [&store, i] {
            for (int round = 0; round < 5; ++round) {
                const std::string bytes = std::to_string(i) + "-" + std::to_string(round);
                CPPUNIT_ASSERT_EQUAL(bytes, bytesOf(store, put(store, bytes)));
            }
        }));
    for (auto& thread : threads)
        thread.get();
    CPPUNIT_ASSERT_EQUAL(std::size_t{40}, _server.keys().size());
}

TEST(S3MediaStoreTest, everyTryIsCounted) {
    std::mutex mutex;
    std::map<std::string, int> counts;
    S3MediaStore store(_server.settings(), [&](std::string_view operation, std::string_view outcome, auto) {
        const std::lock_guard lock(mutex);
        ++counts[std::string(operation) + " " + std::string(outcome)];
    });
    _server.fail("503", "PUT", 1);
    const auto key = put(store);
    store.open(media::randomKey("aa/bb", ImageType::Png));
    store.fetch(key);
    const std::map<std::string, int> expected{
        {"put failed", 1}, {"put ok", 1}, {"head missing", 1}, {"get missing", 1}, {"get ok", 1}};
    CPPUNIT_ASSERT(counts == expected);
}

} // namespace supplierd::tests
