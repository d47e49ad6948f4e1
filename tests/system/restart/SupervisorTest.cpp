#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RunningServer.h"
#include "tests/system/restart/SocketHolder.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// NOTIFY_SOCKET as systemd has it.
class NotifySocket {
public:
    explicit NotifySocket(std::filesystem::path path)
        : _path(std::move(path)), _socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, _path.c_str(), sizeof address.sun_path - 1);
        CPPUNIT_ASSERT_EQUAL(0, ::bind(_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    }
    ~NotifySocket() { ::close(_socket); }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    std::string path() const { return _path; }
    /// The next message that has this line.
    std::string waitFor(const std::string& line) const {
        while (true) {
            pollfd waited{_socket, POLLIN, 0};
            CPPUNIT_ASSERT_MESSAGE("no " + line, ::poll(&waited, 1, 60'000) > 0);
            std::array<char, 4096> buffer{};
            const auto size = ::recv(_socket, buffer.data(), buffer.size(), 0);
            const std::string message(buffer.data(), static_cast<std::size_t>(size));
            if (("\n" + message + "\n").find("\n" + line) != std::string::npos)
                return message;
        }
    }

private:
    std::filesystem::path _path;
    int _socket;
};

/// The protocols of systemd, without it.
class SupervisorTest : public CppUnit::TestFixture {
protected:
    static ServerOptions notified(const NotifySocket& notify) {
        auto options = probed();
        options.environment = {{"NOTIFY_SOCKET", notify.path()}};
        return options;
    }

    static CommandResult check(const ServerProcess& server, const ServerOptions& options) {
        return runCommand({.arguments = {ServerProcess::serverProgram(), "--check-config",
                                         "--config=" + server.configFile().string()},
                           .environment = options.environment});
    }

    TestDatabase _database;
};

TEST(SupervisorTest, readyAndStoppingAreTold) {
    const TemporaryDirectory folder("notify");
    const NotifySocket notify(folder / "socket");
    ServerProcess server(ServerProcess::NotStarted{}, _database, notified(notify));
    server.migrate();
    server.launch();
    const auto ready = notify.waitFor("READY=1\n");
    CPPUNIT_ASSERT_MESSAGE(ready, ready.find("STATUS=serving 1 plugin at http://127.0.0.1:") != std::string::npos);
    server.process().signal(SIGTERM);
    notify.waitFor("STOPPING=1\n");
    CPPUNIT_ASSERT_EQUAL(0, server.process().waitFor(60s).value_or(-1));
}

TEST(SupervisorTest, successorIsToldAsTheMainProcess) {
    const TemporaryDirectory folder("notify");
    const NotifySocket notify(folder / "socket");
    ServerProcess server(_database, notified(notify));
    notify.waitFor("READY=1\n");
    {
        RunningServer running(server);
        running.handOver();
        notify.waitFor("RELOADING=1\n");
        notify.waitFor("MAINPID=" + std::to_string(running.pid()) + "\nREADY=1\n");
    }
    notify.waitFor("STOPPING=1\n"); // the successor's
}

TEST(SupervisorTest, passedSocketIsFoundByItsAddress) {
    const SocketHolder holder("supplierd.socket");
    ServerProcess server(ServerProcess::NotStarted{}, _database,
                         probed("[server]\nlisten = \"" + holder.address() + "\"\n"));
    server.migrate();
    ChildProcess running(holder.command(server));
    const auto key = server.createKey(server.createSupplier("Rozenhof"));
    requireStatus(200, HttpClient(holder.url(), key).get("/test/whoami"));
    running.signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL(0, running.waitFor(60s).value_or(-1));
}

TEST(SupervisorTest, passedSocketThatIsForNothingIsRefused) {
    const SocketHolder holder("supplierd.socket");
    const ServerProcess server(ServerProcess::NotStarted{}, _database, probed());
    ChildProcess running(holder.command(server));
    CPPUNIT_ASSERT_EQUAL(1, running.waitFor(60s).value_or(-1));
    const auto log = server.log();
    CPPUNIT_ASSERT_MESSAGE(log, log.find("listens on " + holder.address()) != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(log, log.find("FileDescriptorName=api") != std::string::npos);
}

TEST(SupervisorTest, passwordIsReadFromTheCredentials) {
    const TemporaryDirectory credentials("credentials");
    writeWholeFile(credentials / "database-password", "a password\n");
    auto options = probed("[database]\npassword_file = \"/nowhere/database-password\"\n");
    options.environment = {{"CREDENTIALS_DIRECTORY", credentials.path()}};
    const ServerProcess server(ServerProcess::NotStarted{}, _database, options);
    CPPUNIT_ASSERT_EQUAL(0, check(server, options).exitCode);
    writeWholeFile(credentials / "database-password", "\n"); // a blank one is none
    const auto without = check(server, options);
    CPPUNIT_ASSERT_EQUAL(1, without.exitCode);
    CPPUNIT_ASSERT_MESSAGE(without.errors, without.errors.find("/nowhere/database-password") != std::string::npos);
}

} // namespace supplierd::tests
