#include "host/ctl/plugin/PluginServices.h"

#include "host/ctl/terminal/CommandFailure.h"
#include "host/plugins/PluginLook.h"
#include "host/plugins/PluginNoteReader.h"

#include <supplierd/Log.h>

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <string>

namespace supplierd::host {

namespace {

/// What a plugin that runs within supplierctl logs: warnings and errors, one line each, for people. Thread: one.
class StderrLog final : public Logger {
public:
    StderrLog(std::ostream& out, std::string pluginId) : _out(out), _pluginId(std::move(pluginId)) {}

    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
        if (level < LogLevel::Warning)
            return;
        std::string line = (level == LogLevel::Error ? "error: plugin '" : "warning: plugin '") + _pluginId + "': ";
        line += message;
        for (const auto& field : fields)
            line.append(", ").append(field.name).append(": ").append(field.value);
        _out << line << "\n";
    }

private:
    std::ostream& _out;
    std::string _pluginId;
};

/// Why there is no such service, and which command mends that.
std::string describeMissing(const Settings& settings, const std::string& serviceId, const Diagnostics& problems) {
    const auto& folder = settings.server.pluginDir;
    if (!std::filesystem::is_directory(folder))
        return fmt::format("this needs a plugin, and the folder of plugins {} does not exist", folder.string());
    const PluginSymlinks symlinks = pluginSymlinks(settings.server);
    if (isPluginId(serviceId) && symlinks.isEnabled(serviceId))
        return fmt::format("the plugin '{}' cannot be used:\n{}", serviceId, problems.toString());
    const auto offerers = symlinks.offerersOf(serviceId);
    if (offerers.empty())
        return fmt::format("this needs the service '{}', which no plugin in {} offers", serviceId, folder.string());
    for (const auto& plugin : symlinks.list())
        if (plugin.id == offerers.front() && plugin.enabled)
            return fmt::format("this needs the plugin '{}', which cannot be used:\n{}", plugin.id, problems.toString());
    return fmt::format("this needs the plugin '{0}', which is not enabled; run: supplierctl plugin enable {0}",
                       offerers.front());
}

} // namespace

PluginServices::PluginServices(const Dependencies& dependencies, const std::string& serviceId)
    : PluginServices(dependencies, Plugin{serviceId}) {
    if (!_services.find(serviceId)) // promised in its description, not offered in its start()
        throw CommandFailure("no plugin offered the service '" + serviceId + "'");
}

PluginServices::PluginServices(const Dependencies& dependencies, const Plugin& plugin)
    : _metrics(std::make_shared<prometheus::Registry>()),
      _offered(_services, dependencies.database, dependencies.audit),
      _plugins(load(dependencies, plugin.id)) {
    start(dependencies);
}

PluginServices::~PluginServices() {
    _operations.clear(); // before the plugins whose functions they are
}

PluginSet PluginServices::load(const Dependencies& dependencies, const std::string& name) {
    Diagnostics problems;
    auto plugins = loadPlugins(dependencies.settings, problems);
    _offered.keys().setKnownScopes(plugins.scopes()); // of all plugins, also of those that are not needed here
    if (!name.empty() && !plugins.keepOnlyFor(name))
        throw CommandFailure(describeMissing(dependencies.settings, name, problems));
    for (const auto& problem : problems) // none of them is about the plugins that are kept
        dependencies.err << problem.toString() << "\n";
    return plugins;
}

void PluginServices::start(const Dependencies& dependencies) {
    Diagnostics warnings;
    try {
        _plugins.start(
            [&](const LoadedPlugin& plugin) -> Host& {
                _hosts.push_back(std::make_unique<PluginHost>(
                    plugin,
                    PluginHost::Dependencies{
                        .database = dependencies.database, .services = _services, .registry = _metrics},
                    PluginScope::Dependencies{.pluginId = plugin.id(),
                                              .operations = _operations,
                                              .stateDir = dependencies.settings.server.stateDir,
                                              .makesFolder = false},
                    std::make_shared<StderrLog>(dependencies.err, plugin.id())));
                return *_hosts.back();
            },
            warnings,
            [this](const LoadedPlugin& plugin, const std::string&) {
                _services.withdraw(plugin.id());
                _operations.withdraw(plugin.id());
            });
    } catch (const PluginStartError& failure) {
        throw CommandFailure(failure.what());
    }
    for (const auto& warning : warnings)
        dependencies.err << warning.toString() << "\n";
}

} // namespace supplierd::host
