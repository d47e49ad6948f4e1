#include "host/server/process/LastGoodConfiguration.h"

#include "host/config/SettingsLoader.h"
#include "host/plugins/PluginSymlinks.h"

namespace supplierd::host {

namespace fs = std::filesystem;

namespace {

constexpr const char* PLUGINS = "plugins-enabled";

/// Throws std::filesystem::filesystem_error.
void copyFiles(const fs::path& configFile, const fs::path& to) {
    const auto from = fs::absolute(configFile).lexically_normal().parent_path();
    fs::remove_all(to);
    fs::create_directory(to);
    fs::permissions(to, fs::perms::owner_all); // it may hold a password
    for (const auto& file : configurationFiles(configFile)) {
        const auto target = to / file.path.lexically_relative(from);
        fs::create_directories(target.parent_path());
        fs::copy_file(file.path, target);
    }
}

} // namespace

std::optional<ConfigurationSource> LastGoodConfiguration::find(const fs::path& configFile) const {
    std::error_code error;
    const auto copy = _folder / configFile.filename();
    if (_folder.empty() || !fs::is_regular_file(copy, error))
        return std::nullopt;
    return ConfigurationSource{copy, configFile, _folder / PLUGINS};
}

std::string LastGoodConfiguration::stage(const fs::path& configFile, const fs::path& pluginsEnabled) {
    if (_folder.empty())
        return {};
    try {
        copyFiles(configFile, beside(".new"));
        fs::create_directory(beside(".new") / PLUGINS);
        copyEnabledPlugins(pluginsEnabled, beside(".new") / PLUGINS);
        _isStaged = true;
        return {};
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

std::string LastGoodConfiguration::keep() {
    if (!std::exchange(_isStaged, false))
        return {};
    try {
        fs::remove_all(beside(".old"));
        if (fs::exists(_folder))
            fs::rename(_folder, beside(".old"));
        fs::rename(beside(".new"), _folder);
        fs::remove_all(beside(".old"));
        return {};
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

fs::path LastGoodConfiguration::beside(const char* ending) const {
    return _folder.string() + ending;
}

} // namespace supplierd::host
