#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace supplierd::tests {

/// media verify, over a library that finds what it is told to; the real one has tests of its own.
class MediaCommandTest : public MigratedControlFixture {
protected:
    std::vector<std::string> plugins() const override { return {}; }
    std::vector<std::filesystem::path> pluginFiles() const override { return {SUPPLIERD_TEST_LIBRARY_PLUGIN}; }

    CommandResult verify(const std::string& script, const std::vector<std::string>& options = {}) {
        std::vector<std::string> arguments = {"media", "verify"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run(arguments, {{"SUPPLIERD_TEST_LIBRARY", script}});
    }
};

TEST(MediaCommandTest, cleanLibraryIsGood) {
    const auto result = verify("clean");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("6 images and 12 files seen, nothing is wrong\n"), result.output);
    CPPUNIT_ASSERT_EQUAL(0, verify("clean", {"--repair"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string(), audited());
}

TEST(MediaCommandTest, findingsAreListedAndFail) {
    const auto result = verify("wrong");
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("file 3f/a0/x.jpg: no image has it\n"
                                     "file 3f/a0/y.jpg: no image has it\n"
                                     "... and 1 more\n"
                                     "6 images and 12 files seen: 2 files without an image, 1 image without its "
                                     "file\n"
                                     "mend that with: supplierctl media verify --repair\n"),
                         result.output);
    CPPUNIT_ASSERT_EQUAL(std::string(), audited());
}

TEST(MediaCommandTest, repairIsToldAndAudited) {
    const auto result = verify("wrong", {"--repair"});
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    requireIn("\nall mended, 4096 bytes freed\n", result.output);
    CPPUNIT_ASSERT_EQUAL(
        std::string(R"(media.repair media 0 - - {"orphan_files":2,"broken_images":1,"repaired":3,"bytes_freed":4096})"
                    "\n"),
        audited());
    requireIn("media.repair", runWell({"audit", "--object", "media"}));
}

TEST(MediaCommandTest, whatCannotBeMendedFails) {
    const auto result = verify("stubborn", {"--repair"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("\n1 of 3 mended, 4096 bytes freed\n", result.output);
    requireIn("\"repaired\":1", audited());
}

TEST(MediaCommandTest, findingsAreAnObjectWithJson) {
    const auto result = verify("wrong", {"--json"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    const auto answer = Json::parse(result.output);
    CPPUNIT_ASSERT(!answer.at("good").get<bool>() && answer.at("stop_reason").is_null());
    CPPUNIT_ASSERT_EQUAL(2, answer.at("orphan_files").get<int>());
    CPPUNIT_ASSERT_EQUAL(1, answer.at("broken_images").get<int>());
    CPPUNIT_ASSERT_EQUAL(0, answer.at("unfinished_files").get<int>());
    CPPUNIT_ASSERT_EQUAL(0, answer.at("repaired").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, answer.at("findings").size());
    const auto mended = Json::parse(verify("wrong", {"--json", "--repair"}).output);
    CPPUNIT_ASSERT(mended.at("good").get<bool>());
    CPPUNIT_ASSERT_EQUAL(4096, mended.at("bytes_freed").get<int>());
}

TEST(MediaCommandTest, interruptedLookIsNoGoodNews) {
    const auto begun = server().directory() / "begun";
    const auto output = server().directory() / "output";
    ChildProcess process(
        {.arguments = {ServerProcess::controlProgram(), "--config", configFile(), "media", "verify", "--json"},
         .environment = {{"SUPPLIERD_TEST_LIBRARY", "endless"}, {"SUPPLIERD_TEST_BEGUN", begun}},
         .output = output});
    while (!std::filesystem::exists(begun)) {
        CPPUNIT_ASSERT(process.isRunning());
        std::this_thread::yield();
    }
    process.signal(SIGINT);
    CPPUNIT_ASSERT_EQUAL(1, process.waitFor(std::chrono::minutes(1)).value_or(-1));
    const auto answer = Json::parse(readWholeFile(output));
    CPPUNIT_ASSERT_EQUAL(std::string("interrupted"), answer.at("stop_reason").get<std::string>());
    CPPUNIT_ASSERT(!answer.at("good").get<bool>());
}

TEST(MediaCommandTest, unreadableStoreIsTold) {
    const auto result = verify("unreadable");
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("the media root cannot be read", result.errors);
    CPPUNIT_ASSERT_EQUAL(std::string(), audited());
}

TEST(MediaCommandTest, brokenOffRepairIsAudited) {
    const auto result = verify("unreadable", {"--repair"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("the media root cannot be read", result.errors);
    CPPUNIT_ASSERT_EQUAL(std::string("media.repair media 0 - - {\"broken_off\":\"the media root cannot be read\"}\n"),
                         audited());
}

TEST(MediaCommandTest, progressIsShownOnATerminalOnly) {
    CPPUNIT_ASSERT_EQUAL(std::string(), verify("clean").errors);
    const auto command = ServerProcess::controlProgram().string() + " -c " + configFile().string() + " media verify";
    const auto result = runCommand({.arguments = {"script", "-qec", command, "/dev/null"},
                                    .environment = {{"TERM", "xterm"}, {"SUPPLIERD_TEST_LIBRARY", "clean"}}});
    CPPUNIT_ASSERT_EQUAL(0, result.exitCode);
    requireIn("] 0 of 6 files", result.output);
    requireIn("] 0 of 6 images", result.output);
    CPPUNIT_ASSERT_MESSAGE(result.output,
                           result.output.ends_with("\r\033[K6 images and 12 files seen, nothing is wrong\r\n"));
}

TEST(MediaCommandTest, missingPluginIsTold) {
    std::filesystem::remove(server().pluginsEnabled() / "test-library.so");
    const auto errors = runBadly({"media", "verify"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("supplierctl plugin enable media") != std::string::npos ||
                                       errors.find("supplierd.media-library/1") != std::string::npos);
    runBadly({"media"}, 2);
    requireIn("did you mean '--repair'", runBadly({"media", "verify", "--repiar"}, 2));
}

TEST(MediaCommandTest, helpSaysWhatIsMended) {
    const auto help = runWell({"media", "verify", "--help"});
    requireIn("--repair", help);
    requireIn("Exit code 1", help);
}

TEST(MediaCommandTest, moveTellsWhatItCopiedAndIsAudited) {
    const auto result = run({"media", "move", "--to", "s3"}, {{"SUPPLIERD_TEST_LIBRARY", "move"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("6 files seen, 3 copied (3000 bytes), 3 there already\nnext: empty it for s3\n"),
                         result.output);
    CPPUNIT_ASSERT_EQUAL(std::string(R"(media.move media 0 - - {"to":"s3","files":6,"copied":3,"copied_bytes":3000,)"
                                     "\"removed\":0}\n"),
                         audited());
}

TEST(MediaCommandTest, moveThatFindsAllThereIsNotAudited) {
    CPPUNIT_ASSERT_EQUAL(0, run({"media", "move", "--to", "folder"}, {}).exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string(), audited());
}

TEST(MediaCommandTest, moveIsAnObjectWithJson) {
    const auto result = run({"media", "move", "--json", "--to", "s3", "--clean"}, {{"SUPPLIERD_TEST_LIBRARY", "move"}});
    const auto answer = Json::parse(result.output);
    CPPUNIT_ASSERT(answer.at("complete").get<bool>() && answer.at("stop_reason").is_null());
    CPPUNIT_ASSERT_EQUAL(std::string("s3"), answer.at("to").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(3, answer.at("copied").get<int>());
    CPPUNIT_ASSERT_EQUAL(6, answer.at("removed").get<int>());
    CPPUNIT_ASSERT(answer.at("next").is_null());
}

TEST(MediaCommandTest, interruptedMoveFails) {
    const auto begun = server().directory() / "begun";
    const auto output = server().directory() / "output";
    ChildProcess process(
        {.arguments = {ServerProcess::controlProgram(), "--config", configFile(), "media", "move", "--to", "s3"},
         .environment = {{"SUPPLIERD_TEST_LIBRARY", "endless"}, {"SUPPLIERD_TEST_BEGUN", begun}},
         .output = output});
    while (!std::filesystem::exists(begun)) {
        CPPUNIT_ASSERT(process.isRunning());
        std::this_thread::yield();
    }
    process.signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(1, process.waitFor(std::chrono::minutes(1)).value_or(-1));
    requireIn("stopped: interrupted; run it again to go on\n", readWholeFile(output));
}

TEST(MediaCommandTest, moveNeedsToKnowWhereTo) {
    runBadly({"media", "move"}, 2);
    runBadly({"media", "move", "--to", "tape"}, 2);
    requireIn("--clean", runWell({"media", "move", "--help"}));
}

} // namespace supplierd::tests
