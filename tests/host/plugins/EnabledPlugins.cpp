#include "tests/host/plugins/EnabledPlugins.h"

#include "host/config/SettingsLoader.h"

#include <fstream>

namespace supplierd::tests {

namespace {

void replaceAll(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

} // namespace

EnabledPlugins::EnabledPlugins(const std::vector<std::string>& fixtures) : _directory("plugins") {
    std::filesystem::create_directory(path("plugins-enabled"));
    std::filesystem::create_directory(path("conf.d"));
    configure("");
    for (const std::string& name : fixtures)
        enable(name);
}

void EnabledPlugins::enable(std::string_view name) const {
    link(name, fixture(name));
}

void EnabledPlugins::link(std::string_view name, const std::filesystem::path& target) const {
    std::filesystem::create_symlink(target, path("plugins-enabled") / (std::string(name) + ".so"));
}

void EnabledPlugins::configure(std::string_view text) const {
    std::ofstream(path("conf.d/plugin-dir.toml")) << "[server]\nplugin_dir = \"" SUPPLIERD_TEST_FIXTURE_DIR "\"\n";
    std::ofstream(path("supplierd.toml")) << "# of a test\n" << text;
}

std::filesystem::path EnabledPlugins::fixture(std::string_view name) {
    return std::filesystem::path(SUPPLIERD_TEST_FIXTURE_DIR) / (std::string(name) + ".so");
}

host::PluginSet EnabledPlugins::load() {
    _problems = {};
    const host::Settings settings = host::loadSettings(path("supplierd.toml"), _problems);
    return host::PluginSet::load(settings, _problems);
}

std::string EnabledPlugins::shortened(std::string text) const {
    replaceAll(text, SUPPLIERD_TEST_FIXTURE_DIR, "<fixtures>");
    replaceAll(text, _directory.path().string(), "<config>");
    return text;
}

std::string ids(const host::PluginSet& plugins) {
    std::string text;
    for (const host::LoadedPlugin& plugin : plugins.plugins())
        text += (text.empty() ? "" : " ") + plugin.id();
    return text;
}

} // namespace supplierd::tests
