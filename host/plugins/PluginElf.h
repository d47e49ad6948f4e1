#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::host {

/// What a shared library says to the system's loader, read without loading it.
struct PluginElf {
    std::vector<std::string> exported; ///< what others can bind to, demangled
    std::vector<std::string> needed;   ///< "libPocoFoundation.so.80"
    std::string runPath;               ///< RPATH or RUNPATH; empty when there is none
    bool wantsExecutableStack = false;

    /// `file` is one that readPluginNote() takes. Throws PluginFileError when its tables are damaged.
    static PluginElf read(const std::filesystem::path& file);
};

/// The name of a C++ symbol as a source would have it; another symbol unchanged.
std::string demangled(const std::string& symbol);

} // namespace supplierd::host
