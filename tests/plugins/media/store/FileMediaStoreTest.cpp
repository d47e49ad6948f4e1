#include "FileMediaStore.h"

#include "MediaKey.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

namespace supplierd::tests {

using media::FileMediaStore;
using media::ImageType;
using media::MediaContent;
using media::MediaStoreError;
using namespace std::chrono_literals;

namespace {

constexpr int OK = 0;
constexpr int SKIPPED = 77;

/// Runs something that changes the process for good in a process of its own; returns its code.
int inChild(const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(work());
    int status = 0;
    CPPUNIT_ASSERT_EQUAL(child, ::waitpid(child, &status, 0));
    CPPUNIT_ASSERT(WIFEXITED(status));
    return WEXITSTATUS(status);
}

std::filesystem::path made(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    return folder;
}

/// OK when storing this fails in that way and leaves no file behind.
int failsCleanly(const std::filesystem::path& root, const std::vector<MediaContent>& contents,
                 MediaStoreError::Kind kind) {
    FileMediaStore store(made(root));
    try {
        store.put(contents);
    } catch (const MediaStoreError& failure) {
        if (failure.kind() != kind)
            return 2;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
            if (!entry.is_directory())
                return 3;
        return OK;
    }
    return 1;
}

} // namespace

class FileMediaStoreTest : public CppUnit::TestFixture {
protected:
    const TemporaryDirectory _directory{"media"};
    FileMediaStore _store{made(_directory / "root")};

    std::string put(std::string_view bytes, ImageType type = ImageType::Jpeg) {
        const std::vector<MediaContent> contents{{bytes, type}};
        return _store.put(contents).at(0);
    }

    std::size_t filesBelow(const std::filesystem::path& folder) const {
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            files += entry.is_regular_file() ? 1 : 0;
        return files;
    }
};

TEST(FileMediaStoreTest, storedFilesCanBeRead) {
    const auto key = put("rose", ImageType::Webp);
    CPPUNIT_ASSERT(key.ends_with(".webp"));
    CPPUNIT_ASSERT_EQUAL(std::string("rose"), readWholeFile(_directory / "root" / key));
    const auto file = _store.open(key);
    CPPUNIT_ASSERT(file);
    CPPUNIT_ASSERT_EQUAL(std::string("rose"), file->read(0, 100));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{4}, file->entry().bytes);
    CPPUNIT_ASSERT_EQUAL(key, file->entry().key);
    CPPUNIT_ASSERT(file->descriptor().has_value());
    CPPUNIT_ASSERT(std::chrono::system_clock::now() - file->entry().storedAt < 1h);
}

TEST(FileMediaStoreTest, filesOfOneCallShareAFolderAndNothingElse) {
    const std::vector<MediaContent> contents{{"original", ImageType::Png}, {"thumbnail", ImageType::Jpeg}};
    const auto keys = _store.put(contents);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, keys.size());
    CPPUNIT_ASSERT_EQUAL(keys[0].substr(0, 5), keys[1].substr(0, 5));
    CPPUNIT_ASSERT(keys[0].substr(6, 32) != keys[1].substr(6, 32));
    CPPUNIT_ASSERT_EQUAL(std::string("original"), _store.open(keys[0])->read(0, 100));
    CPPUNIT_ASSERT_EQUAL(std::string("thumbnail"), _store.open(keys[1])->read(0, 100));
}

TEST(FileMediaStoreTest, sameContentGetsItsOwnFile) {
    const auto one = put("same");
    const auto other = put("same");
    CPPUNIT_ASSERT(one != other);
    CPPUNIT_ASSERT(_store.remove(one));
    CPPUNIT_ASSERT(_store.open(other));
}

TEST(FileMediaStoreTest, readsParts) {
    const auto file = _store.open(put("0123456789"));
    CPPUNIT_ASSERT_EQUAL(std::string("345"), file->read(3, 3));
    CPPUNIT_ASSERT_EQUAL(std::string("89"), file->read(8, 100));
    CPPUNIT_ASSERT_EQUAL(std::string(), file->read(10, 1));
    CPPUNIT_ASSERT_EQUAL(std::string(), file->read(1'000'000, 1));
}

TEST(FileMediaStoreTest, openFileSurvivesItsRemoval) {
    const auto key = put("tulip");
    const auto file = _store.open(key);
    CPPUNIT_ASSERT(_store.remove(key));
    CPPUNIT_ASSERT(!_store.open(key));
    CPPUNIT_ASSERT_EQUAL(std::string("tulip"), file->read(0, 100));
}

TEST(FileMediaStoreTest, removeSaysWhetherItWasThere) {
    const auto key = put("x");
    CPPUNIT_ASSERT(_store.remove(key));
    CPPUNIT_ASSERT(!_store.remove(key));
    CPPUNIT_ASSERT(!_store.remove("../../etc/passwd"));
}

TEST(FileMediaStoreTest, nothingButAKeyIsAKey) {
    const auto key = put("x");
    CPPUNIT_ASSERT(media::isMediaKey(key));
    CPPUNIT_ASSERT(media::typeOfKey(key) == ImageType::Jpeg);
    const std::string zero(1, '\0');
    for (const auto& text : {std::string(), std::string("/"), std::string(".."), "/" + key, key + "/", key + zero,
                             "./" + key, key.substr(0, 6) + "../" + key.substr(6), key.substr(6), key + ".jpg",
                             key.substr(0, 39) + "html", key.substr(0, 39) + "JPG", "../../../../etc/passwd" + key,
                             std::string(40, '.'), std::string(".unfinished/") + key.substr(6)}) {
        CPPUNIT_ASSERT_MESSAGE(text, !media::isMediaKey(text));
        CPPUNIT_ASSERT_MESSAGE(text, !_store.open(text));
    }
}

TEST(FileMediaStoreTest, linksAreNotFollowed) {
    const auto key = put("x");
    const auto path = _directory / "root" / key;
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/etc/passwd", path);
    CPPUNIT_ASSERT(!_store.open(key));
    CPPUNIT_ASSERT(_store.list("", 10).empty());
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CPPUNIT_ASSERT(!_store.open(key));
}

TEST(FileMediaStoreTest, listGoesThroughAllFilesInOrder) {
    std::set<std::string> keys;
    for (int i = 0; i < 60; ++i)
        keys.insert(put("x"));
    for (const std::size_t limit : {1U, 7U, 60U, 1000U}) {
        std::vector<std::string> seen;
        for (auto page = _store.list("", limit); !page.empty(); page = _store.list(seen.back(), limit)) {
            CPPUNIT_ASSERT(page.size() <= limit);
            for (const auto& entry : page)
                seen.push_back(entry.key);
        }
        CPPUNIT_ASSERT(seen == std::vector(keys.begin(), keys.end()));
    }
}

TEST(FileMediaStoreTest, listIgnoresForeignFiles) {
    const auto key = put("x");
    writeWholeFile(_directory / "root" / "robots.txt", "x");
    writeWholeFile(_directory / "root" / key.substr(0, 6) / "notes.txt", "x");
    std::filesystem::create_directories(_directory / "root" / "lost+found" / "deep");
    const auto entries = _store.list("", 10);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entries.size());
    CPPUNIT_ASSERT_EQUAL(key, entries[0].key);
}

TEST(FileMediaStoreTest, unfinishedFilesGoOnceTheyAreOld) {
    const auto left = made(_directory / "root" / ".unfinished") / "left";
    writeWholeFile(left, "half a pict");
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _store.removeUnfinished(1h));
    std::filesystem::last_write_time(left, std::filesystem::file_time_type::clock::now() - 2h);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _store.removeUnfinished(1h));
    CPPUNIT_ASSERT(!std::filesystem::exists(left));
    CPPUNIT_ASSERT(_store.list("", 10).empty());
}

TEST(FileMediaStoreTest, removedFolderIsMadeAgain) {
    for (int i = 0; i < 20; ++i)
        put("x");
    for (const auto& entry : std::filesystem::directory_iterator(_directory / "root"))
        std::filesystem::remove_all(entry);
    std::filesystem::create_directory(_directory / "root" / ".unfinished");
    CPPUNIT_ASSERT(_store.open(put("y")));
}

TEST(FileMediaStoreTest, fullDiskLeavesNothing) {
    const auto mountPoint = _directory / "small";
    std::filesystem::create_directory(mountPoint);
    const int code = inChild([&] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", mountPoint.c_str(), "tmpfs", 0, "size=64k") != 0)
            return SKIPPED;
        const std::string fits(16'384, 'x');
        const std::string large(100'000, 'x');
        return failsCleanly(mountPoint, {{fits, ImageType::Jpeg}, {large, ImageType::Png}},
                            MediaStoreError::Kind::Full);
    });
    if (code == SKIPPED)
        throw Skip("no right to mount");
    CPPUNIT_ASSERT_EQUAL(OK, code);
}

TEST(FileMediaStoreTest, fileSizeLimitLeavesNothing) {
    CPPUNIT_ASSERT_EQUAL(OK, inChild([&] {
                             ::signal(SIGXFSZ, SIG_IGN);
                             const rlimit limit{8192, 8192};
                             ::setrlimit(RLIMIT_FSIZE, &limit);
                             const std::string large(20'000, 'x');
                             return failsCleanly(_directory / "limited",
                                                 {{"small", ImageType::Jpeg}, {large, ImageType::Png}},
                                                 MediaStoreError::Kind::Full);
                         }));
}

TEST(FileMediaStoreTest, readOnlyRootCanBeReadOnly) {
    const auto key = put("rose");
    const auto root = _directory / "root";
    const int code = inChild([&] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount(root.c_str(), root.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
            ::mount(nullptr, root.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
            return SKIPPED;
        FileMediaStore readOnly(root);
        if (readOnly.open(key)->read(0, 10) != "rose" || readOnly.list("", 10).size() != 1)
            return 1;
        const std::vector<MediaContent> contents{{"x", ImageType::Jpeg}};
        try {
            readOnly.put(contents);
            return 2;
        } catch (const MediaStoreError& failure) {
            if (failure.kind() != MediaStoreError::Kind::ReadOnly)
                return 3;
        }
        try {
            readOnly.remove(key);
            return 4;
        } catch (const MediaStoreError& failure) {
            return failure.kind() == MediaStoreError::Kind::ReadOnly ? OK : 5;
        }
    });
    if (code == SKIPPED)
        throw Skip("no right to mount");
    CPPUNIT_ASSERT_EQUAL(OK, code);
}

TEST(FileMediaStoreTest, manyThreadsStoreAtOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([this] {
            for (int turn = 0; turn < 25; ++turn) {
                const auto key = put("x");
                if (turn % 5 == 0)
                    _store.remove(key);
            }
        });
    for (auto& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(std::size_t{8 * 20}, _store.list("", 1000).size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, filesBelow(_directory / "root" / ".unfinished"));
}

TEST(FileMediaStoreTest, unreachableRootIsReported) {
    writeWholeFile(_directory / "file", "x");
    CPPUNIT_ASSERT_THROW(FileMediaStore(_directory / "file" / "root"), MediaStoreError);
}

TEST(FileMediaStoreTest, aRootIsMadeByItsMarkOnly) {
    const auto root = _directory / "new" / "root";
    FileMediaStore store(root);
    CPPUNIT_ASSERT_EQUAL(std::string(), store.mark());
    CPPUNIT_ASSERT(store.list("", 10).empty());
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, store.countUnfinished(0ms));
    const auto key = put("rose");
    CPPUNIT_ASSERT(!store.open(key));
    CPPUNIT_ASSERT(!store.remove(key));
    CPPUNIT_ASSERT_THROW(store.put(std::vector<MediaContent>{{"x", ImageType::Jpeg}}), MediaStoreError);
    CPPUNIT_ASSERT(!std::filesystem::exists(root.parent_path()));
    store.setMark("mine");
    CPPUNIT_ASSERT_EQUAL(std::string("mine"), FileMediaStore(root).mark());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.put(std::vector<MediaContent>{{"x", ImageType::Jpeg}}).size());
}

TEST(FileMediaStoreTest, whatRootStoresBelongsToTheOwnerOfTheStore) {
    if (::geteuid() != 0)
        return; // nobody else can give files away
    constexpr uid_t SOMEBODY = 12'345;
    CPPUNIT_ASSERT_EQUAL(0, ::chown((_directory / "root").c_str(), SOMEBODY, SOMEBODY));
    FileMediaStore store(_directory / "root");
    store.setMark("mine");
    store.put(std::vector<MediaContent>{{"x", ImageType::Jpeg}});
    for (const auto& entry : std::filesystem::recursive_directory_iterator(_directory / "root")) {
        struct stat status {};
        CPPUNIT_ASSERT_EQUAL(0, ::lstat(entry.path().c_str(), &status));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(entry.path().string(), SOMEBODY, status.st_uid);
    }
}

} // namespace supplierd::tests
