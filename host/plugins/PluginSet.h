#pragma once

#include "host/config/Diagnostic.h"
#include "host/config/Settings.h"
#include "host/plugins/LoadedPlugin.h"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

struct MigrationSet;

/// Told of every step of loading before it is taken, so that a step which ends the process has been named: "loading
/// plugin 'orders' (/usr/lib/…/orders.so)".
using PluginLoadStep = std::function<void(const std::string&)>;

struct LeftOutPlugin {
    std::string id;
    std::string reason;        ///< for the operator; names the plugin
    std::vector<Route> routes; ///< that it would have; their handlers must not be called
};

/// A plugin refused to start. The message names it: "plugin 'orders' failed to start: …".
class PluginStartError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The enabled plugins, each after those that it needs. Thread: one, the one of main().
class PluginSet {
public:
    /// Loads, describes and configures what the symlinks in `settings.server.pluginsEnabled` point at. Everything that
    /// is wrong is added to `problems`, never only the first; a plugin with `optional = true` becomes a warning and is
    /// left out, and so is what needs it (an error there, unless optional too). With errors the set holds what is good;
    /// it must not be started.
    static PluginSet load(const Settings& settings, Diagnostics& problems, const PluginLoadStep& step = {});

    PluginSet() = default;
    PluginSet(PluginSet&& other) noexcept;
    PluginSet& operator=(PluginSet&&) = delete;
    /// Stops what still runs, in reverse order.
    ~PluginSet();

    /// Every scope that a plugin declares, once, in alphabetical order.
    std::vector<std::string> scopes() const;
    /// In the order of starting. start() may leave out optional plugins; references to the others that it has started
    /// hold until this set goes.
    const std::vector<LoadedPlugin>& plugins() const { return _plugins; }
    const LoadedPlugin* find(std::string_view id) const;
    /// In the order in which they must be applied: a plugin's after those of the plugins it needs.
    std::vector<MigrationSet> migrations() const;
    /// Ask after start(). Pointers hold until this set goes.
    std::vector<PluginRoute> routes() const;

    /// Leaves the plugin out, and those that need it; gives back all of them, it first. Before start().
    std::vector<LeftOutPlugin> leaveOut(const std::string& id, const std::string& reason);

    /// Starts every plugin in order; `hostFor` gives each its Host, which must live until stop() returned. When one
    /// fails, stop() is called on it and on all before it, in reverse order, and PluginStartError is thrown; an
    /// optional one is stopped, left out and reported as a warning, and so are the optional ones that need it.
    /// `leftOut` (may be null) is called before a plugin goes: withdraw its services there.
    void start(const std::function<Host&(const LoadedPlugin&)>& hostFor, Diagnostics& warnings,
               const std::function<void(const LoadedPlugin&, const std::string& reason)>& leftOut = {});
    /// Throws PluginStartError with the plugin's reason; call stop() then.
    void ready();
    /// In reverse order. Throws nothing: what a plugin throws here is added to `warnings` and the others are drained.
    void drain(Diagnostics& warnings);
    /// In reverse order; does nothing the second time.
    void stop() noexcept;

private:
    void startOne(LoadedPlugin& plugin, const std::function<Host&(const LoadedPlugin&)>& hostFor);
    std::string missingNeed(const LoadedPlugin& plugin) const;

    std::vector<LoadedPlugin> _plugins;
    std::size_t _started = 0; ///< the first of _plugins, on which stop() is due
};

} // namespace supplierd::host
