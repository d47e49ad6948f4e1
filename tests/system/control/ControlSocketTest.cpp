#include "tests/host/ctl/OtherUser.h"
#include "tests/support/Control.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/RunningServer.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Who may use the Unix socket of supplierctl, and whom the audit log names.
class ControlSocketTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _socket = _directory / "c.sock";
        _fixture = std::make_unique<ServerFixture>(optionsWith("control_socket = \"" + _socket.string() + "\"\n"));
    }

protected:
    static constexpr uid_t STRANGER = 65'533;

    static ServerOptions optionsWith(const std::string& server) {
        return {.plugins = {"categories", "catalog", "platform"}, .configuration = "[server]\n" + server};
    }

    ServerProcess& server() { return _fixture->server(); }

    /// curl over the socket; the body.
    std::string ask(const std::string& path, std::vector<std::string> arguments = {}) const {
        arguments.insert(arguments.begin(), {"/usr/bin/curl", "-sS", "--unix-socket", _socket.string()});
        arguments.push_back("http://localhost" + path);
        return runCommand({.arguments = std::move(arguments)}).output;
    }

    std::string lastActor() {
        return _fixture->database().text("SELECT actor FROM audit_log ORDER BY id DESC LIMIT 1");
    }

    /// supplierctl as another user, with no configuration but the socket's.
    CommandResult runAs(uid_t user, std::vector<std::string> words) const {
        auto command = asUser(user);
        const auto config = (_directory / "client.toml").string();
        command.insert(command.end(),
                       {"env", "HOME=/nonexistent", ServerProcess::controlProgram(), "--config", config});
        command.insert(command.end(), words.begin(), words.end());
        return runCommand({.arguments = std::move(command)});
    }

    void writeClientConfiguration() const {
        const auto config = _directory / "client.toml";
        writeWholeFile(config, "[server]\ncontrol_socket = \"" + _socket.string() + "\"\n");
        std::filesystem::permissions(config, std::filesystem::perms(0644));
        std::filesystem::permissions(_directory.path(), std::filesystem::perms(0755));
    }

    /// Of another server with this one's path; nothing is left beside it.
    void requireRefusedStart(const std::string& reason) const {
        ServerFixture other(ServerProcess::NotStarted(),
                            optionsWith("control_socket = \"" + _socket.string() + "\"\n"));
        other.server().migrate();
        other.server().launch();
        CPPUNIT_ASSERT_EQUAL(1, other.server().process().waitFor(std::chrono::seconds(30)).value_or(-1));
        requireIn(reason, other.server().log());
        const auto files = std::filesystem::directory_iterator(_directory.path());
        CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, std::distance(begin(files), end(files)));
    }

    TemporaryDirectory _directory{"control"};
    std::filesystem::path _socket;
    std::unique_ptr<ServerFixture> _fixture;
};

TEST(ControlSocketTest, theCallerIsWhomTheKernelNames) {
    controlJson(server(), {"supplier", "add", "Bloom"});
    CPPUNIT_ASSERT_EQUAL(std::string("local: root"), lastActor());
}

TEST(ControlSocketTest, nothingThatARequestSaysMakesSomebodyElseOfIt) {
    const auto key = server().createKey(server().createSupplier("Rozenhof"));
    const auto answer =
        ask("/api/v1/platform/suppliers", {"-H", "Authorization: Bearer " + key, "-H", "X-Forwarded-For: 9.9.9.9", "-H",
                                           "Content-Type: application/json", "-d", R"({"name": "Bloom"})"});
    requireIn("\"success\":true", answer);
    CPPUNIT_ASSERT_EQUAL(std::string("local: root"), lastActor());
    requireIn("Only the operators' API is served at the control socket", ask("/api/v1/supplier/me"));
}

TEST(ControlSocketTest, thereIsNoRateLimit) {
    const auto head = ask("/api/v1/platform/suppliers", {"-D", "-", "-o", "/dev/null"});
    requireIn("200 OK", head);
    CPPUNIT_ASSERT(head.find("X-RateLimit") == std::string::npos);
}

TEST(ControlSocketTest, rootMayActForWhoCalledSudo) {
    const auto result = runCommand({.arguments = {ServerProcess::controlProgram(), "--config",
                                                  server().configFile().string(), "supplier", "add", "Bloom"},
                                    .environment = {{"SUDO_USER", "alice"}}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("local: alice"), lastActor());
}

TEST(ControlSocketTest, aUserOutsideOfTheGroupIsNotAllowed) {
    if (::geteuid() != 0)
        throw Skip("only root can run something as another user");
    writeClientConfiguration();
    if (!isReachableBy(STRANGER, _directory.path()))
        throw Skip("another user cannot reach the checkout or the temporary folder");
    const auto result = runAs(STRANGER, {"supplier", "list"});
    CPPUNIT_ASSERT_EQUAL(4, result.exitCode);
    requireIn("not allowed: " + _socket.string() + " is for root and the members of its group", result.errors);
}

TEST(ControlSocketTest, aMemberOfTheGroupIsNamedAndIsNobodyElse) {
    if (::geteuid() != 0)
        throw Skip("only root can run something as another user");
    writeClientConfiguration();
    if (!isReachableBy(STRANGER, _directory.path()))
        throw Skip("another user cannot reach the checkout or the temporary folder");
    CPPUNIT_ASSERT_EQUAL(0, ::chown(_socket.c_str(), static_cast<uid_t>(-1), STRANGER)); // its group
    auto command = asUser(STRANGER);
    command.insert(command.end(), {"/usr/bin/curl", "-sS", "--unix-socket", _socket.string(), "-H",
                                   "X-Local-User: root", "-H", "Content-Type: application/json", "-d",
                                   R"({"name": "Bloom"})", "http://localhost/api/v1/platform/suppliers"});
    requireIn("\"success\":true", runCommand({.arguments = command}).output);
    CPPUNIT_ASSERT_EQUAL(std::string("local: 65533"), lastActor());
}

TEST(ControlSocketTest, aHandOverLeavesNoMomentWithoutASocket) {
    RunningServer running(server());
    std::atomic<bool> isReplaced{false};
    auto clients = std::async(std::launch::async, [&] {
        std::string failures;
        for (int round = 0; round < 300 && !isReplaced; ++round)
            if (const auto result = runControl(server(), {"supplier", "list"}); result.exitCode != 0)
                failures += result.errors;
        return failures;
    });
    running.handOver();
    isReplaced = true;
    CPPUNIT_ASSERT_EQUAL(std::string(), clients.get());
    CPPUNIT_ASSERT_EQUAL(0, runControl(server(), {"supplier", "list"}).exitCode);
}

TEST(ControlSocketTest, aSecondServerDoesNotTakeThePathOfTheFirst) {
    requireRefusedStart("another server uses it, process " + std::to_string(server().pid()));
    CPPUNIT_ASSERT_EQUAL(0, runControl(server(), {"supplier", "list"}).exitCode);
    server().kill(); // it leaves the socket, at which nobody listens
    CPPUNIT_ASSERT(std::filesystem::exists(_socket));
    server().start();
    CPPUNIT_ASSERT_EQUAL(0, runControl(server(), {"supplier", "list"}).exitCode);
}

TEST(ControlSocketTest, onlyASocketIsReplaced) {
    server().stop();
    writeWholeFile(_socket, "a letter");
    requireRefusedStart("something is there that is no socket");
    CPPUNIT_ASSERT_EQUAL(std::string("a letter"), readWholeFile(_socket));
    std::filesystem::remove(_socket);
    std::filesystem::create_directory(_socket);
    requireRefusedStart("something is there that is no socket");
    CPPUNIT_ASSERT(std::filesystem::is_directory(_socket));
}

TEST(ControlSocketTest, theEndOfAServerRemovesNoSocketOfAnother) {
    const auto moved = _directory / "moved.sock";
    std::filesystem::rename(_socket, moved);
    ServerFixture other(optionsWith("control_socket = \"" + _socket.string() + "\"\n"));
    server().stop();
    CPPUNIT_ASSERT_EQUAL(0, runControl(other.server(), {"supplier", "list"}).exitCode);
}

TEST(ControlSocketTest, withoutAServerOneSentenceSaysSoAndWhatStartsIt) {
    server().stop();
    CPPUNIT_ASSERT(!std::filesystem::exists(_socket));
    const auto result = runControl(server(), {"supplier", "list"});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    CPPUNIT_ASSERT_EQUAL("supplierctl: no server runs here (nobody answers at " + _socket.string() +
                             "); start it with: systemctl start supplierd\n",
                         result.errors);
    requireIn("Usage: supplierctl supplier list", runControl(server(), {"supplier", "list", "--help"}).output);
}

TEST(ControlSocketTest, aGroupThatDoesNotExistKeepsTheServerFromStarting) {
    ServerFixture other(ServerProcess::NotStarted(),
                        optionsWith("control_socket = \"" + _socket.string() + "2\"\ncontrol_group = \"florists\"\n"));
    other.server().migrate();
    other.server().launch();
    CPPUNIT_ASSERT_EQUAL(1, other.server().process().waitFor(std::chrono::seconds(30)).value_or(-1));
    requireIn("there is no group 'florists' (server.control_group)", other.server().log());
}

} // namespace supplierd::tests
