#include "host/ctl/doctor/DoctorChecks.h"
#include "host/db/PooledSession.h"

#include <Poco/Environment.h>
#include <Poco/NumberParser.h>
#include <Poco/StringTokenizer.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

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
    findings.push_back(
        {Finding::Level::Warning, subject,
         fmt::format("tmpdir = {} is that of process {}, too ({}): when one of the two starts, it removes "
                     "the other's temporary tables, whose statements fail then, or which crashes",
                     paths, *neighbour, commandOf(*neighbour)),
         "give each of the two a tmpdir of its own in its configuration, and restart it"});
}

} // namespace supplierd::host
