#include "MediaKey.h"
#include "S3Fixture.h"
#include "S3MediaStore.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace supplierd::tests {

using media::ImageType;
using media::MediaContent;
using media::MediaStoreError;
using media::S3MediaStore;
using media::S3Settings;
using nlohmann::json;

namespace {

/// A real radosgw, of packaging/private-radosgw: in the folder that SUPPLIERD_TEST_RADOSGW names, or for 1 in one of
/// its own, where it ends with the tests.
class Radosgw {
public:
    explicit Radosgw(const std::string& wish) {
        if (wish == "1")
            _own.emplace("radosgw");
        const std::string folder = _own ? _own->path().string() : wish;
        const auto bucket = "pictures-" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
        std::vector<std::string> arguments{program(), "start", "--json", "--dir", folder, "--bucket", bucket};
        if (_own)
            arguments.insert(arguments.end(), {"--port", "17481"});
        const auto started = runCommand({.arguments = arguments}, std::chrono::minutes(10));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(started.errors, 0, started.exitCode);
        const json said = json::parse(started.output);
        _settings.endpoint = said["endpoint"];
        _settings.region = said["region"];
        _settings.bucket = bucket;
        _settings.credentials.accessKeyId = said["access_key_id"];
        _secretFile = said["secret_file"];
        _settings.credentials.secretAccessKey = readWholeFile(_secretFile);
        std::erase(_settings.credentials.secretAccessKey, '\n');
        _settings.timeout = std::chrono::minutes(1);
        _settings.requestTimeout = std::chrono::seconds(30);
    }
    ~Radosgw() {
        if (_own)
            runCommand({.arguments = {program(), "stop", "--dir", _own->path().string()}});
    }
    Radosgw(const Radosgw&) = delete;
    Radosgw& operator=(const Radosgw&) = delete;

    const S3Settings& settings() const { return _settings; }
    S3Fixture::Keys keys() const {
        const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
        return {{"endpoint", quoted(_settings.endpoint)},
                {"bucket", quoted(_settings.bucket)},
                {"region", quoted(_settings.region)},
                {"access_key_id", quoted(_settings.credentials.accessKeyId)},
                {"secret_access_key", quoted(_settings.credentials.secretAccessKey)}};
    }

private:
    static std::string program() { return SUPPLIERD_TEST_SOURCE_DIR "/packaging/private-radosgw"; }

    std::optional<TemporaryDirectory> _own;
    std::string _secretFile;
    S3Settings _settings;
};

HttpResponse asked(const std::string& method, const std::string& url, HttpHeaders headers = {}) {
    const auto place = url.find('/', url.find("://") + 3);
    const auto host = url.substr(url.find("://") + 3, place - url.find("://") - 3);
    HttpClient http("http://" + host);
    if (method != "HEAD") {
        headers.emplace_back("Host", host);
        return http.request(method, url.substr(place), headers);
    }
    http.sendRaw("HEAD " + url.substr(place) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return http.readResponse(true);
}

} // namespace

/// Against a real S3 store, when SUPPLIERD_TEST_RADOSGW asks for it: to make one takes minutes and 700 MB, to start it
/// half a minute.
class RadosgwTest : public CppUnit::TestFixture {
protected:
    static const Radosgw& running() {
        const char* const wish = std::getenv("SUPPLIERD_TEST_RADOSGW");
        if (wish == nullptr || *wish == '\0') {
            throw Skip("SUPPLIERD_TEST_RADOSGW is not set");
        }
        static const Radosgw radosgw(wish);
        return radosgw;
    }

    static void requireRefusal(const S3Settings& settings, const std::string& part) {
        try {
            S3MediaStore(settings).mark();
        } catch (const MediaStoreError& failure) {
            CPPUNIT_ASSERT_MESSAGE(failure.what(), std::string(failure.what()).find(part) != std::string::npos);
            CPPUNIT_ASSERT(failure.kind() == MediaStoreError::Kind::Refused);
            return;
        }
        CPPUNIT_FAIL("it is not refused: " + part);
    }
};

TEST(RadosgwTest, storeDoesWithRadosgwWhatItDoesWithOurs) {
    const Radosgw& radosgw = running();
    S3Settings settings = radosgw.settings();
    settings.prefix = "store/";
    S3MediaStore store(settings);
    std::string large(5 * 1024 * 1024, 'x');
    for (std::size_t i = 0; i < large.size(); ++i)
        large[i] = static_cast<char>(i * i >> 7U);
    std::vector<std::string> keys;
    for (int i = 0; i < 25; ++i) {
        const MediaContent content{i == 0 ? std::string_view(large) : std::string_view("small"), ImageType::Jpeg};
        keys.push_back(store.put(std::span(&content, 1)).front());
    }
    CPPUNIT_ASSERT(store.fetch(keys[0])->read(0, large.size()) == large);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{large.size()}, store.open(keys[0])->entry().bytes);
    CPPUNIT_ASSERT(!store.open("aa/bb/aabb0000000000000000000000000000.jpg"));
    CPPUNIT_ASSERT(!store.fetch("aa/bb/aabb0000000000000000000000000000.jpg"));
    std::sort(keys.begin(), keys.end());
    for (const std::size_t piece : {1'000U, 10U}) {
        std::vector<std::string> listed;
        for (auto entries = store.list({}, piece); !entries.empty(); entries = store.list(listed.back(), piece))
            for (const auto& entry : entries) {
                listed.push_back(entry.key);
                const auto age = std::chrono::system_clock::now() - entry.storedAt;
                CPPUNIT_ASSERT(age > -std::chrono::minutes(1) && age < std::chrono::minutes(10));
            }
        CPPUNIT_ASSERT(listed == keys);
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), store.mark());
    store.setMark("abc");
    CPPUNIT_ASSERT_EQUAL(std::string("abc"), store.mark());
    for (const auto& key : keys)
        CPPUNIT_ASSERT(store.remove(key));
    CPPUNIT_ASSERT(store.list({}, 10).empty());
    CPPUNIT_ASSERT(std::chrono::abs(store.clockDifference()) < std::chrono::seconds(60));
}

TEST(RadosgwTest, signedUrlsAreAccepted) {
    const Radosgw& radosgw = running();
    S3MediaStore store(radosgw.settings());
    const MediaContent content{"a picture", ImageType::Png};
    const auto key = store.put(std::span(&content, 1)).front();
    const std::string url = store.signedUrl(key, "GET").value();
    const HttpResponse whole = asked("GET", url);
    requireStatus(200, whole);
    CPPUNIT_ASSERT_EQUAL(std::string("a picture"), whole.body);
    CPPUNIT_ASSERT_EQUAL(std::string("image/png"), whole.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"), whole.header("Cache-Control"));
    requireStatus(206, asked("GET", url, {{"Range", "bytes=0-3"}}));
    requireStatus(304, asked("GET", url, {{"If-None-Match", whole.header("ETag")}}));
    requireStatus(200, asked("HEAD", store.signedUrl(key, "HEAD").value()));
    requireStatus(403, asked("DELETE", url));
    requireStatus(403, asked("GET", url.substr(0, url.size() - 1) + (url.back() == '0' ? "1" : "0")));
    requireStatus(403, asked("GET", url.substr(0, url.find('?'))));
    store.remove(key);
    requireStatus(404, asked("GET", url));
}

TEST(RadosgwTest, refusalsSayWhatToDo) {
    const Radosgw& radosgw = running();
    S3Settings settings = radosgw.settings();
    settings.credentials.secretAccessKey = "wrong";
    requireRefusal(settings, "secret_access_key is not the one of the access key");
    settings.credentials.accessKeyId = "nobody";
    requireRefusal(settings, "it does not know the access key nobody");
    settings = radosgw.settings();
    settings.bucket = "there-is-none";
    requireRefusal(settings, "there is no bucket \"there-is-none\"");
}

TEST(RadosgwTest, pluginKeepsServesMovesAndVerifiesPictures) {
    const Radosgw& radosgw = running();
    S3Fixture fixture({.media = {}, .s3 = radosgw.keys()});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture(1));
    const std::string inFolder = supplier.add(product, {url})["images"][0]["url"];
    fixture.configure({{"store", "\"s3\""}, {"moving", "true"}}, radosgw.keys());
    supplier.reconnect();
    const std::string inBucket = supplier.add(product, {url})["images"][1]["url"];
    CPPUNIT_ASSERT_EQUAL(json(2), fixture.control({"media", "move", "--to", "s3"})["copied"]);
    fixture.configure({{"store", "\"s3\""}}, radosgw.keys());
    supplier.reconnect();
    CPPUNIT_ASSERT_EQUAL(json(2), fixture.control({"media", "move", "--to", "s3", "--clean"})["removed"]);
    HttpClient files = fixture.server().rootClient();
    const HttpResponse streamed = files.get(inFolder);
    requireStatus(200, streamed);
    requireStatus(206, files.get(inBucket, {{"Range", "bytes=0-3"}}));
    const json report = fixture.control({"media", "verify"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(report.dump(), json(true), report["good"]);
    CPPUNIT_ASSERT_EQUAL(json(4), report["files"]);
    fixture.configure({{"store", "\"s3\""}, {"serve", "\"redirect\""}}, radosgw.keys());
    supplier.reconnect();
    const HttpResponse way = fixture.server().rootClient().get(inFolder);
    requireStatus(302, way);
    CPPUNIT_ASSERT_EQUAL(streamed.body, asked("GET", way.header("Location")).body);
    const json images = supplier.images(product);
    for (const json& image : images)
        requireStatus(200, supplier.removeImage(product, image["id"]));
    requireStatus(404, asked("GET", way.header("Location")));
    CPPUNIT_ASSERT(fixture.controlText({"doctor"}, 0).find("can be read and listed") != std::string::npos);
}

} // namespace supplierd::tests
