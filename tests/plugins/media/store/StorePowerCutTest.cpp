#include "FileMediaStore.h"
#include "PrivateMounts.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <sys/wait.h>
#include <unistd.h>

namespace supplierd::tests {

using media::FileMediaStore;
using media::ImageType;
using media::MediaContent;

namespace {

constexpr int ROUNDS = 10;
constexpr int RESULT_OK = 0;
constexpr int LOST = 1;
constexpr int FAILED = 2;
constexpr int RESULT_SKIPPED = 77;

/// Whether both files are there, whole, on the disk as it is now.
bool hasAfterPowerCut(FileSystemInFile& disk, const std::vector<std::string>& keys, const std::string& content) {
    const auto mounted = disk.afterPowerCut();
    if (mounted.empty())
        return false;
    bool there = true;
    for (const auto& key : keys)
        there = there && readWholeFile(mounted / "media" / key) == content;
    disk.release();
    return there;
}

int storeAndCut(const std::filesystem::path& folder) {
    FileSystemInFile disk(folder);
    if (!enterPrivateMounts() || !disk.mount())
        return RESULT_SKIPPED;
    FileMediaStore store(disk.root() / "media");
    store.setMark("mine");
    const std::string content(50'000, 'x');
    const std::vector<MediaContent> contents{{content, ImageType::Jpeg}, {content, ImageType::Webp}};
    for (int round = 0; round < ROUNDS; ++round)
        if (!hasAfterPowerCut(disk, store.put(contents), content))
            return LOST;
    return RESULT_OK;
}

} // namespace

class StorePowerCutTest : public CppUnit::TestFixture {};

TEST(StorePowerCutTest, everyFileThatWasAnsweredIsThereAfterAPowerCut) {
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
    if (WEXITSTATUS(status) == RESULT_SKIPPED)
        throw Skip("no right to mount a loop device");
    CPPUNIT_ASSERT_EQUAL(RESULT_OK, WEXITSTATUS(status));
}

} // namespace supplierd::tests
