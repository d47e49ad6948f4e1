#include "host/config/ConfigFiles.h"

#include "host/config/TomlReader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace supplierd::host {

namespace {

/// The files `*.toml` of a folder beside the configuration file, by name; as the configuration file was named.
std::vector<std::filesystem::path> tomlFiles(const std::filesystem::path& folder, Diagnostics& problems) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".toml" && !entry->path().filename().string().starts_with('.'))
            files.push_back(entry->path());
    }
    if (error && error != std::errc::no_such_file_or_directory)
        problems.error({folder.string()}, "the folder cannot be read: " + error.message());
    std::sort(files.begin(), files.end());
    return files;
}

/// server.plugins_enabled, before the settings are checked: it decides which files belong to them.
std::string enabledFolder(const ConfigTable& root, const std::vector<ConfigTable>& overrides) {
    std::string folder = "plugins-enabled";
    const auto take = [&folder](const ConfigTable& table) {
        const ConfigEntry* entry = table.find("server.plugins_enabled");
        if (const std::string* text = entry ? std::get_if<std::string>(&entry->value.data) : nullptr)
            folder = *text;
    };
    take(root);
    for (const ConfigTable& table : overrides)
        take(table);
    return folder;
}

} // namespace

ConfigFiles readConfigFiles(const std::filesystem::path& file, const std::filesystem::path& folder,
                            Diagnostics& problems) {
    ConfigFiles read;
    const auto readOne = [&](const std::filesystem::path& one) {
        std::error_code error;
        read.files.push_back(markFile(std::filesystem::absolute(one, error).lexically_normal()));
        return readTomlFile(one, problems);
    };
    if (auto table = readOne(file))
        read.merged = std::move(*table);
    std::vector<ConfigTable> overrides;
    for (const auto& one : tomlFiles(file.parent_path() / "conf.d", problems)) {
        if (auto table = readOne(one))
            overrides.push_back(std::move(*table));
    }
    const std::string named = enabledFolder(read.merged, overrides);
    const auto enabled = named.empty() ? std::filesystem::path() : (folder / named).lexically_normal();
    for (const auto& one : tomlFiles(file.parent_path() / "plugins-available", problems)) {
        std::error_code error;
        if (!std::filesystem::exists(std::filesystem::symlink_status(enabled / one.stem().concat(".so"), error)))
            continue;
        if (auto table = readOne(one))
            read.merged.merge(std::move(*table));
    }
    for (ConfigTable& table : overrides)
        read.merged.merge(std::move(table));
    return read;
}

} // namespace supplierd::host
