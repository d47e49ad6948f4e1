#include "tests/host/db/CommitCutter.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace supplierd::tests {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view COMMIT_PACKET = "\x07\0\0\0\x03"
                                           "COMMIT"sv;
constexpr int STEP_MS = 20;

sockaddr_un addressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw std::runtime_error("the socket's path is too long: " + path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

bool isReadable(int socket, int wait) {
    pollfd entry{socket, POLLIN, 0};
    return poll(&entry, 1, wait) > 0;
}

bool sendAll(int socket, std::string_view data) {
    while (!data.empty()) {
        const ssize_t sent = send(socket, data.data(), data.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        data.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string receive(int socket) {
    char buffer[65536];
    const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string();
}

} // namespace

CommitCutter::CommitCutter(const host::SessionSettings& database) : _database(database) {
    _listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(socket());
    if (bind(_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(_listener, 32) != 0)
        throw std::runtime_error("cannot listen on " + socket());
    _accepting = std::thread([this] { accept(); });
}

host::SessionSettings CommitCutter::settings() const {
    host::SessionSettings settings = _database;
    settings.socket = socket();
    return settings;
}

CommitCutter::~CommitCutter() {
    _stopping = true;
    _accepting.join();
    for (std::thread& connection : _connections)
        connection.join();
    close(_listener);
}

void CommitCutter::cut(Cut how, int times) {
    std::lock_guard lock(_mutex);
    _how = how;
    _times = times;
    _letGo = false;
}

bool CommitCutter::takeOne(Cut& how) {
    std::lock_guard lock(_mutex);
    if (_how == Cut::None || _times == 0)
        return false;
    --_times;
    ++_cuts;
    how = _how;
    return true;
}

void CommitCutter::accept() {
    while (!_stopping) {
        if (!isReadable(_listener, STEP_MS))
            continue;
        const int client = ::accept4(_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client >= 0)
            _connections.emplace_back([this, client] { serve(client); });
    }
}

void CommitCutter::serve(int client) {
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(_database.socket);
    bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    while (open && !_stopping) {
        pollfd entries[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
        poll(entries, 2, STEP_MS);
        if (entries[0].revents != 0) {
            const std::string request = receive(client);
            open = !request.empty() && (request == COMMIT_PACKET ? atCommit(client, server) : sendAll(server, request));
        }
        if (open && entries[1].revents != 0) {
            const std::string answer = receive(server);
            open = !answer.empty() && sendAll(client, answer);
        }
    }
    shutdown(client, SHUT_RDWR);
    close(client);
    close(server);
}

/// False: the connection ends here.
bool CommitCutter::atCommit(int client, int server) {
    Cut how = Cut::None;
    if (!takeOne(how))
        return sendAll(server, COMMIT_PACKET);
    if (how == Cut::Hold) {
        shutdown(client, SHUT_RDWR);
        while (!_letGo && !_stopping)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (how != Cut::Before && sendAll(server, COMMIT_PACKET))
        receive(server);
    return false;
}

} // namespace supplierd::tests
