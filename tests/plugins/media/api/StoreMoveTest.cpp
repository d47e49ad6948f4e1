#include "S3Fixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

namespace supplierd::tests {

/// `supplierctl media move`, from the folder to S3 and back, by a server that serves meanwhile.
class StoreMoveTest : public CppUnit::TestFixture {
public:
    void setUp() override { sharedS3Server().reset(); }

protected:
    /// Each of a product of its own; their paths.
    static std::vector<std::string> addImages(S3Fixture& fixture, MediaClient& supplier, unsigned count) {
        std::vector<std::string> urls;
        for (unsigned i = 0; i < count; ++i)
            urls.push_back(supplier.add(supplier.createProduct(),
                                        {fixture.origin().serve(smallPicture(20 + i))})["images"][0]["url"]);
        return urls;
    }
};

TEST(StoreMoveTest, allGoesToS3AndBackWhileTheServerServes) {
    S3Fixture fixture({.media = {}});
    MediaClient supplier(fixture);
    const auto urls = addImages(fixture, supplier, 5);
    const json ahead = fixture.control({"media", "move", "--to", "s3"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(ahead.dump(), json(10), ahead["copied"]);
    const auto entry = fixture.database().text("SELECT CONCAT(action, ' ', after_json) FROM audit_log ORDER BY id DESC "
                                               "LIMIT 1");
    requireIn(R"(media.move {"to":"s3","files":10,"copied":10,"copied_bytes":)", entry);
    CPPUNIT_ASSERT_MESSAGE(ahead.dump(), ahead["next"].get<std::string>().starts_with("new images still go to"));
    CPPUNIT_ASSERT(!fixture.bucket().objects().contains(".store-id"));

    fixture.configure({{"store", "\"s3\""}, {"moving", "true"}, {"serve", "\"redirect\""}});
    supplier.reconnect();
    const std::string later = addImages(fixture, supplier, 1).front();
    CPPUNIT_ASSERT_EQUAL(std::size_t{12}, fixture.bucket().keys().size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, fixture.storedKeys().size());
    std::filesystem::remove(fixture.root() / urls[0].substr(7)); // only in S3 now
    fixture.bucket().control({{"remove", {urls[1].substr(7)}}}); // only in the folder
    HttpClient files = fixture.server().rootClient();
    requireStatus(302, files.get(urls[0]));
    requireStatus(200, files.get(urls[1]));
    requireStatus(302, files.get(later));
    CPPUNIT_ASSERT_EQUAL(json(true), fixture.verify()["good"]); // it looks into both

    const json rest = fixture.control({"media", "move", "--to", "s3"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(rest.dump(), json(1), rest["copied"]);
    CPPUNIT_ASSERT_EQUAL(json(8), rest["already_there"]);
    fixture.requireAllInBucket();

    fixture.configure({{"store", "\"s3\""}});
    supplier.reconnect();
    const json cleaned = fixture.control({"media", "move", "--to", "s3", "--clean", "--yes"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(cleaned.dump(), json(9), cleaned["removed"]);
    CPPUNIT_ASSERT(cleaned["next"].is_null());
    CPPUNIT_ASSERT(fixture.storedKeys().empty());
    for (const auto& url : urls)
        requireStatus(200, fixture.server().rootClient().get(url));
    CPPUNIT_ASSERT_EQUAL(json(true), fixture.verify()["good"]);

    fixture.configure({{"moving", "true"}});
    supplier.reconnect();
    requireStatus(200, fixture.server().rootClient().get(later));
    CPPUNIT_ASSERT_EQUAL(json(12), fixture.control({"media", "move", "--to", "folder"})["copied"]);
    fixture.configure({});
    supplier.reconnect();
    fixture.requireAgreement();
    requireStatus(200, fixture.server().rootClient().get(later));
}

TEST(StoreMoveTest, interruptedMoveGoesOn) {
    S3Fixture fixture({.media = {}});
    MediaClient supplier(fixture);
    addImages(fixture, supplier, 8);
    // Eight are copied, and the ninth waits for ever: killed there, nothing of it is lost or half.
    fixture.bucket().control({{"faults", {{{"kind", "hang"}, {"method", "PUT"}, {"key", "^[89a-f]"}}}}});
    fixture.control({"media", "move", "--to", "s3", "--no-wait"});
    const auto job = [&] { return fixture.control({"job", "show", "media", "move"})["job"]; };
    const auto hasHung = [&] {
        for (const json& request : fixture.bucket().requests())
            if (request["fault"] == "hang")
                return true;
        return false;
    };
    // All sixteen may lie in one half of the keys: then it is simply done.
    waitUntil([&] { return hasHung() || job()["state"] == "done"; });
    if (job()["state"] == "running")
        requireIn("has not ended", fixture.controlText({"media", "move", "--to", "folder"}, 1));
    fixture.server().kill();
    fixture.bucket().heal();
    const auto before = fixture.bucket().keys().size();
    fixture.database().exec("UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE name = 'move'");
    fixture.server().start();
    waitUntil([&] { return job()["state"] == "done"; });
    const json rest = job()["output"];
    CPPUNIT_ASSERT_EQUAL_MESSAGE(rest.dump(), json(16), rest["files"]);
    CPPUNIT_ASSERT_MESSAGE(rest.dump(), rest["already_there"].get<std::size_t>() >= before);
    CPPUNIT_ASSERT_EQUAL(json(true), rest["complete"]);
    fixture.requireAllInBucket();
    const auto said = fixture.controlText({"media", "move", "--to", "s3"}, 0);
    requireIn("16 files seen, 0 copied (0 bytes), 16 there already\n", said);
    requireIn("next: new images still go to the other store", said);
    const json again = fixture.control({"media", "move", "--to", "s3"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(again.dump(), json(0), again["copied"]);
    const json objects = fixture.bucket().objects();
    for (const auto& [key, object] : objects.items())
        if (!key.ends_with(".store-id"))
            CPPUNIT_ASSERT_EQUAL_MESSAGE(key, readWholeFile(fixture.root() / key).size(),
                                         object["size"].get<std::size_t>());
}

TEST(StoreMoveTest, noServerTakesTheNewStoreAloneBeforeItHasAll) {
    S3Fixture fixture({.media = {}});
    MediaClient supplier(fixture);
    addImages(fixture, supplier, 1);
    fixture.control({"media", "move", "--to", "s3"});
    fixture.configure({{"store", "\"s3\""}});
    const auto said = fixture.controlText({"media", "verify", "--repair", "--yes"}, 1);
    CPPUNIT_ASSERT_MESSAGE(said, said.find("set moving = true") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, fixture.storedKeys().size());
}

TEST(StoreMoveTest, damagedCopyIsNoCopy) {
    S3Fixture fixture({.media = {}});
    MediaClient supplier(fixture);
    addImages(fixture, supplier, 2);
    fixture.bucket().fail("etag", "PUT");
    const auto said = fixture.controlText({"media", "move", "--to", "s3"}, 1);
    CPPUNIT_ASSERT_MESSAGE(said, said.find("is not what was stored") != std::string::npos);
    fixture.bucket().heal();
    fixture.configure({{"moving", "true"}});
    fixture.control({"media", "move", "--to", "s3"});
    for (const auto& key : fixture.storedKeys())
        std::filesystem::remove(fixture.root() / key);
    fixture.bucket().fail("flip", "GET");
    fixture.controlText({"media", "move", "--to", "folder"}, 1);
    CPPUNIT_ASSERT(fixture.storedKeys().empty());
}

TEST(StoreMoveTest, moveIsRefusedWhereItWouldDoHarm) {
    S3Fixture fixture({.media = {}});
    MediaClient supplier(fixture);
    addImages(fixture, supplier, 1);
    const auto early = fixture.controlText({"media", "move", "--to", "s3", "--clean", "--yes"}, 1);
    CPPUNIT_ASSERT_MESSAGE(early, early.find("new images still go to the other store") != std::string::npos);
    fixture.bucket().control({{"put", {{".store-id", "another\n"}}}});
    const auto others = fixture.controlText({"media", "move", "--to", "s3"}, 1);
    CPPUNIT_ASSERT_MESSAGE(others, others.find("belongs to another database") != std::string::npos);
    CPPUNIT_ASSERT(fixture.bucket().keys().empty());
    fixture.configure({}, {{"bucket", "\"\""}});
    const auto without = fixture.controlText({"media", "move", "--to", "s3"}, 1);
    CPPUNIT_ASSERT_MESSAGE(without, without.find("s3.bucket is not given") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, fixture.storedKeys().size());
}

} // namespace supplierd::tests
