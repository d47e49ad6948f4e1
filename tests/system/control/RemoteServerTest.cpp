#include "tests/support/Control.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"
#include "tests/support/Texts.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The commands of supplierctl from anybody's laptop: by HTTPS, with an operator's key.
class RemoteServerTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        const auto certificate = _authority.issue("server", "IP:127.0.0.1");
        _fixture = std::make_unique<ServerFixture>(
            ServerOptions{.plugins = {"categories", "catalog", "platform"},
                          .configuration = "[server]\ntls_certificate = \"" + certificate.chain.string() +
                                           "\"\ntls_key = \"" + certificate.key.string() + "\"\n"});
        _key = _fixture->server().createOperatorKey();
        writeWholeFile(_keyFile, _key + "\n");
        std::filesystem::permissions(_keyFile, std::filesystem::perms(0600));
    }

protected:
    std::string url() const { return _fixture->server().rootUrl(); }

    CommandResult run(std::vector<std::string> words, std::map<std::string, std::string> environment = {}) const {
        words.insert(words.begin(), ServerProcess::controlProgram().string());
        environment.emplace("XDG_CONFIG_HOME", _directory.path().string());
        environment.emplace("SUPPLIERD_CONFIG", "/nonexistent");
        return runCommand({.arguments = std::move(words), .environment = std::move(environment)});
    }

    void requireEnd(int code, const std::string& said, const CommandResult& result) const {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, code, result.exitCode);
        requireIn(said, result.output + result.errors);
        CPPUNIT_ASSERT(result.errors.find(_key) == std::string::npos);
    }

    TestAuthority _authority;
    TemporaryDirectory _directory{"laptop"};
    std::unique_ptr<ServerFixture> _fixture;
    std::string _key;
    const std::string _keyFile = (_directory / "key").string();
};

TEST(RemoteServerTest, theSameCommandsWorkWithAKeyFile) {
    const std::vector<std::string> where = {"--server", url(),       "--key-file",
                                            _keyFile,   "--ca-file", _authority.certificate()};
    auto add = where;
    add.insert(add.end(), {"supplier", "add", "Bloom", "--verified"});
    requireEnd(0, "supplier 1 added, verified", run(add));
    auto list = where;
    list.insert(list.end(), {"supplier", "list"});
    requireEnd(0, "Bloom", run(list));
    CPPUNIT_ASSERT_EQUAL(_key.substr(0, 11),
                         _fixture->database().text("SELECT actor FROM audit_log ORDER BY id DESC LIMIT 1"));
}

TEST(RemoteServerTest, theEnvironmentServesAsWell) {
    requireEnd(
        0, "There are no suppliers",
        run({"supplier", "list"},
            {{"SUPPLIERD_SERVER", url()}, {"SUPPLIERD_KEY", _key}, {"SUPPLIERD_CA_FILE", _authority.certificate()}}));
}

TEST(RemoteServerTest, aProfileNamesServerKeyAndAuthority) {
    std::filesystem::create_directory(_directory / "supplierd");
    writeWholeFile(_directory / "supplierd/profiles.toml", "[market]\nserver = \"" + url() +
                                                               "\"\nkey_file = \"../key\"\nca_file = \"" +
                                                               _authority.certificate() + "\"\n");
    requireEnd(0, "There are no suppliers", run({"--profile", "market", "supplier", "list"}));
    requireEnd(2, "there is no profile [other]", run({"--profile", "other", "supplier", "list"}));
}

TEST(RemoteServerTest, whoNamesAnotherServerNeverReachesThisMachines) {
    std::filesystem::create_directory(_directory / "supplierd");
    writeWholeFile(_directory / "supplierd/profiles.toml",
                   "[empty]\n[mistyped]\nserver = \"https://market.example\"\nkeyfile = \"key\"\n");
    requireEnd(2, "[empty] in", run({"--profile", "empty", "supplier", "list"}));
    requireEnd(2, "'keyfile' is not one of", run({"--profile", "mistyped", "supplier", "list"}));
    requireEnd(2, "name it with --server", run({"--key-file", _keyFile, "supplier", "list"}));
    requireEnd(2, "either --server or --profile", run({"--server", url(), "--profile", "empty", "supplier", "list"}));
    for (const std::string command : {"doctor", "status", "migrate"})
        requireEnd(2, "is about what is installed on this machine", run({"--server", url(), command}));
    requireEnd(2, "takes no user", run({"--server", "https://me:secret@market.example", "supplier", "list"}));
    requireEnd(2, "cannot read the certificates",
               run({"--server", url(), "--key-file", _keyFile, "--ca-file", "/nonexistent", "supplier", "list"}));
    requireEnd(
        2, "there is no command 'supplierctl supplier lst'",
        run({"--server", url(), "--key-file", _keyFile, "--ca-file", _authority.certificate(), "supplier", "lst"}));
}

TEST(RemoteServerTest, anAuthorityThatNobodyVouchesForIsRefused) {
    requireEnd(1, "certificate", run({"--server", url(), "--key-file", _keyFile, "supplier", "list"}));
}

TEST(RemoteServerTest, aWrongKeyIsNotAllowed) {
    writeWholeFile(_keyFile, "ok_aaaaaaaa_" + std::string(43, 'b') + "\n");
    requireEnd(
        4, "not allowed: ",
        run({"--server", url(), "--key-file", _keyFile, "--ca-file", _authority.certificate(), "supplier", "list"}));
}

TEST(RemoteServerTest, aKeyThatOthersMayReadIsNotUsed) {
    std::filesystem::permissions(_keyFile, std::filesystem::perms(0644));
    requireEnd(4, "others may read " + _keyFile, run({"--server", url(), "--key-file", _keyFile, "supplier", "list"}));
}

TEST(RemoteServerTest, aKeyDoesNotCrossANetworkInClear) {
    requireEnd(2, "--server needs an address like https://api.market.example",
               run({"--server", "http://api.market.example", "--key-file", _keyFile, "supplier", "list"}));
}

TEST(RemoteServerTest, aKeyInTheWrongPlaceIsNotRepeated) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"--server", url(), "--key-file", _key, "supplier", "list"},
                                               {"--server", _key, "supplier", "list"},
                                               {"--profile", _key, "supplier", "list"}})
        requireEnd(2, "supplierctl: ", run(words));
}

TEST(RemoteServerTest, aWholeKeyOnTheCommandLineIsRefusedAndNotRepeated) {
    requireEnd(
        2, "never by the whole",
        run({"--server", url(), "--key-file", _keyFile, "--ca-file", _authority.certificate(), "key", "revoke", _key}));
}

/// Of a later minor: a member that this supplierctl does not know, a row that it cannot make a command of, and fields
/// that it does not show.
TEST(RemoteServerTest, aServerOfAnotherVersionIsUsedAsFarAsItCan) {
    LoopbackOrigin later([](OriginConnection& connection) {
        const bool asksForCommands = connection.target().find("/commands") != std::string::npos;
        connection.answer("200 OK",
                          asksForCommands ? R"({"success": true, "data": {"server": {"version": "9.9.0"}, "commands": [
            {"name": "bulb list", "help": "List bulbs", "method": "GET", "path": "/bulbs", "inputs": [],
             "columns": [["name", "NAME"]], "sounds": "a bell"},
            {"name": "bulb sing", "method": 7, "inputs": {"of": "another shape"}},
            {"name": ["bulb", "dance"]}]}})"
                                          : R"({"success": true, "data": {"bulbs": [{"name": "Tulipa", "scent": 3}]}})",
                          "Content-Type: application/json\r\n");
    });
    const std::string url = "http://127.0.0.1:" + std::to_string(later.port());
    requireEnd(0, "Tulipa", run({"--server", url, "--key-file", _keyFile, "bulb", "list"}));
    requireEnd(2, "bulb", run({"--server", url, "--key-file", _keyFile, "bulb", "sing"}));
}

} // namespace supplierd::tests
