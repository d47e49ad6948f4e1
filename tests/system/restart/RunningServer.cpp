#include "tests/system/restart/RunningServer.h"

#include "tests/system/fixtures/ServerLogs.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <stdexcept>

namespace supplierd::tests {

RunningServer::RunningServer(ServerProcess& server) : _server(server), _pid(server.pid()) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1); // so that the test can collect the successors
}

RunningServer::~RunningServer() {
    if (_pid == _server.pid())
        return;
    ::kill(_pid, SIGTERM);
    ::waitpid(_pid, nullptr, 0);
}

void RunningServer::handOver(int signal) {
    ::kill(_pid, signal);
    awaitSuccessor();
}

void RunningServer::awaitSuccessor() {
    const auto predecessor = _pid;
    waitFor("a successor", [&] {
        const auto now = named();
        if (now <= 0 || now == predecessor)
            return false;
        _pid = now;
        return true;
    });
    if (predecessor == _server.pid()) {
        if (_server.process().waitFor(std::chrono::seconds(60)) != 0)
            throw std::runtime_error("the predecessor did not end well: " + _server.log());
        return;
    }
    int status = -1;
    if (::waitpid(predecessor, &status, 0) != predecessor || status != 0)
        throw std::runtime_error("a predecessor did not end well: " + _server.log());
}

pid_t RunningServer::named() const {
    const auto address = Json::parse(readWholeFile(_server.directory() / "address.json"), nullptr, false);
    return address.is_object() ? address.at("pid").get<pid_t>() : -1;
}

} // namespace supplierd::tests
