#include "host/http/ControlListener.h"

#include "host/http/WorkerServer.h"
#include "host/http/pipeline/PipelineHandlers.h"

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace supplierd::host {

namespace {

constexpr int LOCAL_REQUESTS = 8;
constexpr int LOCAL_BACKLOG = 64;
constexpr mode_t SOCKET_MODE = 0660;
constexpr auto LAST_LOCAL_ANSWERS = std::chrono::milliseconds(2'000);
constexpr std::size_t MAX_USER_NAME = 48;
constexpr std::size_t ENTRY_SIZE = 16'384; ///< of passwd and group files: a line of them

std::runtime_error socketFailure(const std::filesystem::path& path, const std::string& what) {
    return std::runtime_error("cannot open the control socket " + path.string() + " (server.control_socket): " + what);
}

gid_t groupNamed(const std::filesystem::path& path, const std::string& name) {
    group entry{};
    group* found = nullptr;
    std::array<char, ENTRY_SIZE> buffer{};
    if (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
        throw socketFailure(path, "there is no group '" + name +
                                      "' (server.control_group); create it with addgroup --system");
    return found->gr_gid;
}

/// Nothing for a path that is too long.
std::optional<sockaddr_un> addressOf(const std::string& path) {
    sockaddr_un address{};
    if (path.size() >= sizeof(address.sun_path))
        return std::nullopt;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

/// The process that listens at the socket; nothing when none does: it was killed, and left the file behind. One whose
/// connections wait already (EAGAIN) is alive, and cannot be asked who it is.
std::optional<pid_t> listenerAt(const std::string& path) {
    const auto address = addressOf(path);
    const OwnedDescriptor asking(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!address || asking.get() < 0)
        return std::nullopt;
    std::optional<pid_t> found;
    if (::connect(asking.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) == 0) {
        ucred peer{};
        socklen_t size = sizeof(peer);
        found = ::getsockopt(asking.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
    } else if (errno == EAGAIN) {
        found = 0;
    }
    return found;
}

} // namespace

ControlSocket::ControlSocket(const std::filesystem::path& path, const std::string& group)
    // Until it is published: a predecessor serves at the path, and goes on when this server does not come to serve.
    : _path(path), _unfinished(path.string() + "." + std::to_string(::getpid())), _predecessor(::getppid()) {
    try {
        open(group);
    } catch (...) {
        ::unlink(_unfinished.c_str());
        throw;
    }
}

void ControlSocket::open(const std::string& group) {
    const auto require = [&](bool holds, const std::string& what) {
        if (!holds)
            throw socketFailure(_path, what + ": " + std::generic_category().message(errno));
    };
    const sockaddr_un address = addressOf(_unfinished).value_or(sockaddr_un{});
    if (address.sun_family != AF_UNIX)
        throw socketFailure(_path, "the path is too long");
    requireFreePath();
    _descriptor.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    require(_descriptor.get() >= 0, "there is no socket");
    ::unlink(_unfinished.c_str());
    const mode_t before = ::umask(0777 & ~SOCKET_MODE);
    const int bound = ::bind(_descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    const int reason = errno;
    ::umask(before);
    errno = reason;
    require(bound == 0, "its folder must exist, and be writable for the server's user");
    if (!group.empty())
        require(::chown(_unfinished.c_str(), static_cast<uid_t>(-1), groupNamed(_path, group)) == 0,
                "the server's user has to be a member of the group '" + group + "' (server.control_group)");
    struct stat file {};
    require(::listen(_descriptor.get(), LOCAL_BACKLOG) == 0 && ::lstat(_unfinished.c_str(), &file) == 0,
            "it cannot be listened at");
    _device = file.st_dev;
    _inode = file.st_ino;
}

/// Between this look and the renaming another server may still take the path: both then began in the same moment.
void ControlSocket::requireFreePath() const {
    struct stat file {};
    if (::lstat(_path.c_str(), &file) != 0)
        return; // nothing is there, or the renaming says why it cannot be used
    if (!S_ISSOCK(file.st_mode))
        throw socketFailure(_path, "something is there that is no socket; remove it, or choose another path");
    const auto listener = listenerAt(_path);
    if (listener && *listener != _predecessor)
        throw socketFailure(_path, "another server uses it, process " + std::to_string(*listener) +
                                       "; each server of a machine needs a path of its own");
}

void ControlSocket::publish() {
    requireFreePath();
    if (::rename(_unfinished.c_str(), _path.c_str()) != 0)
        throw socketFailure(_path, "the path is used by something else: " + std::generic_category().message(errno));
}

ControlSocket::~ControlSocket() {
    for (const auto& name : {_path.string(), _unfinished})
        if (isOwn(name))
            ::unlink(name.c_str());
}

bool ControlSocket::isOwn(const std::string& name) const {
    struct stat file {};
    return ::lstat(name.c_str(), &file) == 0 && file.st_dev == _device && file.st_ino == _inode;
}

namespace {

GateSettings localGateSettings(const ServerSettings& server) {
    GateSettings settings;
    settings.patience = server.requestTimeout;
    settings.workers = settings.shortRunning = LOCAL_REQUESTS;
    settings.held = {static_cast<std::uint64_t>(server.heldMemory), static_cast<std::uint64_t>(server.heldFiles)};
    return settings;
}

} // namespace

ControlListener::ControlListener(const ServerSettings& settings, Pipeline& pipeline)
    : _threads("control", 2, LOCAL_REQUESTS + 1),
      _socket(settings.controlSocket, settings.controlGroup),
      _refusals(makePipelineRefusals(pipeline)),
      _gate(localGateSettings(settings), _socket.descriptor(), *_refusals),
      _server(makeWorkerServer(makePipelineHandlers(pipeline), _threads, _gate, LOCAL_REQUESTS)) {}

ControlListener::~ControlListener() {
    if (!_gate.isDraining())
        _gate.drain(Gate::Backlog::Serve, std::chrono::milliseconds(0), LAST_LOCAL_ANSWERS);
    _gate.finish(Gate::Clock::now() + LAST_LOCAL_ANSWERS);
    _server->stop();
    _threads.joinAll();
}

void ControlListener::waitForSuccessor(std::chrono::milliseconds limit) const {
    constexpr std::chrono::milliseconds POLL{2};
    const auto until = std::chrono::steady_clock::now() + limit;
    while (_socket.isPublished() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(POLL);
}

void ControlListener::start() {
    _socket.publish();
    _server->start();
    _gate.start();
}

std::string localActor(unsigned user, std::string_view onBehalfOf) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, ENTRY_SIZE> buffer{};
    std::string name = std::to_string(user);
    if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found)
        name = found->pw_name;
    if (user == 0 && !onBehalfOf.empty())
        name = onBehalfOf;
    // The column holds ASCII; what a terminal could take for a command stays out, too.
    name.resize(std::min(name.size(), MAX_USER_NAME));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c <= ' ' || c > '~'; }, '?');
    return "local: " + name;
}

} // namespace supplierd::host
