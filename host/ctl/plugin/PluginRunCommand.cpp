#include "host/ctl/plugin/NeededPlugins.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginLook.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

struct Trial {
    std::string file;
    int port = 0;
    std::vector<std::string> with;
    std::string configuration;
};

/// Where this program was installed, or built.
struct Installation {
    fs::path control;
    fs::path server;
    fs::path script;
    fs::path plugins;
};

Installation findInstallation(ControlContext& context) {
    const auto control = fs::canonical("/proc/self/exe");
    const auto root = control.parent_path().parent_path();
    Installation found{control, control.parent_path() / "supplierd", root / "libexec/supplierd/plugin-run",
                       installedPluginFolder(context)};
    if (!fs::exists(found.server))
        found.server = root / "sbin/supplierd";
    for (const auto& [file, package] : {std::pair<fs::path, const char*>(found.server, "supplierd"),
                                        std::pair<fs::path, const char*>(found.script, "supplierd-plugin-dev")})
        if (!fs::exists(file))
            throw CommandFailure(fmt::format("there is no {}; run: apt-get install {}", file.string(), package));
    return found;
}

/// The plugin, and what it and those need, each once; and the one by which suppliers and keys are made.
std::vector<std::string> collectFiles(const Trial& trial, const fs::path& folder) {
    const auto facts = lookAtPlugin(trial.file);
    std::vector<std::string> wanted = trial.with;
    wanted.insert(wanted.end(), facts.needs.begin(), facts.needs.end());
    wanted.emplace_back("platform");
    const auto needed = NeededPlugins::find(wanted, folder, lookAtPlugin);
    if (!needed.missing.empty())
        throw CommandFailure(fmt::format("'{}' is needed, and no plugin in {} is or offers that",
                                         needed.missing.front(), folder.string()));
    std::vector<std::string> files = {fs::absolute(trial.file).string()};
    for (const auto& file : needed.files)
        if (file.stem() != facts.id)
            files.push_back(file.string());
    return files;
}

void runTrial(ControlContext& context, const Trial& trial) {
    const auto note = readPluginNote(trial.file);
    const auto installation = findInstallation(context);
    std::vector<std::string> arguments = {installation.script,
                                          installation.control,
                                          installation.server,
                                          installation.plugins,
                                          std::to_string(trial.port),
                                          trial.configuration,
                                          note.id};
    for (auto& file : collectFiles(trial, installation.plugins))
        arguments.push_back(std::move(file));
    std::vector<char*> pointers;
    for (auto& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    context.out() << std::flush;
    ::execv(pointers.front(), pointers.data());
    throw CommandFailure(fmt::format("cannot run {}: {}", installation.script.string(), std::strerror(errno)));
}

} // namespace

void addPluginRunCommand(CLI::App& plugin, ControlContext& context) {
    auto trial = std::make_shared<Trial>();
    auto* command = plugin.add_subcommand("run", "Try a built plugin in a server of its own, until Ctrl-C");
    command->add_option("FILE", trial->file, "The shared library")->required();
    command->add_option("--port", trial->port, "Of the API; 0: a free one")
        ->check(CLI::Range(0, 65'535))
        ->capture_default_str();
    command->add_option("--with", trial->with, "Another installed plugin to serve beside it; repeatable")
        ->type_name("ID")
        ->allow_extra_args(false);
    command->add_option("--toml", trial->configuration, "More of the configuration, as in the file: '[plugins.notes]'")
        ->type_name("TEXT");
    command->footer(
        "Needs no root and no configuration: a private MariaDB (mariadbd of the PATH) and the server run as you,\n"
        "in a temporary folder, with the plugin and those that it needs. Prints the URL, a supplier's key and an\n"
        "operator's; the server's log follows. Ctrl-C ends it, and nothing stays.");
    command->callback([&context, trial] {
        try {
            runTrial(context, *trial);
        } catch (const PluginFileError& error) {
            throw CommandFailure(error.what());
        }
    });
}

} // namespace supplierd::host
