#include "host/server/process/RunningServer.h"

#include "host/Version.h"
#include "host/config/SettingsLoader.h"

#include <supplierd/JsonWriter.h>

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Timestamp.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <system_error>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

fs::path target(const fs::path& symlink) {
    std::error_code error;
    const auto file = fs::canonical(symlink, error);
    return error ? symlink : file;
}

void write(JsonWriter& json, const MarkedFile& file) {
    json.beginObject().field("path", file.path.string()).field("mark", file.mark).endObject();
}

MarkedFile readFile(const nlohmann::json& json) {
    return {json.at("path").get<std::string>(), json.at("mark").get<std::string>()};
}

bool isAsBefore(const MarkedFile& before) {
    return markFile(before.path) == before;
}

/// The plugins that a start would load, by id, with their files.
std::map<std::string, fs::path> enabledPlugins(const fs::path& folder) {
    std::map<std::string, fs::path> plugins;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".so")
            plugins.emplace(entry->path().stem().string(), target(entry->path()));
    return plugins;
}

} // namespace

RunningServer RunningServer::current(const Settings& settings, const PluginSet& plugins) {
    RunningServer server;
    server.pid = ::getpid();
    server.version = VERSION;
    server.startedAt = Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::ISO8601_FORMAT);
    server.program = markFile(target("/proc/self/exe"));
    server.configuration = configurationFiles(settings.file);
    for (const auto& plugin : plugins.plugins())
        server.plugins.push_back({plugin.id(), plugin.note.version, markFile(target(plugin.note.path))});
    return server;
}

std::optional<RunningServer> RunningServer::parse(std::string_view page) {
    try {
        const auto json = nlohmann::json::parse(page);
        RunningServer server;
        server.pid = json.at("pid").get<std::int64_t>();
        server.version = json.at("version").get<std::string>();
        server.startedAt = json.at("started_at").get<std::string>();
        server.program = readFile(json.at("program"));
        for (const auto& file : json.at("configuration"))
            server.configuration.push_back(readFile(file));
        for (const auto& plugin : json.at("plugins"))
            server.plugins.push_back({plugin.at("id").get<std::string>(), plugin.at("version").get<std::string>(),
                                      readFile(plugin.at("file"))});
        if (json.contains("left_out"))
            for (const auto& [id, reason] : json.at("left_out").items())
                server.leftOut.emplace(id, reason.get<std::string>());
        return server;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt; // something else answers there
    }
}

std::string RunningServer::toJson(const std::string& load) const {
    std::string text;
    JsonWriter json(text);
    json.beginObject().field("pid", pid).field("version", version).field("started_at", startedAt);
    write(json.key("program"), program);
    json.key("configuration").beginArray();
    for (const auto& file : configuration)
        write(json, file);
    json.endArray().key("plugins").beginArray();
    for (const auto& plugin : plugins) {
        json.beginObject().field("id", plugin.id).field("version", plugin.version);
        write(json.key("file"), plugin.file);
        json.endObject();
    }
    json.endArray().key("left_out").beginObject();
    for (const auto& [id, reason] : leftOut)
        json.field(id, reason);
    json.endObject().key("load").raw(load).endObject();
    return text;
}

void RunningServer::leaveOut(const std::string& id, const std::string& reason) {
    std::erase_if(plugins, [&](const ServedPlugin& plugin) { return plugin.id == id; });
    leftOut.emplace(id, reason);
}

std::vector<std::string> RunningServer::outdated(const Settings& settings) const {
    std::vector<std::string> found;
    if (!isAsBefore(program))
        found.push_back(fmt::format("the program {} is another one than when the server started (it runs {})",
                                    program.path.string(), version));
    findOtherConfiguration(settings, found);
    findOtherPlugins(settings, found);
    return found;
}

void RunningServer::findOtherConfiguration(const Settings& settings, std::vector<std::string>& found) const {
    const auto contains = [](const std::vector<MarkedFile>& files, const fs::path& path) {
        return std::any_of(files.begin(), files.end(), [&](const MarkedFile& file) { return file.path == path; });
    };
    const auto present = configurationFiles(settings.file);
    if (!configuration.empty() && !present.empty() && configuration.front().path != present.front().path) {
        found.push_back(fmt::format("the server reads {}, not {}", configuration.front().path.string(),
                                    present.front().path.string()));
        return;
    }
    for (const auto& before : configuration)
        if (!contains(present, before.path))
            found.push_back(fmt::format("{} was read at the start, and is not part of the configuration any more",
                                        before.path.string()));
        else if (!isAsBefore(before))
            found.push_back(fmt::format("{} was changed since the server read it", before.path.string()));
    for (const auto& now : present)
        if (!contains(configuration, now.path))
            found.push_back(fmt::format("{} was added since the server started", now.path.string()));
}

void RunningServer::findOtherPlugins(const Settings& settings, std::vector<std::string>& found) const {
    auto enabled = enabledPlugins(settings.server.pluginsEnabled);
    for (const auto& plugin : plugins) {
        const auto now = enabled.find(plugin.id);
        if (now == enabled.end())
            found.push_back(fmt::format("plugin '{}' is served, but not enabled any more", plugin.id));
        else if (now->second != plugin.file.path || !isAsBefore(plugin.file))
            found.push_back(fmt::format("the file of plugin '{}' is another one than when the server started (it "
                                        "runs {})",
                                        plugin.id, plugin.version));
        enabled.erase(plugin.id);
    }
    for (const auto& [id, reason] : leftOut)
        enabled.erase(id); // known, and a restart alone mends nothing
    for (const auto& [id, file] : enabled)
        found.push_back(fmt::format("plugin '{}' is enabled, but not served", id));
}

} // namespace supplierd::host
