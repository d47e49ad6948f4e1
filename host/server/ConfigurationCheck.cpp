#include "host/server/ConfigurationCheck.h"

#include "host/Version.h"
#include "host/config/SettingsLoader.h"
#include "host/gate/tls/TlsContext.h"
#include "host/plugins/IsolatedRun.h"
#include "host/redis/RedisProbe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace supplierd::host {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds STEP_LIMIT{30};
constexpr std::chrono::seconds REDIS_LIMIT{2};
/// What a finding of the isolated process stands for, besides a problem.
constexpr const char* PLUGIN_COUNT = "number of plugins";
constexpr const char* CERTIFICATE_END = "end of the certificate";

/// By the effective user, who opens the files later; 0 or an error number.
int accessError(const fs::path& path, int mode) {
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 ? 0 : errno;
}

std::string because(int error) {
    return std::string(": ") + std::strerror(error);
}

class WritableFiles {
public:
    WritableFiles(const fs::path& configuration, Diagnostics& problems)
        : _configuration(configuration.string()), _problems(problems) {}

    /// One that is written beside its place and renamed.
    void replaced(const char* key, const fs::path& file) {
        if (file.empty())
            return;
        if (isFolder(file))
            reportFailure(key, file.string() + " is a folder, the name of a file is needed");
        else
            folder(key, file.parent_path());
    }

    /// One that is opened for appending, and made when it is not there.
    void appended(const char* key, const fs::path& file) {
        if (isFolder(file))
            reportFailure(key, file.string() + " is a folder, the name of a file is needed");
        else if (const int error = accessError(file, W_OK); error == ENOENT)
            folder(key, file.parent_path());
        else if (error != 0)
            reportFailure(key, file.string() + " cannot be written" + because(error));
    }

private:
    static bool isFolder(const fs::path& path) {
        std::error_code ignored;
        return fs::is_directory(path, ignored);
    }

    void folder(const char* key, const fs::path& folder) {
        std::error_code ignored;
        if (!fs::exists(folder, ignored))
            reportFailure(key, "there is no folder " + folder.string() + "; make it, owned by the user of the server");
        else if (const int error = accessError(folder, W_OK | X_OK); error != 0)
            reportFailure(key, "no file can be made in the folder " + folder.string() + because(error));
    }

    void reportFailure(const char* key, const std::string& problem) {
        _problems.error({_configuration}, std::string(key) + ": " + problem);
    }

    const std::string _configuration;
    Diagnostics& _problems;
};

/// What of the configuration this process, as the user that it runs as, would find out at its start only: files that it
/// is to write and cannot. Writes nothing.
void checkWritableFiles(const Settings& settings, Diagnostics& problems) {
    WritableFiles checks(settings.file, problems);
    checks.replaced("server.address_file", settings.server.addressFile);
    checks.replaced("server.pid_file", settings.server.pidFile);
    if (settings.log.file != "-")
        checks.appended("log.file", settings.log.file);
    if (settings.log.accessLog != "-" && settings.log.accessLog != "off")
        checks.appended("log.access_log", settings.log.accessLog);
}

/// Empty when there is none, or a problem says why it cannot be used.
std::optional<TlsCertificate> checkCertificate(const Settings& settings, Diagnostics& problems) {
    const auto& server = settings.server;
    if (server.tlsCertificate.empty() || server.tlsKey.empty())
        return std::nullopt;
    Diagnostics found;
    std::optional<TlsCertificate> certificate;
    try {
        certificate = TlsContext::check({server.tlsCertificate, server.tlsKey});
        if (const auto problem = certificate->expiryProblem(std::time(nullptr)); !problem.empty())
            found.warning({settings.file.string()}, "server.tls_certificate: " + problem);
    } catch (const std::runtime_error& failure) {
        found.error({settings.file.string()}, std::string("server.tls_certificate: ") + failure.what());
    }
    problems.addAbout(ConfigurationCheck::CERTIFICATE, found);
    return certificate;
}

/// The server starts all the same, and counts by itself.
void checkRedis(const Settings& settings, Diagnostics& problems) {
    if (!settings.redis.isUsed())
        return;
    if (const auto look = probeRedis(settings.redis, REDIS_LIMIT); !look.failure.empty())
        problems.warning({settings.file.string()},
                         "redis: " + settings.redis.where() + " cannot be used: " + look.failure);
}

struct LoadedFiles {
    Settings settings;
    std::optional<TlsCertificate> certificate;
};

LoadedFiles loadFiles(const ConfigurationSource& source, Diagnostics& problems) {
    LoadedFiles loaded{loadSettings(source.file, problems, source.original), {}};
    if (!source.pluginsEnabled.empty())
        loaded.settings.server.pluginsEnabled = source.pluginsEnabled;
    checkWritableFiles(loaded.settings, problems);
    loaded.certificate = checkCertificate(loaded.settings, problems);
    return loaded;
}

PluginSet loadPluginsOf(const Settings& settings, Diagnostics& problems, const PluginLoadStep& step) {
    Diagnostics found;
    auto plugins = PluginSet::load(settings, found, step);
    problems.addAbout(ConfigurationCheck::PLUGINS, found);
    return plugins;
}

/// In the place of what systemd passes to the server's unit (LoadCredential=), which root alone needs to be able to
/// read: copies for the server's user, in memory, while the check runs.
class PassedCredentials {
public:
    PassedCredentials(const fs::path& configFile, const ServerAccount& owner) {
        const auto folder = fs::path(DEFAULT_CONFIG_FILE).parent_path();
        if (std::getenv("CREDENTIALS_DIRECTORY") || !fs::exists("/run/systemd/system") ||
            fs::absolute(configFile).parent_path() != folder)
            return;
        std::string name = "/run/supplierd-check.XXXXXX";
        if (!::mkdtemp(name.data()))
            throw std::system_error(errno, std::generic_category(), "making the folder " + name);
        _folder = name;
        for (const char* credential : {"database-password", "redis-password"})
            if (fs::exists(folder / credential)) {
                fs::copy_file(folder / credential, _folder / credential);
                give(_folder / credential, owner);
            }
        give(_folder, owner);
        ::setenv("CREDENTIALS_DIRECTORY", _folder.c_str(), 1);
    }
    ~PassedCredentials() {
        std::error_code ignored; // nobody but this user and root can read it
        if (_folder.empty())
            return;
        ::unsetenv("CREDENTIALS_DIRECTORY");
        fs::remove_all(_folder, ignored);
    }
    PassedCredentials(const PassedCredentials&) = delete;
    PassedCredentials& operator=(const PassedCredentials&) = delete;

private:
    static void give(const fs::path& made, const ServerAccount& owner) {
        if (::chown(made.c_str(), owner.user, owner.group) != 0)
            throw std::system_error(errno, std::generic_category(), "giving away " + made.string());
    }

    fs::path _folder;
};

Finding findingOf(const Diagnostic& problem) {
    return {problem.warning ? Finding::Level::Warning : Finding::Level::Error, problem.about, problem.message,
            fmt::format("{}:{}:{}", problem.line, problem.column, problem.file)};
}

Diagnostic problemOf(const Finding& finding) {
    Diagnostic problem;
    problem.message = finding.message;
    problem.warning = finding.level == Finding::Level::Warning;
    problem.about = finding.check;
    char* rest = nullptr;
    problem.line = static_cast<int>(std::strtol(finding.fix.c_str(), &rest, 10));
    problem.column = static_cast<int>(std::strtol(rest + 1, &rest, 10));
    problem.file = rest + 1;
    return problem;
}

/// In the isolated process.
void report(const ConfigurationSource& source, const std::optional<ServerAccount>& account, FindingWriter& writer) {
    writer.enter("reading the configuration");
    if (account)
        account->become();
    Diagnostics problems;
    const LoadedFiles loaded = loadFiles(source, problems);
    checkRedis(loaded.settings, problems);
    const PluginSet plugins =
        loadPluginsOf(loaded.settings, problems, [&](const std::string& step) { writer.enter(step); });
    for (const auto& problem : problems)
        writer.add(findingOf(problem));
    if (loaded.certificate)
        writer.add({Finding::Level::Good, CERTIFICATE_END, loaded.certificate->names,
                    std::to_string(loaded.certificate->expiresAt)});
    writer.add({Finding::Level::Good, PLUGIN_COUNT, std::to_string(plugins.plugins().size())});
    writer.enter("unloading the plugins");
}

ConfigurationCheck checkOf(const IsolatedOutcome& outcome) {
    ConfigurationCheck check;
    for (const auto& finding : outcome.findings) {
        if (finding.level != Finding::Level::Good)
            check.problems.add(problemOf(finding));
        else if (finding.check == PLUGIN_COUNT)
            check.plugins = std::strtoul(finding.message.c_str(), nullptr, 10);
        else
            check.certificate = TlsCertificate{finding.message, std::strtoll(finding.fix.c_str(), nullptr, 10)};
    }
    if (outcome.end == IsolatedOutcome::End::Finished)
        return check;
    Diagnostics end;
    end.error(outcome.stage + ": " + describeEnd(outcome) +
              "; the file is damaged, or its code is wrong: install its package again, or run: supplierctl plugin "
              "disable ID");
    check.problems.addAbout(ConfigurationCheck::PLUGINS, end);
    return check;
}

} // namespace

Configuration loadConfiguration(const ConfigurationSource& source, Diagnostics& problems, const PluginLoadStep& step) {
    auto settings = loadFiles(source, problems).settings;
    auto plugins = loadPluginsOf(settings, problems, step);
    return {std::move(settings), std::move(plugins)};
}

ConfigurationCheck checkConfiguration(const ConfigurationSource& source, const std::optional<ServerAccount>& account) {
    std::optional<PassedCredentials> credentials;
    if (account)
        credentials.emplace(source.file, *account);
    return checkOf(runIsolated([&](FindingWriter& writer) { report(source, account, writer); }, STEP_LIMIT));
}

std::optional<ServerAccount> accountToCheckAs(const fs::path& file) {
    return ::geteuid() == 0 && file == DEFAULT_CONFIG_FILE ? ServerAccount::find() : std::nullopt;
}

} // namespace supplierd::host
