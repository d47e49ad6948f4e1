#include "host/plugins/PluginLibrary.h"

#include "host/observe/CurrentReason.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace supplierd::host {

PluginLibrary::PluginLibrary(const std::filesystem::path& path) : _note(readPluginNote(path)) {
    if (const auto reason = incompatibility(_note))
        throw PluginFileError(*reason);
    // The resolved path, so that one file under two names is loaded once and messages of the loader name the file.
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(path, error);
    if (error)
        throw PluginFileError(notLoaded(_note.id, path, error.message()));
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        throw PluginFileError(notLoaded(_note.id, path, std::string("the system's loader says: ") + ::dlerror()));
    _entry = reinterpret_cast<PluginEntry>(::dlsym(library, "supplierd_plugin_entry"));
    if (!_entry)
        throw PluginFileError(
            notLoaded(_note.id, path,
                      "it does not export supplierd_plugin_entry; build it with supplierd_add_plugin() and put "
                      "SUPPLIERD_PLUGIN(...) into one of its sources"));
}

std::unique_ptr<Plugin> PluginLibrary::create() const {
    std::unique_ptr<Plugin> plugin;
    try {
        plugin.reset(_entry());
    } catch (...) {
        throw PluginFileError(notLoaded(_note.id, _note.path, "its constructor failed: " + currentReason()));
    }
    if (!plugin)
        throw PluginFileError(notLoaded(_note.id, _note.path, "its entry gave no plugin"));
    return plugin;
}

std::vector<std::filesystem::path> pluginFiles(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".so" && !entry->path().filename().string().starts_with('.'))
            files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::filesystem::path enabledTarget(const std::filesystem::path& symlink) {
    std::error_code error;
    if (std::filesystem::is_symlink(symlink, error) && !std::filesystem::exists(symlink, error)) {
        const std::string what = error == std::errc::too_many_symbolic_link_levels
                                     ? "from which symlinks lead in a circle"
                                     : "which does not exist";
        const std::string id = symlink.stem().string();
        const std::string target = std::filesystem::read_symlink(symlink, error).string();
        throw PluginFileError(notLoaded(id, symlink,
                                        fmt::format("the symlink points at {}, {}; install that plugin or run: "
                                                    "supplierctl plugin disable {}",
                                                    target, what, id)));
    }
    const std::filesystem::path target = std::filesystem::canonical(symlink, error);
    return error ? symlink : target;
}

std::string needsAnother(const std::string& id, const std::string& need, const std::filesystem::path& pluginDir) {
    std::error_code error;
    if (std::filesystem::exists(pluginDir / (need + ".so"), error))
        return fmt::format("plugin '{0}' needs plugin '{1}', which is not enabled; run: supplierctl plugin enable {1}",
                           id, need);
    return fmt::format("plugin '{0}' needs plugin '{1}', which is not installed here; install it (of Debian's "
                       "packages, supplierd-plugin-{1}), or run: supplierctl plugin disable {0}",
                       id, need);
}

PluginDescription describe(const PluginNoteInfo& note, Plugin& plugin) {
    try {
        return plugin.describe();
    } catch (...) {
        throw PluginFileError(notLoaded(note.id, note.path, "its describe() failed: " + currentReason()));
    }
}

} // namespace supplierd::host
