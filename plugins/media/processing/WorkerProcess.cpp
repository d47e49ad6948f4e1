#include "WorkerProcess.h"

#include "shared/OwnedDescriptor.h"
#include "shared/WorkerFrames.h"

#include <fcntl.h>
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

namespace supplierd::media {
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

ImageRefusal refusalOf(const AnswerHeader& header) {
    if (header.refusal > LAST_WORKER_REFUSAL)
        throw WorkerNonsense();
    return {static_cast<Refusal>(header.refusal)};
}

ImageType typeOf(std::uint8_t value) {
    if (value < static_cast<std::uint8_t>(ImageType::Jpeg) || value > static_cast<std::uint8_t>(ImageType::Webp))
        throw WorkerNonsense();
    return static_cast<ImageType>(value);
}

void requireBelievable(const AnswerHeader& header) {
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
    AnswerHeader header;
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
