#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <filesystem>
#include <string>

namespace supplierd::tests {

/// What suppliers do with the clients that packaging/clients makes of a server's document: `run` beside this file.
class ClientsTest : public CppUnit::TestFixture {
protected:
    static ServerFixture& server() {
        static const TemporaryDirectory folder("media");
        static ServerFixture shared(
            {.plugins = apiPlugins(),
             .configuration = "[plugins.media]\nroot = \"" + (folder / "files").string() + "\"\n"});
        return shared;
    }

    static void requireClientWorks(const std::string& language) {
        static const TemporaryDirectory built("clients");
        static const SupplierClient supplier({}, server());
        const std::filesystem::path modules = std::filesystem::path(SUPPLIERD_NPM_FOLDER) / "node_modules";
        const auto result =
            runCommand({.arguments = {sourcePath("tests/clients/run"), server().server().rootUrl(), supplier.key(),
                                      language, "--built", built.path().string(), "--node-modules", modules.string()}},
                       std::chrono::minutes(5));
        if (result.exitCode == 77)
            throw Skip(result.output);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    }
};

TEST(ClientsTest, clientInTypeScriptDoesADayOfASupplier) {
    requireClientWorks("typescript");
}

TEST(ClientsTest, clientInPhpDoesADayOfASupplier) {
    requireClientWorks("php");
}

TEST(ClientsTest, clientInPythonDoesADayOfASupplier) {
    requireClientWorks("python");
}

TEST(ClientsTest, collectionsHaveEveryRequestOfTheDocument) {
    requireClientWorks("collections");
}

} // namespace supplierd::tests
