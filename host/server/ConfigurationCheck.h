#pragma once

#include "host/config/Diagnostic.h"
#include "host/config/ServerAccount.h"
#include "host/config/Settings.h"
#include "host/gate/tls/TlsCertificate.h"
#include "host/plugins/PluginSet.h"

#include <cstddef>
#include <filesystem>
#include <optional>

namespace supplierd::host {

/// Where a configuration is read from.
struct ConfigurationSource {
    std::filesystem::path file;
    std::filesystem::path original = {};       ///< of a copy: the file whose folder relative paths are taken from
    std::filesystem::path pluginsEnabled = {}; ///< instead of the configured folder; empty: that one
};

/// What a server is started with: settings, and the plugins that they enable, loaded into this process.
struct Configuration {
    Settings settings;
    PluginSet plugins;
};

/// Adds to `problems` everything that would keep a server of this user from starting with it, as far as neither the
/// database nor a port has to be asked: the files of the configuration, TLS files, files that it is to write, plugins.
/// With errors the result must not be served. A damaged plugin file can end the process, after `step` has named it.
Configuration loadConfiguration(const ConfigurationSource& source, Diagnostics& problems,
                                const PluginLoadStep& step = {});

struct ConfigurationCheck {
    static constexpr const char* PLUGINS = "plugins"; ///< Diagnostic::about
    static constexpr const char* CERTIFICATE = "TLS certificate";

    Diagnostics problems;
    std::size_t plugins = 0;                   ///< that are loaded
    std::optional<TlsCertificate> certificate; ///< of a pair that can be used
};

/// The same in a process of its own, which changes nothing here whatever a plugin does; asks Redis, too. Behind
/// `supplierd --check-config`, `supplierctl config check`, `plugin enable` and `doctor`. `account`: whose rights
/// decide; only root can give one. Call it while this process has one thread.
ConfigurationCheck checkConfiguration(const ConfigurationSource& source,
                                      const std::optional<ServerAccount>& account = std::nullopt);

/// The account that a check judges as: the packages' one, when root asks about the installed configuration.
std::optional<ServerAccount> accountToCheckAs(const std::filesystem::path& file);

} // namespace supplierd::host
