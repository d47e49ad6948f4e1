#include "host/ctl/backup/ChildProgram.h"

#include "host/ctl/backup/BackupFiles.h"
#include "host/ctl/terminal/Commands.h"

#include <Poco/Environment.h>
#include <Poco/Path.h>
#include <Poco/PipeStream.h>
#include <Poco/Process.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h> // NOLINT(modernize-deprecated-headers): mkdtemp()
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t KEPT_OUTPUT = 4'000;
constexpr auto SCRATCH_START_LIMIT = std::chrono::minutes(10); // what is prepared needs seconds
/// A table may be large, and is read or written whole.
constexpr std::chrono::hours TABLE_LIMIT{4};
constexpr auto LOOK_EVERY = std::chrono::milliseconds(50);

/// A program that ends with this one, also when this one is killed: it would go on writing to a folder that nobody
/// looks after. At once: a mariadbd that is about to start loses a SIGTERM, and stays for ever.
Poco::ProcessHandle launch(const fs::path& program, std::vector<std::string> arguments, Poco::Pipe* in,
                           Poco::Pipe* out) {
    arguments.insert(arguments.begin(), {"--pdeathsig", "KILL", program.string()});
    return Poco::Process::launch(findProgram("setpriv", "util-linux").string(), arguments, in, out, out);
}

void keepLast(std::string& text, const std::string& line) {
    text += line + "\n";
    if (text.size() > 2 * KEPT_OUTPUT)
        text.erase(0, text.size() - KEPT_OUTPUT);
}

constexpr std::string_view SCRATCH = ".supplierd-backup.";

/// The open lock of a scratch folder, which its file still is; -1 when somebody else has it, or there is none. Throws
/// when it cannot be made for another reason.
int lockedFile(const fs::path& folder, int flags) {
    const auto path = folder / "in-use";
    const int lock = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    struct stat found {};
    if (lock < 0 && (flags == 0 || errno == ENOENT))
        return -1;
    if (lock < 0)
        throw fs::filesystem_error("cannot make", path, std::error_code(errno, std::generic_category()));
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0 && ::fstat(lock, &found) == 0 && found.st_nlink > 0)
        return lock;
    ::close(lock);
    return -1;
}

/// What earlier runs of this account left that were killed.
void removeAbandoned(const fs::path& parent) {
    std::error_code error; // who may not list it has left nothing there
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
        const auto& folder = entry->path();
        struct stat found {};
        if (!folder.filename().string().starts_with(SCRATCH) || ::lstat(folder.c_str(), &found) != 0 ||
            !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
            continue;
        const int lock = lockedFile(folder, 0);
        std::error_code ignored; // then the next one tries
        if (lock >= 0) {
            fs::remove_all(folder, ignored);
            ::close(lock);
        }
    }
}

} // namespace

fs::path findProgram(const std::string& name, const std::string& package) {
    Poco::Path found;
    if (!Poco::Path::find(Poco::Environment::get("PATH", "") + ":/usr/bin:/usr/sbin:/usr/local/sbin", name, found))
        throw CommandFailure(fmt::format("{} is not installed; run: apt-get install {}", name, package));
    return found.toString();
}

ProgramResult runProgram(const fs::path& program, const std::vector<std::string>& arguments, const std::string& input,
                         const std::function<void(const std::string&)>& line) {
    Poco::Pipe in;
    Poco::Pipe out;
    auto handle = launch(program, arguments, &in, &out);
    ProgramResult result;
    try {
        {
            Poco::PipeOutputStream to(in);
            to << input;
            to.close();
        }
        Poco::PipeInputStream from(out);
        for (std::string text; std::getline(from, text);) {
            keepLast(result.output, text);
            if (line)
                line(text);
        }
    } catch (...) {
        ::kill(handle.id(), SIGTERM);
        handle.wait();
        throw;
    }
    result.exitCode = handle.wait();
    return result;
}

ScratchFolder::ScratchFolder(const fs::path& parent) {
    removeAbandoned(parent);
    do {
        auto name = (parent / (std::string(SCRATCH) + "XXXXXX")).string();
        if (::mkdtemp(name.data()) == nullptr)
            throw fs::filesystem_error("cannot make a folder", parent, std::error_code(errno, std::generic_category()));
        _path = name;
        _lock = lockedFile(_path, O_CREAT | O_EXCL);
    } while (_lock < 0); // somebody took it for abandoned before it had its lock
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(_path, ignored);
    ::close(_lock);
}

ScratchDatabase::ScratchDatabase(const fs::path& data, const std::string& name)
    : _folder("/tmp"), _socket(_folder.path() / "db.sock") { // a socket's path has at most 107 bytes
    const auto& folder = _folder.path();
    const auto log = folder / "mariadbd.log";
    std::vector<std::string> arguments = {"--no-defaults",
                                          "--datadir=" + data.string(),
                                          "--socket=" + _socket.string(),
                                          "--pid-file=" + (folder / "db.pid").string(),
                                          "--log-error=" + log.string(),
                                          "--tmpdir=" + folder.string(), // another one that starts empties /tmp
                                          "--skip-networking",
                                          "--skip-grant-tables",
                                          "--skip-log-bin",
                                          "--skip-slave-start",
                                          "--performance-schema=OFF"};
    if (::geteuid() == 0)
        arguments.emplace_back("--user=root");
    _pid = launch(findProgram("mariadbd", "mariadb-server-core"), arguments, nullptr, &_said).id();
    try {
        waitUntilAnswering(log);
    } catch (...) {
        ::kill(_pid, SIGKILL);
        ::waitpid(_pid, nullptr, 0);
        throw;
    }
    SessionSettings settings;
    settings.socket = _socket.string();
    settings.user = "root";
    settings.database = name;
    settings.readTimeout = TABLE_LIMIT;
    settings.statementTimeLimit = std::chrono::milliseconds(0);
    PoolSettings one;
    one.size = 1;
    _pool = std::make_unique<SessionPool>(settings, one);
    _database = std::make_unique<PooledDatabase>(*_pool, nullptr, "backup");
}

ScratchDatabase::~ScratchDatabase() {
    end();
}

int ScratchDatabase::end() {
    int status = 0;
    _database.reset();
    _pool.reset();
    if (_pid != -1) {
        ::kill(_pid, SIGTERM);
        ::waitpid(_pid, &status, 0);
        _pid = -1;
    }
    return status;
}

void ScratchDatabase::stop() {
    if (end() != 0)
        throw CommandFailure("MariaDB did not end in good order on the backup");
}

void ScratchDatabase::waitUntilAnswering(const fs::path& log) const {
    const auto client = findProgram("mariadb", "mariadb-client-core");
    const auto end = std::chrono::steady_clock::now() + SCRATCH_START_LIMIT;
    while (runProgram(client, {"--no-defaults", "--socket=" + _socket.string(), "--execute=DO 1"}).exitCode != 0) {
        const bool hasEnded = ::waitpid(_pid, nullptr, WNOHANG) == _pid;
        if (hasEnded || std::chrono::steady_clock::now() > end) {
            const auto text = fs::exists(log) ? readFile(log) : std::string();
            throw CommandFailure("MariaDB does not start on the backup:\n" +
                                 text.substr(text.size() - std::min(text.size(), KEPT_OUTPUT)));
        }
        std::this_thread::sleep_for(LOOK_EVERY);
    }
}

} // namespace supplierd::host
