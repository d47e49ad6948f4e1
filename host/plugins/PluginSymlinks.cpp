#include "host/plugins/PluginSymlinks.h"

#include "host/config/NearestName.h"
#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/PluginLibrary.h"
#include "host/plugins/PluginOrder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

namespace supplierd::host {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view RELOAD = "reload supplierd (systemctl reload supplierd; without systemd: kill -HUP PID)";

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool isLink(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(path, error);
}

bool somethingAt(const fs::path& path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

/// A symlink that a power cut takes back would make a plugin vanish after it was reported as enabled.
void syncFolder(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    ::fsync(fd);
    ::close(fd);
}

void replaceSymlink(const fs::path& target, const fs::path& symlink) {
    const fs::path temporary =
        symlink.parent_path() / ("." + symlink.filename().string() + "." + std::to_string(::getpid()));
    std::error_code ignored;
    fs::remove(temporary, ignored);
    fs::create_symlink(target, temporary);
    fs::rename(temporary, symlink);
    syncFolder(symlink.parent_path());
}

} // namespace

PluginFacts inspectPlugin(const fs::path& file) {
    const PluginLibrary library(enabledTarget(file));
    const PluginNoteInfo& note = library.note();
    const std::unique_ptr<Plugin> plugin = library.create();
    const PluginDescription description = describe(note, *plugin);
    for (const std::string& problem : descriptionProblems(note.id, description))
        throw PluginFileError(notLoaded(note.id, note.path, problem));
    std::vector<std::string> needs;
    for (const std::string& need : description.needs)
        needs.push_back(PluginNeed::parse(need).name);
    return {note.id, std::move(needs), description.offers, !description.migrations.empty()};
}

void copyEnabledPlugins(const fs::path& pluginsEnabled, const fs::path& to) {
    const fs::path from = fs::absolute(pluginsEnabled).lexically_normal();
    for (const fs::path& file : pluginFiles(from)) {
        std::error_code error;
        const fs::path target = fs::read_symlink(file, error); // what is no symlink is pointed at
        fs::create_symlink(error ? file : (from / target).lexically_normal(), to / file.filename());
    }
}

PluginSymlinks::PluginSymlinks(fs::path pluginDir, fs::path pluginsEnabled, PluginInspector inspect)
    : _pluginDir(std::move(pluginDir)), _pluginsEnabled(std::move(pluginsEnabled)), _inspect(std::move(inspect)) {}

std::vector<PluginListing> PluginSymlinks::list() const {
    std::map<std::string, PluginListing> byId;
    for (const fs::path& file : pluginFiles(_pluginDir))
        byId[file.stem().string()] = {file.stem().string(), file, std::nullopt, false, {}};
    for (const fs::path& symlink : pluginFiles(_pluginsEnabled)) {
        const std::string id = symlink.stem().string();
        PluginListing& listing =
            byId.try_emplace(id, PluginListing{id, symlink, std::nullopt, false, {}}).first->second;
        listing.enabled = true;
        // What is enabled counts, also where it leads somewhere else than into the plugin folder.
        std::error_code error;
        if (listing.path != symlink && !fs::equivalent(listing.path, symlink, error))
            listing.path = symlink;
    }
    std::vector<PluginListing> listings;
    for (auto& [id, listing] : byId) {
        try {
            listing.note = readPluginNote(enabledTarget(listing.path));
            listing.problem = incompatibility(*listing.note).value_or("");
            if (listing.problem.empty() && listing.note->id != id)
                listing.problem = notLoaded(id, listing.path,
                                            "its id is '" + listing.note->id + "', so the file must be named " +
                                                listing.note->id + ".so");
        } catch (const PluginFileError& error) {
            listing.problem = error.what();
        }
        listings.push_back(std::move(listing));
    }
    return listings;
}

PluginChange PluginSymlinks::enable(std::string_view id) {
    const fs::path file = installedFile(id);
    const PluginFacts facts = _inspect(file);
    if (facts.id != id)
        throw PluginFileError(
            notLoaded(id, file, "its id is '" + facts.id + "', so the file must be named " + facts.id + ".so"));

    PluginChange change{symlinkOf(id), false, {}};
    if (somethingAt(change.symlink) && !isLink(change.symlink))
        throw PluginFileError(change.symlink.string() + " is not a symlink; remove it, then run this again");
    std::error_code error;
    if (!isLink(change.symlink) || fs::read_symlink(change.symlink, error) != file) {
        fs::create_directories(_pluginsEnabled);
        replaceSymlink(file, change.symlink);
        change.changed = true;
    }
    for (const std::string& need : facts.needs) {
        if (isPluginId(need) && !isEnabled(need))
            change.notes.push_back(needsAnother(facts.id, need, _pluginDir));
    }
    if (change.changed && facts.hasMigrations)
        change.notes.emplace_back("it has tables of its own; run: supplierctl migrate");
    if (change.changed)
        change.notes.emplace_back(std::string(RELOAD) + " to load it");
    return change;
}

PluginChange PluginSymlinks::disable(std::string_view id) {
    PluginChange change{symlinkOf(id), false, {}};
    if (!somethingAt(change.symlink)) {
        installedFile(id); // a name that nothing has is a slip, not a plugin that is disabled already
        return change;
    }
    if (!isLink(change.symlink))
        throw PluginFileError(change.symlink.string() + " is not a symlink; remove it by hand");
    fs::remove(change.symlink);
    syncFolder(_pluginsEnabled);
    change.changed = true;
    change.notes.emplace_back(std::string(RELOAD) + " to leave it out");
    return change;
}

void PluginSymlinks::rehearse(const std::vector<std::string>& ids, const fs::path& folder) const {
    copyEnabledPlugins(_pluginsEnabled, folder);
    for (const std::string& id : ids) {
        const fs::path file = installedFile(id);
        fs::remove(folder / file.filename());
        fs::create_symlink(file, folder / file.filename());
    }
}

std::vector<std::string> PluginSymlinks::offerersOf(const std::string& serviceId) const {
    std::vector<std::string> offerers;
    for (const fs::path& file : pluginFiles(_pluginDir)) {
        try {
            if (const PluginFacts facts = _inspect(file); contains(facts.offers, serviceId))
                offerers.push_back(facts.id);
        } catch (const PluginFileError&) {
            continue; // list() tells what is wrong with it
        }
    }
    return offerers;
}

bool PluginSymlinks::isEnabled(std::string_view id) const {
    return somethingAt(symlinkOf(id));
}

bool PluginSymlinks::isInstalled(std::string_view id) const {
    return somethingAt(_pluginDir / symlinkOf(id).filename());
}

fs::path PluginSymlinks::symlinkOf(std::string_view id) const {
    if (!isPluginId(id))
        throw PluginFileError("'" + std::string(id) + "' is no plugin's name: that is 1 to 32 of a-z, 0-9 and -");
    return _pluginsEnabled / (std::string(id) + ".so");
}

fs::path PluginSymlinks::installedFile(std::string_view id) const {
    const fs::path symlink = symlinkOf(id);
    fs::path file = fs::absolute(_pluginDir).lexically_normal() / symlink.filename();
    if (somethingAt(file))
        return file;
    std::vector<std::string> names;
    for (const fs::path& other : pluginFiles(_pluginDir))
        names.push_back(other.stem().string());
    throw PluginFileError("there is no plugin '" + std::string(id) + "' in " + _pluginDir.string() +
                          suggestion(id, names));
}

std::vector<std::string> PluginSymlinks::enabledThatNeed(const std::vector<std::string>& ids) const {
    std::vector<std::string> names = ids;
    for (const std::string& id : ids) {
        const std::vector<std::string> services = servicesOf(id);
        names.insert(names.end(), services.begin(), services.end());
    }
    std::vector<std::string> others;
    for (const fs::path& symlink : pluginFiles(_pluginsEnabled)) {
        try {
            const PluginFacts facts = _inspect(symlink);
            const bool isNeeding = std::any_of(facts.needs.begin(), facts.needs.end(),
                                               [&](const std::string& need) { return contains(names, need); });
            if (isNeeding && !contains(ids, facts.id))
                others.push_back(facts.id);
        } catch (const PluginFileError&) {
            continue; // one that cannot be loaded has its own message in list(); here it needs nothing
        }
    }
    return others;
}

std::vector<std::string> PluginSymlinks::servicesOf(std::string_view id) const {
    try {
        return _inspect(isEnabled(id) ? symlinkOf(id) : _pluginDir / symlinkOf(id).filename()).offers;
    } catch (const PluginFileError&) {
        return {}; // it cannot be loaded, so nobody gets a service of it
    }
}

} // namespace supplierd::host
