#include "host/config/SecretFile.h"

#include "host/config/ServerAccount.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace supplierd::host {

namespace {

std::string octalMode(mode_t mode) {
    std::ostringstream text;
    text << '0' << std::oct << (mode & 0777u);
    return text.str();
}

} // namespace

std::optional<std::string> readSecretFile(const std::filesystem::path& file, const ConfigPosition& position,
                                          Diagnostics& problems) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        const int reason = errno;
        const auto commands = commandsToLetTheServerRead(file).value_or("chown or chgrp, as root");
        problems.error(position,
                       "the secret in " + file.string() + " cannot be read: " + std::strerror(reason) +
                           (reason == EACCES ? "; let the server's user read it, run: " + commands : std::string()));
        return std::nullopt;
    }
    std::string secret(std::istreambuf_iterator<char>(stream), {});
    if (secret.ends_with('\n'))
        secret.pop_back();
    if (secret.ends_with('\r'))
        secret.pop_back();
    if (secret.empty() || secret.find('\n') != std::string::npos) {
        problems.error(position, "the file " + file.string() + " must hold the secret on one line and nothing else");
        return std::nullopt;
    }
    return secret;
}

std::optional<std::string> readCredential(const std::string& name) {
    const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
    if (!folder || !*folder || name.empty())
        return std::nullopt;
    Diagnostics missing;
    return readSecretFile(std::filesystem::path(folder) / name, {}, missing);
}

void checkSecretFileMode(const std::filesystem::path& file, const ConfigPosition& position, Diagnostics& problems) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return;
    const std::string found = file.string() + " holds a secret and has mode " + octalMode(status.st_mode);
    if (status.st_mode & S_IROTH)
        problems.error(position, found + ": every user can read it; run: " +
                                     commandsToLetTheServerRead(file).value_or("chmod o-rwx " + file.string()));
    else if ((status.st_mode & S_IRGRP) && status.st_uid != 0)
        problems.warning(position, found + ": its group can read it; run: chmod g-rwx " + file.string());
}

} // namespace supplierd::host
