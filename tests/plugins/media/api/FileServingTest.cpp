#include "MediaFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

/// GET /media/…
class FileServingTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        MediaClient supplier(_fixture);
        _url = supplier.add(supplier.createProduct(), {_fixture.origin().serve(smallPicture())})["images"][0]["url"];
        _bytes = readWholeFile(_fixture.root() / _url.substr(std::string("/media/").size()));
        CPPUNIT_ASSERT(_bytes.size() > 100);
    }

protected:
    MediaFixture& _fixture = mediaFixture();
    HttpClient _files = _fixture.server().rootClient();
    std::string _url;
    std::string _bytes;
};

TEST(FileServingTest, aFileIsServedForEver) {
    const HttpResponse response = _files.get(_url);
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(_bytes, response.body);
    CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), response.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"), response.header("Cache-Control"));
    CPPUNIT_ASSERT_EQUAL(std::string("bytes"), response.header("Accept-Ranges"));
    const std::string tag = response.header("ETag");
    CPPUNIT_ASSERT_MESSAGE(tag, tag.size() > 2 && tag.front() == '"' && tag.back() == '"');
}

TEST(FileServingTest, headHasEverythingButTheBytes) {
    _files.sendRaw("HEAD " + _url + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const HttpResponse head = _files.readResponse(true);
    requireStatus(200, head);
    CPPUNIT_ASSERT_EQUAL(std::to_string(_bytes.size()), head.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(_files.get(_url).header("ETag"), head.header("ETag"));
}

TEST(FileServingTest, aCopyThatIsThereIsNotSentAgain) {
    const std::string tag = _files.get(_url).header("ETag");
    const HttpResponse same = _files.get(_url, {{"If-None-Match", tag}});
    requireStatus(304, same);
    CPPUNIT_ASSERT_EQUAL(std::string(), same.body);
    requireStatus(200, _files.get(_url, {{"If-None-Match", "\"other\""}}));
}

TEST(FileServingTest, partsCanBeAskedFor) {
    const HttpResponse part = _files.get(_url, {{"Range", "bytes=10-19"}});
    requireStatus(206, part);
    CPPUNIT_ASSERT_EQUAL(_bytes.substr(10, 10), part.body);
    CPPUNIT_ASSERT_EQUAL("bytes 10-19/" + std::to_string(_bytes.size()), part.header("Content-Range"));
    const HttpResponse tail = _files.get(_url, {{"Range", "bytes=-7"}});
    CPPUNIT_ASSERT_EQUAL(_bytes.substr(_bytes.size() - 7), tail.body);
    requireStatus(416, _files.get(_url, {{"Range", "bytes=99999999-"}}));
    requireStatus(200, _files.get(_url, {{"Range", "bytes=0-3"}, {"If-Range", "\"other\""}}));
}

TEST(FileServingTest, nothingElseIsServed) {
    writeWholeFile(_fixture.root() / "secret.txt", "SECRET");
    std::filesystem::create_directories(_fixture.root() / "aa/bb");
    writeWholeFile(_fixture.root() / "aa/bb/secret.jpg", "SECRET");
    std::filesystem::create_symlink("/etc/passwd", _fixture.root() / "aa/bb/aabb0000000000000000000000000000.jpg");
    const std::string folder = _url.substr(0, _url.rfind('/'));
    const std::string name = _url.substr(_url.rfind('/') + 1);
    for (const std::string& path :
         {std::string("/media"), std::string("/media/"), folder, folder + "/", _url + "/", _url + "x", _url + "%00",
          std::string("/media/secret.txt"), std::string("/media/aa/bb/secret.jpg"),
          std::string("/media/aa/bb/aabb0000000000000000000000000000.jpg"), std::string("/media/.unfinished/a/b"),
          std::string("/media/../../etc/passwd"), std::string("/media/%2e%2e/%2e%2e/etc%2fpasswd"),
          std::string("/media/aa/bb/..%2f..%2fsecret.txt"), std::string("/media/aa/..%2fsecret.txt/x"),
          folder + "/../" + name, folder + "//" + name, folder + "/" + std::string(32, '0') + ".jpg",
          folder + "/" + name + ".bak"}) {
        const HttpResponse response = _files.get(path);
        CPPUNIT_ASSERT_MESSAGE(path + " " + response.statusLine, response.status == 404 || response.status == 400);
        CPPUNIT_ASSERT_MESSAGE(path, response.body.find("SECRET") == std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(path, response.body.find("root:") == std::string::npos);
    }
    requireStatus(405, _files.postEmpty(_url));
    for (const char* const made : {"aa/bb/aabb0000000000000000000000000000.jpg", "aa/bb/secret.jpg", "secret.txt"})
        std::filesystem::remove(_fixture.root() / made);
}

} // namespace supplierd::tests
