#include "host/server/StartChecks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

namespace supplierd::host {

namespace {

/// By the effective user, who opens the files later; 0 or an error number.
int accessError(const std::filesystem::path& path, int mode) {
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 ? 0 : errno;
}

std::string because(int error) {
    return std::string(": ") + std::strerror(error);
}

class Checks {
public:
    Checks(const std::filesystem::path& configuration, ConfigProblems& problems)
        : _configuration(configuration.string()), _problems(problems) {}

    /// One that is written beside its place and renamed.
    void replaced(const char* key, const std::filesystem::path& file) {
        if (file.empty())
            return;
        if (isFolder(file))
            complain(key, file.string() + " is a folder, the name of a file is needed");
        else
            folder(key, file.parent_path());
    }

    /// One that is opened for appending, and made when it is not there.
    void appended(const char* key, const std::filesystem::path& file) {
        if (isFolder(file))
            complain(key, file.string() + " is a folder, the name of a file is needed");
        else if (const int error = accessError(file, W_OK); error == ENOENT)
            folder(key, file.parent_path());
        else if (error != 0)
            complain(key, file.string() + " cannot be written" + because(error));
    }

private:
    static bool isFolder(const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored);
    }

    void folder(const char* key, const std::filesystem::path& folder) {
        std::error_code ignored;
        if (!std::filesystem::exists(folder, ignored))
            complain(key, "there is no folder " + folder.string() + "; make it, owned by the user of the server");
        else if (const int error = accessError(folder, W_OK | X_OK); error != 0)
            complain(key, "no file can be made in the folder " + folder.string() + because(error));
    }

    void complain(const char* key, const std::string& problem) {
        _problems.error({_configuration}, std::string(key) + ": " + problem);
    }

    const std::string _configuration;
    ConfigProblems& _problems;
};

} // namespace

void checkWritableFiles(const Settings& settings, ConfigProblems& problems) {
    Checks checks(settings.file, problems);
    checks.replaced("server.address_file", settings.server.addressFile);
    checks.replaced("server.pid_file", settings.server.pidFile);
    if (settings.log.file != "-")
        checks.appended("log.file", settings.log.file);
    if (settings.log.accessLog != "-" && settings.log.accessLog != "off")
        checks.appended("log.access_log", settings.log.accessLog);
}

} // namespace supplierd::host
