#include "host/plugins/PluginFolder.h"

#include <algorithm>
#include <exception>
#include <system_error>

namespace supplierd::host {

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
        const std::string id = symlink.stem().string();
        throw PluginFileError(notLoaded(id, symlink,
                                        "the symlink points at " +
                                            std::filesystem::read_symlink(symlink, error).string() +
                                            ", which does not exist; install that plugin or run: supplierctl plugin "
                                            "disable " +
                                            id));
    }
    const std::filesystem::path target = std::filesystem::canonical(symlink, error);
    return error ? symlink : target;
}

PluginDescription describe(const PluginNoteInfo& note, Plugin& plugin) {
    try {
        return plugin.describe();
    } catch (const std::exception& error) {
        throw PluginFileError(notLoaded(note.id, note.path, std::string("its describe() failed: ") + error.what()));
    } catch (...) {
        throw PluginFileError(notLoaded(note.id, note.path, "its describe() failed without a reason"));
    }
}

} // namespace supplierd::host
