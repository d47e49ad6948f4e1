#include "host/ctl/backup/PictureSource.h"
#include "host/ctl/doctor/DoctorChecks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t MIB = 1'048'576;
constexpr std::uintmax_t LITTLE_SPACE = 500 * MIB;
constexpr std::uintmax_t NO_SPACE = 50 * MIB;

void checkConfigurationFile(const fs::path& file, Findings& findings) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return; // loading it has failed and said so
    const auto mode = status.st_mode & 07777U;
    if ((mode & S_IWOTH) != 0U)
        findings.push_back({Finding::Level::Error, "configuration file",
                            fmt::format("{} can be written by everybody (mode {:04o})", file.string(), mode),
                            fmt::format("chmod o-w {}", file.string())});
    else
        findings.push_back(
            {Finding::Level::Good, "configuration file", fmt::format("{} has mode {:04o}", file.string(), mode)});
}

void checkPluginFolder(const fs::path& folder, Findings& findings) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0)
        findings.push_back({Finding::Level::Error, "plugin folder", fmt::format("{} does not exist", folder.string()),
                            "set server.plugin_dir to the folder with the plugins' .so files"});
    else if ((status.st_mode & S_IWOTH) != 0U)
        findings.push_back({Finding::Level::Error, "plugin folder",
                            fmt::format("everybody can put plugins into {}", folder.string()),
                            fmt::format("chmod o-w {}", folder.string())});
    else
        findings.push_back({Finding::Level::Good, "plugin folder", folder.string()});
}

void checkSpace(const std::string& what, const fs::path& place, const std::string& fix, Findings& findings) {
    std::error_code error;
    const auto space = fs::space(place, error);
    if (error)
        return;
    const auto text = fmt::format("{} MiB are free where {} lies", space.available / MIB, place.string());
    if (space.available < NO_SPACE)
        findings.push_back({Finding::Level::Error, what, text, fix});
    else if (space.available < LITTLE_SPACE)
        findings.push_back({Finding::Level::Warning, what, text, fix});
    else
        findings.push_back({Finding::Level::Good, what, text});
}

} // namespace

void checkFiles(const Settings& settings, Findings& findings) {
    checkConfigurationFile(settings.file, findings);
    checkPluginFolder(settings.server.pluginDir, findings);

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
        findings.push_back(
            {Finding::Level::Error, "images",
             fmt::format("the folder of the images {} {}", root.string(),
                         error && error != std::errc::no_such_file_or_directory
                             ? "cannot be looked at: " + error.message()
                             : "does not exist"),
             fmt::format(
                 "mount what belongs there, or restore it, start the server, and run `supplierctl media verify`; for "
                 "a new installation: install -d -o {} {}",
                 user.name, root.string())});
    else if (!user.may(root, R_OK | W_OK | X_OK))
        findings.push_back({Finding::Level::Error, "images",
                            fmt::format("{} cannot be used by the server's user '{}'", root.string(), user.name),
                            fmt::format("chown {} {}", user.name, root.string())});
    else
        checkSpace("images", root, "free some space, or pictures will be refused", findings);
}

} // namespace supplierd::host
