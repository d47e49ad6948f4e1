#include "MovingMediaStore.h"

#include "FileMediaStore.h"
#include "MediaKey.h"
#include "S3MediaStore.h"
#include "S3Server.h"
#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <algorithm>

namespace supplierd::tests {

using namespace media;

/// A folder and a bucket, while files move between them.
class MovingMediaStoreTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _server.reset();
        _folder.setMark("id");
    }

protected:
    static std::string put(MediaStore& store, std::string_view bytes) {
        const MediaContent content{bytes, ImageType::Jpeg};
        return store.put(std::span(&content, 1)).front();
    }

    S3Server& _server = sharedS3Server();
    TemporaryDirectory _directory{"moving"};
    FileMediaStore _folder{_directory / "files"};
    S3MediaStore _bucket{_server.settings()};
    MovingMediaStore _both{_bucket, _folder};
};

TEST(MovingMediaStoreTest, filesAreFoundWhereverTheyAre) {
    const auto inFolder = put(_folder, "one");
    const auto inBucket = put(_bucket, "two");
    CPPUNIT_ASSERT_EQUAL(std::string("one"), _both.open(inFolder)->read(0, 10));
    CPPUNIT_ASSERT_EQUAL(std::string("one"), _both.fetch(inFolder)->read(0, 10));
    CPPUNIT_ASSERT_EQUAL(std::string("two"), _both.open(inBucket)->read(0, 10));
    CPPUNIT_ASSERT(!_both.fetch(randomKey(randomFolder(), ImageType::Png)));
}

TEST(MovingMediaStoreTest, newFilesGoToTheCurrentOne) {
    const auto key = put(_both, "one");
    CPPUNIT_ASSERT(_bucket.open(key) && !_folder.open(key));
}

TEST(MovingMediaStoreTest, removedFilesAreGoneFromBoth) {
    const auto key = put(_folder, "one");
    _bucket.putCopy(key, "one");
    _both.remove(key);
    CPPUNIT_ASSERT(!_bucket.open(key) && !_folder.open(key));
}

TEST(MovingMediaStoreTest, listHasEachFileOnceAndInOrder) {
    std::vector<std::string> keys;
    for (int i = 0; i < 6; ++i) {
        keys.push_back(put(_folder, "one"));
        keys.push_back(put(_bucket, "two"));
    }
    _bucket.putCopy(keys[0], "one");
    std::sort(keys.begin(), keys.end());
    for (const std::size_t piece : {1U, 3U, 100U}) {
        std::vector<std::string> listed;
        for (auto entries = _both.list({}, piece); !entries.empty(); entries = _both.list(listed.back(), piece))
            for (const auto& entry : entries)
                listed.push_back(entry.key);
        CPPUNIT_ASSERT(listed == keys);
    }
}

TEST(MovingMediaStoreTest, signedUrlIsOnlyForWhatIsInTheBucket) {
    CPPUNIT_ASSERT(!_both.signedUrl(put(_folder, "one"), "GET"));
    CPPUNIT_ASSERT(_both.signedUrl(put(_bucket, "two"), "GET"));
}

TEST(MovingMediaStoreTest, copyTakesThePlaceOfWhatIsThere) {
    const auto key = put(_folder, "cut");
    _folder.putCopy(key, "whole");
    CPPUNIT_ASSERT_EQUAL(std::string("whole"), _folder.open(key)->read(0, 10));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _folder.countUnfinished(std::chrono::milliseconds(0)));
    CPPUNIT_ASSERT_THROW(_folder.putCopy("../x", "bad"), std::invalid_argument);
    CPPUNIT_ASSERT_THROW(_bucket.putCopy(".store-id", "bad"), std::invalid_argument);
    FileMediaStore missing(_directory / "missing");
    CPPUNIT_ASSERT_THROW(missing.putCopy(key, "whole"), MediaStoreError);
    CPPUNIT_ASSERT(!std::filesystem::exists(_directory / "missing"));
}

TEST(MovingMediaStoreTest, storesOfTwoDatabasesAreRefused) {
    CPPUNIT_ASSERT_EQUAL(std::string("id"), _both.mark()); // the bucket has none yet
    _bucket.setMark("other");
    CPPUNIT_ASSERT(thrownBy<MediaStoreError>([&] { _both.mark(); }).kind() ==
                   MediaStoreError::Kind::Foreign); // a server runs on
    _bucket.setMark("");
    CPPUNIT_ASSERT_EQUAL(std::string("id"), _both.mark());
}

} // namespace supplierd::tests
