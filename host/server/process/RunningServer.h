#pragma once

#include "host/config/FileMark.h"
#include "host/config/Settings.h"
#include "host/plugins/PluginSet.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// What a server that runs was made of: the page /status of its admin listener, and what reads that page.
struct RunningServer {
    struct ServedPlugin {
        std::string id;
        std::string version;
        MarkedFile file; ///< the file itself, not the symlink that enables it
    };

    std::int64_t pid = 0;
    std::string version;
    std::string startedAt; ///< ISO 8601 UTC
    MarkedFile program;
    std::vector<MarkedFile> configuration;
    std::vector<ServedPlugin> plugins;
    /// Enabled, but not served: why, by id.
    std::map<std::string, std::string> leftOut;

    /// This process. To be asked for at its start: it looks at the files as they are then.
    static RunningServer current(const Settings& settings, const PluginSet& plugins);
    /// Nothing when it is no such page.
    static std::optional<RunningServer> parse(std::string_view page);
    /// `load`: what it has done and has at hand, as JSON.
    std::string toJson(const std::string& load) const;
    /// It is not served after all.
    void leaveOut(const std::string& id, const std::string& reason);

    /// What would be another thing after a restart, a sentence each; nothing when all is what it was. `settings` is the
    /// configuration as it is now.
    std::vector<std::string> outdated(const Settings& settings) const;

private:
    void findOtherConfiguration(const Settings& settings, std::vector<std::string>& found) const;
    void findOtherPlugins(const Settings& settings, std::vector<std::string>& found) const;
};

} // namespace supplierd::host
