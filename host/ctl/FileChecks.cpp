#include "host/ctl/DoctorChecks.h"

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

void checkLogFile(const std::string& what, const std::string& file, Findings& findings) {
    if (file == "-" || file == "off" || file.empty())
        return;
    const auto folder = fs::path(file).parent_path();
    const bool writable = fs::exists(file) ? ::access(file.c_str(), W_OK) == 0 : ::access(folder.c_str(), W_OK) == 0;
    if (writable)
        findings.push_back({Finding::Level::Good, what, file});
    else
        findings.push_back({Finding::Level::Error, what, fmt::format("{} cannot be written by this user", file),
                            fmt::format("give the server's user the right to write to {}", folder.string())});
}

void checkSpace(const fs::path& place, Findings& findings) {
    std::error_code error;
    const auto space = fs::space(place, error);
    if (error)
        return;
    const auto text = fmt::format("{} MiB are free where {} lies", space.available / MIB, place.string());
    const std::string fix = "free some space, or the logs will stop";
    if (space.available < NO_SPACE)
        findings.push_back({Finding::Level::Error, "disk space", text, fix});
    else if (space.available < LITTLE_SPACE)
        findings.push_back({Finding::Level::Warning, "disk space", text, fix});
    else
        findings.push_back({Finding::Level::Good, "disk space", text});
}

} // namespace

void checkFiles(const Settings& settings, Findings& findings) {
    checkConfigurationFile(settings.file, findings);
    checkPluginFolder(settings.server.pluginDir, findings);
    checkLogFile("access log", settings.log.accessLog, findings);
    checkLogFile("log file", settings.log.file, findings);

    std::set<fs::path> places;
    for (const auto& file : {settings.log.accessLog, settings.log.file})
        if (file.starts_with('/'))
            places.insert(fs::path(file).parent_path());
    if (places.empty())
        places.insert(fs::absolute(settings.file).parent_path());
    for (const auto& place : places)
        checkSpace(place, findings);
}

} // namespace supplierd::host
