#include "WorkerProcess.h"

#include "shared/OwnedDescriptor.h"
#include "shared/WorkerFrames.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <system_error>

// From the folder of the installed plugin.
#ifndef SUPPLIERD_MEDIA_INSTALLED_WORKER
#error "SUPPLIERD_MEDIA_INSTALLED_WORKER is not defined: the path of supplierd-imageworker as it is installed"
#endif

namespace supplierd::media {

namespace {

constexpr const char* BUILT_WORKER = "media/supplierd-imageworker";

} // namespace

std::optional<std::filesystem::path> findWorkerProgram() {
    Dl_info plugin{};
    if (::dladdr(reinterpret_cast<const void*>(&findWorkerProgram), &plugin) == 0 || plugin.dli_fname == nullptr)
        return std::nullopt;
    std::error_code failure;
    const auto folder = std::filesystem::canonical(plugin.dli_fname, failure).parent_path();
    for (const auto* const place : {BUILT_WORKER, SUPPLIERD_MEDIA_INSTALLED_WORKER}) {
        auto program = (folder / place).lexically_normal();
        if (std::filesystem::is_regular_file(program, failure) && ::access(program.c_str(), X_OK) == 0)
            return program;
    }
    return std::nullopt;
}

namespace {

[[noreturn]] void failTransfer() {
    if (errno == EPIPE || errno == ECONNRESET)
        throw ChannelClosed();
    throw std::system_error(errno, std::generic_category(), "image worker channel");
}

bool isMomentary(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

} // namespace

WorkerChannel::~WorkerChannel() {
    ::close(_descriptor);
}

void WorkerChannel::send(const void* from, std::size_t size, Deadline deadline) const {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
        const ssize_t put = ::send(_descriptor, at, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put > 0) {
            at += put;
            size -= static_cast<std::size_t>(put);
        } else if (put < 0 && isMomentary(errno)) {
            waitFor(POLLOUT, deadline);
        } else {
            failTransfer();
        }
    }
}

void WorkerChannel::receive(void* to, std::size_t size, Deadline deadline) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = ::recv(_descriptor, at, size, MSG_DONTWAIT);
        if (got == 0)
            throw ChannelClosed();
        if (got > 0) {
            at += got;
            size -= static_cast<std::size_t>(got);
        } else if (isMomentary(errno)) {
            waitFor(POLLIN, deadline);
        } else {
            failTransfer();
        }
    }
}

bool WorkerChannel::isQuiet() const {
    char byte = 0;
    return ::recv(_descriptor, &byte, sizeof byte, MSG_DONTWAIT | MSG_PEEK) < 0 && isMomentary(errno);
}

void WorkerChannel::hangUp() const noexcept {
    ::shutdown(_descriptor, SHUT_RDWR);
}

void WorkerChannel::waitFor(short events, Deadline deadline) const {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds::zero())
        throw ChannelTimeout();
    constexpr milliseconds longest = std::chrono::minutes(1);
    pollfd waited{_descriptor, events, 0};
    if (::poll(&waited, 1, static_cast<int>(std::min(left, longest).count())) < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "poll");
}

namespace {

void require(int error, const char* what) {
    if (error != 0)
        throw std::system_error(error, std::generic_category(), what);
}

/// What the child does between fork and exec: the channel as descriptor 0, /dev/null as 1, and the server's own
/// standard error, for a worker that does not get ready to say why. Nothing else is open; the sandbox closes all but
/// the channel.
class ChildActions {
public:
    explicit ChildActions(int channel) {
        require(::posix_spawn_file_actions_init(&_actions), "posix_spawn");
        try {
            require(::posix_spawn_file_actions_adddup2(&_actions, channel, WORKER_CHANNEL), "posix_spawn");
            require(::posix_spawn_file_actions_addopen(&_actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0),
                    "posix_spawn");
            require(::posix_spawn_file_actions_addclosefrom_np(&_actions, STDERR_FILENO + 1), "posix_spawn");
        } catch (...) {
            ::posix_spawn_file_actions_destroy(&_actions);
            throw;
        }
    }
    ~ChildActions() { ::posix_spawn_file_actions_destroy(&_actions); }
    ChildActions(const ChildActions&) = delete;
    ChildActions& operator=(const ChildActions&) = delete;

    const posix_spawn_file_actions_t* get() const { return &_actions; }

private:
    posix_spawn_file_actions_t _actions{};
};

/// No inherited signal masks or handlers, and a session of its own: Ctrl-C at the server's terminal is for the server
/// alone, and Linux, which shares the processors among sessions first, can put the worker behind (see worker/main.cpp).
class ChildAttributes {
public:
    ChildAttributes() {
        require(::posix_spawnattr_init(&_attributes), "posix_spawn");
        sigset_t signals;
        ::sigemptyset(&signals);
        ::posix_spawnattr_setsigmask(&_attributes, &signals);
        ::sigfillset(&signals);
        ::posix_spawnattr_setsigdefault(&_attributes, &signals);
        ::posix_spawnattr_setflags(&_attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    }
    ~ChildAttributes() { ::posix_spawnattr_destroy(&_attributes); }
    ChildAttributes(const ChildAttributes&) = delete;
    ChildAttributes& operator=(const ChildAttributes&) = delete;

    const posix_spawnattr_t* get() const { return &_attributes; }

private:
    posix_spawnattr_t _attributes{};
};

ImageRefusal refusalOf(const ResultHeader& header) {
    if (header.refusal > LAST_WORKER_REFUSAL)
        throw WorkerNonsense();
    return {static_cast<Refusal>(header.refusal)};
}

ImageType typeOf(std::uint8_t value) {
    if (value < static_cast<std::uint8_t>(ImageType::Jpeg) || value > static_cast<std::uint8_t>(ImageType::Webp))
        throw WorkerNonsense();
    return static_cast<ImageType>(value);
}

void requireBelievable(const ResultHeader& header) {
    const bool believable = areAcceptableDimensions(header.width, header.height) && header.thumbnailWidth > 0 &&
                            header.thumbnailHeight > 0 && header.thumbnailWidth <= THUMBNAIL_SIDE &&
                            header.thumbnailHeight <= THUMBNAIL_SIDE && header.originalBytes <= MAX_ORIGINAL_BYTES &&
                            header.thumbnailBytes <= MAX_THUMBNAIL_BYTES;
    if (!believable)
        throw WorkerNonsense();
}

} // namespace

WorkerProcess::WorkerProcess(const std::filesystem::path& program) : WorkerProcess(start(program)) {}

std::unique_ptr<WorkerProcess> WorkerProcess::behind(const std::filesystem::path& socket, std::chrono::seconds limit) {
    sockaddr_un address{};
    const auto& name = socket.native();
    if (name.size() >= sizeof address.sun_path)
        throw std::system_error(ENAMETOOLONG, std::generic_category(), "cannot connect to " + name);
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path);
    OwnedDescriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (descriptor.get() < 0)
        throw std::system_error(errno, std::generic_category(), "socket");
    // Connecting waits while as many connections wait as the socket keeps.
    const timeval longest{limit.count(), 0};
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
    if (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot connect to " + name);
    return std::unique_ptr<WorkerProcess>(new WorkerProcess(Started{descriptor.release(), -1}));
}

WorkerProcess::~WorkerProcess() {
    kill();
    if (isBehindSocket())
        return;
    while (::waitpid(_processId, nullptr, 0) < 0 && errno == EINTR) {
    }
}

WorkerProcess::Started WorkerProcess::start(const std::filesystem::path& program) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    OwnedDescriptor ours(ends[0]);
    const OwnedDescriptor theirs(ends[1]);
    const ChildActions actions(theirs.get());
    const ChildAttributes attributes;
    std::string name = program.string();
    std::array<char*, 2> arguments{name.data(), nullptr};
    std::array<char*, 1> environment{nullptr};
    pid_t child = -1;
    const int error =
        ::posix_spawn(&child, name.c_str(), actions.get(), attributes.get(), arguments.data(), environment.data());
    require(error, ("cannot start " + name).c_str());
    return {ours.release(), child};
}

void WorkerProcess::awaitHello(Deadline deadline) const {
    Hello hello;
    _channel.receive(&hello, sizeof hello, deadline);
    if (hello.magic != HELLO_MAGIC)
        throw WorkerNonsense();
}

ImageResult WorkerProcess::process(std::string_view image, Deadline deadline) const {
    const JobHeader job{JOB_MAGIC, static_cast<std::uint32_t>(image.size())};
    _channel.send(&job, sizeof job, deadline);
    _channel.send(image.data(), image.size(), deadline);
    ResultHeader header;
    _channel.receive(&header, sizeof header, deadline);
    if (header.magic != ANSWER_MAGIC)
        throw WorkerNonsense();
    if (header.refusal != 0)
        return refusalOf(header);
    requireBelievable(header);
    ProcessedImage processed{typeOf(header.type),
                             header.width,
                             header.height,
                             std::string(header.originalBytes, '\0'),
                             typeOf(header.thumbnailType),
                             header.thumbnailWidth,
                             header.thumbnailHeight,
                             std::string(header.thumbnailBytes, '\0')};
    _channel.receive(processed.original.data(), processed.original.size(), deadline);
    _channel.receive(processed.thumbnail.data(), processed.thumbnail.size(), deadline);
    if (imageTypeOf(processed.original) != processed.type ||
        imageTypeOf(processed.thumbnail) != processed.thumbnailType || processed.type != imageTypeOf(image))
        throw WorkerNonsense();
    return processed;
}

std::size_t WorkerProcess::residentBytes() const {
    if (isBehindSocket())
        return 0;
    std::ifstream statm("/proc/" + std::to_string(_processId) + "/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    if (!(statm >> total >> resident))
        return 0;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void WorkerProcess::kill() const noexcept {
    if (isBehindSocket()) {
        _channel.hangUp();
        return;
    }
    ::kill(_processId, SIGKILL);
}

} // namespace supplierd::media
