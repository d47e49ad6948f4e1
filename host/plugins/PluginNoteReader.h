#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// What a plugin file says about itself, read from its ELF note without loading it.
struct PluginNoteInfo {
    std::filesystem::path path; ///< as given
    std::string id;
    std::string version;
    unsigned abiMajor = 0;
    unsigned abiMinor = 0;
    unsigned needsMinor = 0;
    std::string cxxAbi;
    /// A library of Poco that it links: "libPocoFoundation.so.80". "": none, so that any Poco will do.
    std::string poco = {};

    /// "1.4"
    std::string abiText() const { return std::to_string(abiMajor) + "." + std::to_string(abiMinor); }
};

/// What this host provides.
struct HostAbi {
    unsigned major;
    unsigned minor;
    std::string cxxAbi;
    std::string poco; ///< its libPocoFoundation

    static HostAbi current();
};

/// A file that is no plugin, or no plugin for this host. The message is for the operator and complete: which file,
/// what was found, what is needed.
class PluginFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// 1 to 32 of a-z, 0-9 and -.
bool isPluginId(std::string_view id);

/// On one line: what a damaged file, the system's loader or a file's name can hold and a terminal would obey is "?".
std::string withoutControls(std::string_view text);

/// "plugin 'orders' (/usr/lib/…/orders.so) not loaded: <reason>".
std::string notLoaded(std::string_view id, const std::filesystem::path& path, std::string_view reason);

/// Throws PluginFileError: no such file, not ELF, another machine, not a shared library, no note, unknown layout.
PluginNoteInfo readPluginNote(const std::filesystem::path& path);

/// Why a plugin with this note cannot run here, as a whole message; empty when it can.
/// `plugin 'orders' (/usr/lib/…/orders.so) not loaded: needs SDK ABI 1.5, this host provides 1.3; upgrade supplierd or
/// rebuild the plugin for 1.3`. Major 0 promises nothing between minors, so there they must be equal.
std::optional<std::string> incompatibility(const PluginNoteInfo& note, const HostAbi& host = HostAbi::current());

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
