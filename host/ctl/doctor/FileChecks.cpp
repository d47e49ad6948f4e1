#include "host/ctl/backup/PictureSource.h"
#include "host/ctl/doctor/DoctorChecks.h"
#include "host/db/PooledSession.h"

#include <Poco/Environment.h>
#include <Poco/NumberParser.h>
#include <Poco/StringTokenizer.h>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t MIB = 1'048'576;
constexpr std::uintmax_t LITTLE_SPACE = 500 * MIB;
constexpr std::uintmax_t NO_SPACE = 50 * MIB;

void checkSpace(const std::string& what, const fs::path& place, const std::string& fix, Findings& findings) {
    std::error_code error;
    const auto space = fs::space(place, error);
    if (error)
        return;
    const auto text = fmt::format("{} MiB are free where {} lies", space.available / MIB, place.string());
    findings.judge(space.available >= LITTLE_SPACE,
                   space.available < NO_SPACE ? Finding::Level::Error : Finding::Level::Warning, what, text, "", fix);
}

constexpr std::string_view SELECT_PROCESS = "SELECT @@hostname, @@pid_file, @@tmpdir";

/// Whatever it is called where: a service may have a /tmp of its own.
using FolderIds = std::set<std::pair<dev_t, ino_t>>;

fs::path processFolder(int process) {
    return fs::path("/proc") / std::to_string(process);
}

/// As that process sees it. Nothing is added where it cannot be seen.
void addFolder(FolderIds& folders, int process, const std::string& path) {
    struct stat found {};
    if (::stat((processFolder(process) / "root").concat(path).c_str(), &found) == 0 && S_ISDIR(found.st_mode))
        folders.emplace(found.st_dev, found.st_ino);
}

std::string firstLine(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

bool isDatabase(int process) {
    const auto program = firstLine(processFolder(process) / "comm");
    return program == "mariadbd" || program == "mysqld";
}

/// Of the temporary files that a server keeps open for as long as it runs, which have no name any more.
FolderIds foldersInUse(int process) {
    constexpr std::string_view DELETED = " (deleted)";
    FolderIds folders;
    std::error_code error; // of another user's process nothing is known
    for (fs::directory_iterator entry(processFolder(process) / "fd", error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code closed;
        const auto file = fs::read_symlink(entry->path(), closed);
        if (!closed && file.is_absolute() && file.string().ends_with(DELETED))
            addFolder(folders, process, file.parent_path().string());
    }
    return folders;
}

std::optional<int> neighbourIn(const FolderIds& folders, int process) {
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
        int other = 0;
        if (!Poco::NumberParser::tryParse(entry->path().filename().string(), other) || other == process ||
            !isDatabase(other))
            continue;
        for (const auto& folder : foldersInUse(other))
            if (folders.contains(folder))
                return other;
    }
    return std::nullopt;
}

std::string commandOf(int process) {
    std::ifstream in(processFolder(process) / "cmdline");
    std::string command;
    for (std::string argument; std::getline(in, argument, '\0') && command.size() < 200;)
        command += (command.empty() ? "" : " ") + argument;
    return command;
}

} // namespace

void checkFiles(const Settings& settings, Findings& findings) {
    constexpr auto BAD = Finding::Level::Error;
    struct stat found {};
    if (::stat(settings.file.c_str(), &found) == 0) { // else loading it has failed and said so
        const auto file = settings.file.string();
        const auto mode = found.st_mode & 07777U;
        const bool isOpen = (mode & S_IWOTH) != 0U;
        findings.judge(!isOpen, BAD, "configuration file",
                       file + (isOpen ? fmt::format(" can be written by everybody (mode {:04o})", mode)
                                      : fmt::format(" has mode {:04o}", mode)),
                       "", "chmod o-w " + file);
    }
    const auto folder = settings.server.pluginDir.string();
    if (::stat(folder.c_str(), &found) != 0)
        findings.fail("plugin folder", folder + " does not exist",
                      "set server.plugin_dir to the folder with the plugins' .so files");
    else
        findings.judge((found.st_mode & S_IWOTH) == 0U, BAD, "plugin folder",
                       (found.st_mode & S_IWOTH) == 0U ? folder : "everybody can put plugins into " + folder, "",
                       "chmod o-w " + folder);

    std::set<fs::path> places;
    for (const auto& file : {settings.log.accessLog, settings.log.file})
        if (file.starts_with('/'))
            places.insert(fs::path(file).parent_path());
    if (places.empty())
        places.insert(fs::absolute(settings.file).parent_path());
    for (const auto& place : places)
        checkSpace("disk space", place, "free some space, or the logs will stop", findings);
}

void checkMediaRoot(const Settings& settings, const PluginSet& plugins, const ServerUser& user, Findings& findings) {
    const auto root = PictureStore::configured(settings, plugins).folder;
    if (root.empty())
        return;
    std::error_code error;
    if (!fs::is_directory(root, error))
        findings.fail(
            "images",
            fmt::format("the folder of the images {} {}", root.string(),
                        error && error != std::errc::no_such_file_or_directory
                            ? "cannot be looked at: " + error.message()
                            : "does not exist"),
            fmt::format(
                "mount what belongs there, or restore it, start the server, and run `supplierctl media verify`; for "
                "a new installation: install -d -o {} {}",
                user.name, root.string()));
    else if (!user.may(root, R_OK | W_OK | X_OK))
        findings.fail("images", fmt::format("{} cannot be used by the server's user '{}'", root.string(), user.name),
                      fmt::format("chown {} {}", user.name, root.string()));
    else
        checkSpace("images", root, "free some space, or pictures will be refused", findings);
}

void checkTemporaryFolder(PooledSession& session, const std::string& subject, Findings& findings) {
    auto& row = session.query(SELECT_PROCESS);
    if (!row.next() || row.isNull(1) || row.isNull(2) || row.text(0) != Poco::Environment::nodeName())
        return;
    const std::string paths(row.text(2));
    int process = 0;
    if (!Poco::NumberParser::tryParse(firstLine(std::string(row.text(1))), process) || !isDatabase(process))
        return;
    FolderIds folders;
    for (const auto& path : Poco::StringTokenizer(paths, ":", Poco::StringTokenizer::TOK_IGNORE_EMPTY))
        addFolder(folders, process, path);
    const auto neighbour = neighbourIn(folders, process);
    if (!neighbour)
        return;
    findings.warn(subject,
                  fmt::format("tmpdir = {} is that of process {}, too ({}): when one of the two starts, it removes "
                              "the other's temporary tables, whose statements fail then, or which crashes",
                              paths, *neighbour, commandOf(*neighbour)),
                  "give each of the two a tmpdir of its own in its configuration, and restart it");
}

} // namespace supplierd::host
