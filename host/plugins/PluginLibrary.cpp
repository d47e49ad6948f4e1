#include "host/plugins/PluginLibrary.h"

#include "host/observe/CurrentReason.h"

#include <dlfcn.h>

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

} // namespace supplierd::host
