#include "host/StandardDescriptors.h"
#include "host/Version.h"
#include "host/auth/ApiKey.h"
#include "host/config/SettingsLoader.h"
#include "host/gate/TlsContext.h"
#include "host/http/HeapTrimmer.h"
#include "host/observe/JsonLogger.h"
#include "host/plugins/PluginLook.h"
#include "host/plugins/PluginSet.h"
#include "host/redis/RedisLook.h"
#include "host/server/HandOver.h"
#include "host/server/LastGoodConfiguration.h"
#include "host/server/PassedSockets.h"
#include "host/server/Server.h"
#include "host/server/ShutdownDeadline.h"
#include "host/server/Supervisor.h"
#include "host/server/TerminationSignal.h"

#include <Poco/ErrorHandler.h>
#include <Poco/Util/HelpFormatter.h>
#include <Poco/Util/Option.h>
#include <Poco/Util/OptionSet.h>
#include <Poco/Util/ServerApplication.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace supplierd::host {

namespace {

constexpr int EXIT_FAILED = 1;
/// What a successor may take to serve beyond waiting for the database.
constexpr auto SUCCESSOR_SPARE = std::chrono::seconds(60);

/// Keys and passwords are in this process's memory: no core files, no reading by other processes of the same user.
void hideMemory() {
#if !defined(__SANITIZE_ADDRESS__) // its leak check has to look into the process
    prctl(PR_SET_DUMPABLE, 0);
#endif
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

/// Connections are files: as many as the process may have.
void raiseFileLimit() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files); // what does not go stays as it was
}

/// By the effective user, who opens the files later; 0 or an error number.
int accessError(const std::filesystem::path& path, int mode) {
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 ? 0 : errno;
}

std::string because(int error) {
    return std::string(": ") + std::strerror(error);
}

class WritableFiles {
public:
    WritableFiles(const std::filesystem::path& configuration, Diagnostics& problems)
        : _configuration(configuration.string()), _problems(problems) {}

    /// One that is written beside its place and renamed.
    void replaced(const char* key, const std::filesystem::path& file) {
        if (file.empty())
            return;
        if (isFolder(file))
            reportFailure(key, file.string() + " is a folder, the name of a file is needed");
        else
            folder(key, file.parent_path());
    }

    /// One that is opened for appending, and made when it is not there.
    void appended(const char* key, const std::filesystem::path& file) {
        if (isFolder(file))
            reportFailure(key, file.string() + " is a folder, the name of a file is needed");
        else if (const int error = accessError(file, W_OK); error == ENOENT)
            folder(key, file.parent_path());
        else if (error != 0)
            reportFailure(key, file.string() + " cannot be written" + because(error));
    }

private:
    static bool isFolder(const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored);
    }

    void folder(const char* key, const std::filesystem::path& folder) {
        std::error_code ignored;
        if (!std::filesystem::exists(folder, ignored))
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

void checkCertificate(const Settings& settings, Diagnostics& problems) {
    const auto& server = settings.server;
    if (server.tlsCertificate.empty() || server.tlsKey.empty())
        return;
    try {
        TlsContext::check({server.tlsCertificate, server.tlsKey});
    } catch (const std::runtime_error& failure) {
        problems.error({settings.file.string()}, std::string("server.tls_certificate: ") + failure.what());
    }
}

/// The server starts all the same, and counts by itself.
void checkRedis(const Settings& settings, Diagnostics& problems) {
    constexpr std::chrono::seconds LIMIT(2);
    if (!settings.redis.isUsed())
        return;
    if (const auto look = lookAtRedis(settings.redis, LIMIT); !look.failure.empty())
        problems.warning({settings.file.string()},
                         "redis: " + settings.redis.where() + " cannot be used: " + look.failure);
}

/// What ends a thread's work, or that of one connection, with nobody there to catch it.
class ThreadErrors final : public Poco::ErrorHandler {
public:
    explicit ThreadErrors(Logger& log) : _log(log), _before(Poco::ErrorHandler::set(this)) {}
    ~ThreadErrors() override { Poco::ErrorHandler::set(_before); }

    void exception(const Poco::Exception& failure) override {
        // Connections break all the time, and each request has its line in the access log already.
        const bool isConnection = dynamic_cast<const Poco::IOException*>(&failure) != nullptr ||
                                  dynamic_cast<const Poco::TimeoutException*>(&failure) != nullptr;
        tell(isConnection ? LogLevel::Debug : LogLevel::Error, failure.displayText());
    }
    void exception(const std::exception& failure) override { tell(LogLevel::Error, failure.what()); }
    void exception() override { tell(LogLevel::Error, "an exception that is no std::exception"); }

private:
    void tell(LogLevel level, const std::string& reason) {
        _log.write(level, level == LogLevel::Debug ? "a connection broke" : "a thread's work failed",
                   {{"reason", reason}});
    }

    Logger& _log;
    Poco::ErrorHandler* _before;
};

std::string allOf(const Diagnostics& problems) {
    std::string text;
    for (const auto& problem : problems)
        text += problem.toString() + '\n';
    return text;
}

std::string countOf(const Diagnostics& problems) {
    return std::to_string(problems.errors()) + " problem" + (problems.errors() == 1 ? "" : "s") +
           " in the configuration";
}

/// A running server's sockets go to its successor: empty, or what would have to listen elsewhere.
std::string movedListener(const char* setting, const Poco::Net::SocketAddress& running,
                          const Poco::Net::SocketAddress& wanted) {
    if (running == wanted)
        return {};
    return std::string(setting) + " was " + running.toString() + " and is " + wanted.toString() +
           " now: for that the server has to be stopped and started\n";
}

std::string defaultConfig() {
    const char* fromEnvironment = std::getenv("SUPPLIERD_CONFIG");
    return fromEnvironment && *fromEnvironment ? fromEnvironment : DEFAULT_CONFIG_FILE;
}

} // namespace

class SupplierdApplication final : public Poco::Util::ServerApplication {
public:
    /// As run(), but a wrong option is told on standard error and is wrong usage.
    int start(int argc, char** argv) {
        _handOver = std::make_unique<HandOver>(argv);
        try {
            init(argc, argv);
        } catch (const Poco::Exception& wrong) {
            std::cerr << "supplierd: " << maskedKeys(wrong.displayText()) << "; see supplierd --help\n";
            return EXIT_USAGE;
        }
        return run();
    }

protected:
    void defineOptions(Poco::Util::OptionSet& options) override {
        using Poco::Util::Option;
        using Poco::Util::OptionCallback;
        // Without the base class's: the server stays in the foreground, systemd or a container looks after it.
        const OptionCallback<SupplierdApplication> take(this, &SupplierdApplication::takeOption);
        options.addOption(
            Option("config", "c",
                   "the configuration file; default: $SUPPLIERD_CONFIG or " + std::string(DEFAULT_CONFIG_FILE))
                .argument("FILE")
                .callback(take));
        options.addOption(Option("check-config", "",
                                 "check the configuration and the enabled plugins, report everything that is wrong, "
                                 "and exit: 0 when the server could start, 1 otherwise")
                              .callback(take));
        options.addOption(
            Option("last-good", "",
                   "keep a copy of the configuration in FOLDER once it serves, and start with that copy when "
                   "the configuration is broken")
                .argument("FOLDER")
                .callback(take));
        options.addOption(Option("version", "V", "print the version and exit").callback(take));
        options.addOption(Option("help", "h", "print this help and exit").callback(take));
    }

    int main(const std::vector<std::string>& rest) override {
        if (_showHelp)
            return printHelp();
        if (_showVersion) {
            std::cout << "supplierd " << VERSION << " (SDK ABI " << SDK_ABI_TEXT << ")\n";
            return EXIT_OK;
        }
        if (!rest.empty()) {
            std::cerr << "supplierd: unexpected argument '" << maskedKeys(rest.front()) << "'; see supplierd --help\n";
            return EXIT_USAGE;
        }
        try {
            return serve();
        } catch (const NotSetUpError& failure) {
            reportFailure(std::string("supplierd: ") + failure.what());
            return EXIT_CONFIG;
        } catch (const Poco::Exception& failure) {
            reportFailure("supplierd: " + failure.displayText());
        } catch (const std::exception& failure) {
            reportFailure(std::string("supplierd: ") + failure.what());
        }
        return EXIT_FAILED;
    }

private:
    void takeOption(const std::string& name, const std::string& value) {
        if (name == "config")
            _configFile = value;
        else if (name == "check-config")
            _checkOnly = true;
        else if (name == "last-good")
            _lastGood = LastGoodConfiguration(value);
        else if (name == "version")
            _showVersion = true;
        else
            _showHelp = true;
        if (_showHelp || _showVersion)
            stopOptionsProcessing();
    }

    int printHelp() const {
        Poco::Util::HelpFormatter help(options());
        help.setCommand("supplierd");
        help.setUsage("[--config=FILE] [--check-config] [--last-good=FOLDER]");
        help.setHeader(
            "The supplier API server. Signals: TERM and INT stop it gracefully; USR1 opens the log files anew; USR2 "
            "hands over to a new process of the program that is installed by then, without a lost request; HUP does "
            "so, "
            "too, for a changed configuration, and only when it passes.");
        help.setFooter(
            "Exit codes: 0 stopped as asked, 1 could not start or run, 64 wrong usage, 78 its database "
            "has to be set up or migrated first. Commands for the database, keys and plugins: supplierctl --help.");
        help.format(std::cout);
        return EXIT_OK;
    }

    /// Why it does not start, for whoever started it, if they read it: a pipe that nobody reads must not keep a process
    /// that has nothing to do.
    void reportFailure(const std::string& reason) {
        LogWriter("stderr").write(reason + '\n');
        _predecessor.failed(reason);
    }

    /// A damaged file of a plugin can end the process: then this has named it.
    static void announce(const std::string& step) { std::cerr << "supplierd: " << step << std::endl; }

    struct Configuration {
        Settings settings;
        std::optional<PluginSet> plugins;
    };

    /// From this file, which is the configured one or its copy.
    std::unique_ptr<Configuration> load(const std::filesystem::path& file, Diagnostics& problems) const {
        auto loaded = std::make_unique<Configuration>();
        auto& settings = loaded->settings;
        settings = loadSettings(file, problems, _configFile);
        checkWritableFiles(settings, problems);
        checkCertificate(settings, problems);
        if (_checkOnly)
            checkRedis(settings, problems);
        loaded->plugins.emplace(_checkOnly ? loadPlugins(settings, problems)
                                           : PluginSet::load(settings, problems, announce));
        return loaded;
    }

    /// It serves: with the configuration, which is a good one then, or with the one of before because it is `broken`.
    void noteConfiguration(Logger& log, const std::string& broken) {
        if (!broken.empty()) {
            log.error("the configuration is broken; this server runs with the one of before: mend it, and restart",
                      {{"reason", broken}});
            return;
        }
        auto failure = _notStaged;
        if (failure.empty())
            failure = _lastGood.keep();
        if (!failure.empty())
            log.warning("no copy of the configuration could be kept for a restart", {{"reason", failure}});
    }

    int serve() {
        const auto passed = _checkOnly ? PassedSockets() : PassedSockets::fromEnvironment();
        Diagnostics problems;
        auto configuration = load(_configFile, problems);
        // A successor that finds it broken leaves the work to its predecessor.
        const auto copy = _checkOnly || _predecessor.exists() ? std::nullopt : _lastGood.find(_configFile);
        std::string broken;
        if (problems.hasErrors() && copy) {
            broken = allOf(problems) + countOf(problems);
            LogWriter("stderr").write(broken + ": trying " + copy->string() + ", with which it ran before\n");
            configuration.reset();
            problems = Diagnostics();
            configuration = load(*copy, problems);
        }
        if (problems.hasErrors()) {
            reportFailure(allOf(problems) + "supplierd: " + (_checkOnly ? "" : "not started, ") + countOf(problems));
            return EXIT_FAILED;
        }
        for (const auto& warning : problems)
            std::cerr << warning.toString() << '\n';
        const auto& settings = configuration->settings;
        auto& plugins = *configuration->plugins;
        if (_checkOnly) {
            std::cout << "configuration ok: " << plugins.plugins().size() << " plugins enabled\n";
            return EXIT_OK;
        }
        if (broken.empty())
            _notStaged = _lastGood.stage(_configFile);
        hideMemory();
        raiseFileLimit();
        std::signal(SIGPIPE, SIG_IGN);
        TerminationSignal termination;
        ShutdownDeadline deadline(termination, settings.server.shutdownDeadline);
        Supervisor supervisor(_predecessor.exists());
        Server server(settings, plugins, {termination, deadline, supervisor, passed.uses(settings.server)});
        const ThreadErrors threadErrors(server.log());
        auto reason = Server::StopReason::Stopped;
        if (server.start()) {
            _predecessor.ready();
            server.serve();
            supervisor.ready(server.summary() +
                             (broken.empty() ? "" : ", with the configuration of before: see the log"));
            supervisor.becomeMain();
            noteConfiguration(server.log(), broken);
            reason = serveOn(server, termination, supervisor, settings);
        }
        server.stop(reason);
        return EXIT_OK;
    }

    /// Until it is to end, or has a successor.
    Server::StopReason serveOn(Server& server, TerminationSignal& termination, const Supervisor& supervisor,
                               const Settings& settings) const {
        for (auto request = termination.wait(); request != TerminationSignal::Request::Terminate;
             request = termination.wait()) {
            const bool isReload = request == TerminationSignal::Request::Reload;
            const std::string signal = isReload ? "SIGHUP" : "handing over"; // SIGUSR2, or another cluster (Server)
            if (const auto reason = isReload ? whyNotReloaded(settings) : std::string(); !reason.empty()) {
                server.log().error("SIGHUP: the configuration is not taken, this server serves on as it was",
                                   {{"reason", reason}});
                continue;
            }
            server.log().information(signal + ": starting a successor");
            supervisor.handingOver();
            const auto limit = settings.database.startDeadline + SUCCESSOR_SPARE;
            const auto result = _handOver->run(server.sockets(), termination, limit, [&server] { server.yield(); });
            if (result.failure.empty()) {
                supervisor.handedOverTo(result.successor);
                return Server::StopReason::HandedOver;
            }
            server.log().error(signal + ": no successor, this server serves on", {{"reason", result.failure}});
            supervisor.ready(server.summary());
        }
        return Server::StopReason::Stopped;
    }

    /// What can be known without a successor, which checks everything once more; empty: nothing is wrong.
    std::string whyNotReloaded(const Settings& running) const {
        if (::getpid() == 1)
            return "this is the first process of its container, which would end with it: restart the container";
        Diagnostics problems;
        const auto wanted = loadSettings(_configFile, problems);
        if (problems.hasErrors())
            return allOf(problems) + countOf(problems);
        return movedListener("server.listen", running.server.listen, wanted.server.listen) +
               movedListener("server.admin_listen", running.server.adminListen, wanted.server.adminListen);
    }

    std::unique_ptr<HandOver> _handOver;
    Predecessor _predecessor;
    std::string _configFile = defaultConfig();
    LastGoodConfiguration _lastGood{{}};
    std::string _notStaged; ///< why
    bool _checkOnly = false;
    bool _showVersion = false;
    bool _showHelp = false;
};

} // namespace supplierd::host

int main(int argc, char** argv) {
    supplierd::host::openStandardDescriptors();
    supplierd::host::HeapTrimmer::configure();
    supplierd::host::SupplierdApplication application;
    return application.start(argc, argv);
}
