#include "FileMediaStore.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"

#include <cppunit/extensions/HelperMacros.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace supplierd::tests {

using media::FileMediaStore;
using media::ImageType;
using media::MediaContent;

namespace {

constexpr int ROUNDS = 10;
constexpr int OK = 0;
constexpr int LOST = 1;
constexpr int FAILED = 2;
constexpr int SKIPPED = 77;

bool succeeds(std::vector<std::string> command) {
    try {
        return runCommand({.arguments = std::move(command)}).exitCode == 0;
    } catch (const std::exception&) {
        return false;
    }
}

/// A file system in a file, whose copy is what a power cut at that moment leaves on the disk.
class FileSystemInFile {
public:
    explicit FileSystemInFile(std::filesystem::path folder) : _folder(std::move(folder)) {
        for (const auto* const mountPoint : {"present", "after"})
            std::filesystem::create_directory(_folder / mountPoint);
    }

    bool mount() {
        const auto image = (_folder / "image").string();
        return succeeds({"truncate", "-s", "16M", image}) && succeeds({"mkfs.ext4", "-q", "-F", image}) &&
               succeeds({"mount", "-o", "loop", image, root().string()});
    }
    std::filesystem::path root() const { return _folder / "present"; }

    /// Whether both files are there, whole, on the disk as it is now.
    bool hasAfterPowerCut(const std::vector<std::string>& keys, const std::string& content) const {
        const auto copy = (_folder / "copy").string();
        const auto mountPoint = _folder / "after";
        if (!succeeds({"cp", "--sparse=always", (_folder / "image").string(), copy}) ||
            !succeeds({"mount", "-o", "loop", copy, mountPoint.string()}))
            return false;
        bool there = true;
        for (const auto& key : keys)
            there = there && readWholeFile(mountPoint / "media" / key) == content;
        return succeeds({"umount", mountPoint.string()}) && there;
    }

private:
    std::filesystem::path _folder;
};

int storeAndCut(const std::filesystem::path& folder) {
    FileSystemInFile disk(folder);
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        !disk.mount())
        return SKIPPED;
    FileMediaStore store(disk.root() / "media");
    const std::string content(50'000, 'x');
    const std::vector<MediaContent> contents{{content, ImageType::Jpeg}, {content, ImageType::Webp}};
    for (int round = 0; round < ROUNDS; ++round)
        if (!disk.hasAfterPowerCut(store.put(contents), content))
            return LOST;
    return OK;
}

} // namespace

class StorePowerCutTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(StorePowerCutTest);
    CPPUNIT_TEST(testEveryFileThatWasAnsweredIsThereAfterAPowerCut);
    CPPUNIT_TEST_SUITE_END();

    void testEveryFileThatWasAnsweredIsThereAfterAPowerCut() {
        const TemporaryDirectory folder("power-cut");
        const pid_t child = ::fork(); // takes its mounts with it
        if (child == 0) {
            try {
                ::_exit(storeAndCut(folder.path()));
            } catch (const std::exception&) {
                ::_exit(FAILED);
            }
        }
        int status = 0;
        CPPUNIT_ASSERT_EQUAL(child, ::waitpid(child, &status, 0));
        CPPUNIT_ASSERT(WIFEXITED(status));
        if (WEXITSTATUS(status) == SKIPPED)
            std::printf("skipped, no right to mount a loop device ... ");
        else
            CPPUNIT_ASSERT_EQUAL(OK, WEXITSTATUS(status));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(StorePowerCutTest);

} // namespace supplierd::tests
