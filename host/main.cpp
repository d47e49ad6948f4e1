#include "host/StandardDescriptors.h"
#include "host/Version.h"
#include "host/auth/ApiKey.h"
#include "host/config/SettingsLoader.h"
#include "host/http/pipeline/HeapTrimmer.h"
#include "host/observe/CurrentWork.h"
#include "host/observe/JsonLogger.h"
#include "host/server/ConfigurationCheck.h"
#include "host/server/Server.h"
#include "host/server/process/HandOver.h"
#include "host/server/process/LastGoodConfiguration.h"
#include "host/server/process/PassedSockets.h"
#include "host/server/process/ReloadRequest.h"
#include "host/server/process/ShutdownDeadline.h"
#include "host/server/process/Supervisor.h"
#include "host/server/process/TerminationSignal.h"

#include <supplierd/JsonWriter.h>

#include <Poco/Environment.h>
#include <Poco/ErrorHandler.h>
#include <Poco/Util/HelpFormatter.h>
#include <Poco/Util/IntValidator.h>
#include <Poco/Util/Option.h>
#include <Poco/Util/OptionSet.h>
#include <Poco/Util/ServerApplication.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
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

/// That it runs with, such as "1.11.0".
std::string pocoVersion() {
    const auto version = Poco::Environment::libraryVersion(); // 0xAABBCCDD is AA.BB.CC
    return std::to_string(version >> 24) + '.' + std::to_string(version >> 16 & 0xff) + '.' +
           std::to_string(version >> 8 & 0xff);
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
        options.addOption(
            Option("check-config", "",
                   "check the configuration, TLS files and the enabled plugins as the user who runs it, "
                   "report everything that is wrong, and exit: 0 when the server could start, 1 otherwise")
                .callback(take));
        options.addOption(
            Option("last-good", "",
                   "keep a copy of the configuration in FOLDER once it serves, which plugins are enabled included, "
                   "and start with that copy when what is configured cannot be started")
                .argument("FOLDER")
                .callback(take));
        options.addOption(Option("reload", "",
                                 "have the server of this process take its changed configuration, wait until a "
                                 "successor serves with it, and exit: 0 when one does, 1 when the server goes on as "
                                 "it was, with the reason on standard error")
                              .argument("PID")
                              .validator(new Poco::Util::IntValidator(2, std::numeric_limits<pid_t>::max()))
                              .callback(take));
        options.addOption(Option("version", "V", "print the version and exit").callback(take));
        options.addOption(Option("json", "", "with --version: print it as JSON").callback(take));
        options.addOption(Option("help", "h", "print this help and exit").callback(take));
    }

    int main(const std::vector<std::string>& rest) override {
        if (_showHelp)
            return printHelp();
        if (_showVersion)
            return printVersion();
        if (_isJson) {
            std::cerr << "supplierd: --json goes with --version; see supplierd --help\n";
            return EXIT_USAGE;
        }
        if (!rest.empty()) {
            std::cerr << "supplierd: unexpected argument '" << maskedKeys(rest.front()) << "'; see supplierd --help\n";
            return EXIT_USAGE;
        }
        try {
            if (_reloads > 0)
                return reload();
            return _checkOnly ? check() : serve();
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
        else if (name == "reload")
            _reloads = std::stoi(value);
        else if (name == "last-good")
            _lastGood = LastGoodConfiguration(value);
        else if (name == "version")
            _showVersion = true;
        else if (name == "json")
            _isJson = true;
        else
            _showHelp = true;
        if (_showHelp)
            stopOptionsProcessing();
    }

    int printVersion() const {
        if (!_isJson) {
            std::cout << "supplierd " << VERSION << " (SDK ABI " << SDK_ABI_TEXT << ")\n";
            return EXIT_OK;
        }
        std::string text;
        JsonWriter json(text);
        json.beginObject().field("version", VERSION).field("sdk_abi", SDK_ABI_TEXT);
        json.field("poco", pocoVersion()).endObject();
        std::cout << text << '\n';
        return EXIT_OK;
    }

    int printHelp() const {
        Poco::Util::HelpFormatter help(options());
        help.setCommand("supplierd");
        help.setUsage("[--config=FILE] [--check-config | --reload=PID | --version [--json]] [--last-good=FOLDER]");
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

    /// It serves: with the configuration, which is a good one then, or with the one of before because it is `broken`.
    void noteConfiguration(Logger& log, const std::string& broken) {
        if (!broken.empty()) {
            log.error("the configuration is broken; this server runs with the one of before: correct it, and reload",
                      {{"reason", broken}});
            return;
        }
        auto failure = _notStaged;
        if (failure.empty())
            failure = _lastGood.keep();
        if (!failure.empty())
            log.warning("no copy of the configuration could be kept for a restart", {{"reason", failure}});
    }

    int reload() const {
        const auto failure = ReloadRequest(_reloads).wait();
        if (failure.empty())
            return EXIT_OK;
        std::cerr << "supplierd: the configuration is not taken, the server goes on as it was: " << failure << '\n';
        return EXIT_FAILED;
    }

    int check() const {
        const auto check = checkConfiguration({_configFile});
        if (check.problems.hasErrors()) {
            LogWriter("stderr").write(allOf(check.problems) + "supplierd: " + countOf(check.problems) + '\n');
            return EXIT_FAILED;
        }
        std::cerr << allOf(check.problems);
        std::cout << "configuration ok: " << check.plugins << " plugins enabled\n";
        return EXIT_OK;
    }

    int serve() {
        const auto passed = PassedSockets::fromEnvironment();
        hideMemory();
        raiseFileLimit();
        std::signal(SIGPIPE, SIG_IGN);
        Diagnostics problems;
        auto configuration =
            std::make_unique<Configuration>(host::loadConfiguration({_configFile}, problems, announce));
        // A successor that finds it broken leaves the work to its predecessor.
        const auto copy = _predecessor.exists() ? std::nullopt : _lastGood.find(_configFile);
        if (problems.hasErrors() && !copy)
            return refuse(problems);
        std::string broken = problems.hasErrors() ? allOf(problems) + countOf(problems) : std::string();
        reportCrashes();
        TerminationSignal termination;
        if (broken.empty()) {
            for (const auto& warning : problems)
                std::cerr << warning.toString() << '\n';
            _notStaged = _lastGood.stage(_configFile, configuration->settings.server.pluginsEnabled);
            try {
                return serve(*configuration, copy ? passed.duplicate() : passed, termination, {});
            } catch (const PluginStartError& failure) {
                if (!copy)
                    throw;
                broken = failure.what();
            }
        }
        LogWriter("stderr").write(broken + ": trying " + copy->file.string() + ", with which it ran before\n");
        configuration.reset();
        problems = Diagnostics();
        configuration = std::make_unique<Configuration>(host::loadConfiguration(*copy, problems, announce));
        return problems.hasErrors() ? refuse(problems) : serve(*configuration, passed, termination, broken);
    }

    int refuse(const Diagnostics& problems) {
        reportFailure(allOf(problems) + "supplierd: not started, " + countOf(problems));
        return EXIT_FAILED;
    }

    /// Throws as Server::start(). `broken`: why this is the configuration of before; empty: it is not.
    int serve(Configuration& configuration, const PassedSockets& passed, TerminationSignal& termination,
              const std::string& broken) {
        const auto& settings = configuration.settings;
        ShutdownDeadline deadline(termination, settings.server.shutdownDeadline);
        Supervisor supervisor(_predecessor.exists());
        Server server(settings, configuration.plugins,
                      {termination, deadline, supervisor, passed.uses(settings.server)});
        const ThreadErrors threadErrors(server.log());
        auto reason = StopReason::Stopped;
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
    StopReason serveOn(Server& server, TerminationSignal& termination, const Supervisor& supervisor,
                       const Settings& settings) const {
        for (auto request = termination.wait(); request != TerminationSignal::Request::Terminate;
             request = termination.wait()) {
            const bool isReload = request == TerminationSignal::Request::Reload;
            const auto askers = termination.takeAskers();
            const std::string signal = isReload ? "SIGHUP" : "handing over"; // SIGUSR2, or another cluster (Server)
            if (const auto reason = isReload ? whyNotReloaded(settings) : std::string(); !reason.empty()) {
                server.log().error("SIGHUP: the configuration is not taken, this server serves on as it was",
                                   {{"reason", reason}});
                ReloadRequest::answer(askers, reason);
                continue;
            }
            server.log().information(signal + ": starting a successor");
            const auto limit = settings.database.startDeadline + SUCCESSOR_SPARE;
            supervisor.handingOver(limit);
            const auto result = _handOver->run(server.sockets(), termination, limit, [&server] { server.yield(); });
            if (result.failure.empty()) {
                supervisor.handedOverTo(result.successor);
                ReloadRequest::answer(askers, {});
                return StopReason::HandedOver;
            }
            server.log().error(signal + ": no successor, this server serves on", {{"reason", result.failure}});
            supervisor.ready(server.summary());
            ReloadRequest::answer(askers, result.failure);
        }
        return StopReason::Stopped;
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
    pid_t _reloads = 0;     ///< the server that is to take its configuration
    bool _checkOnly = false;
    bool _showVersion = false;
    bool _isJson = false;
    bool _showHelp = false;
};

} // namespace supplierd::host

int main(int argc, char** argv) {
    supplierd::host::openStandardDescriptors();
    supplierd::host::HeapTrimmer::configure();
    supplierd::host::SupplierdApplication application;
    return application.start(argc, argv);
}
