#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace supplierd::host {

/// A place in a configuration file. Lines and columns count from 1; 0 is "no such place" (a default, the environment).
struct ConfigPosition {
    std::string file;
    int line = 0;
    int column = 0;
};

/// One thing that is wrong with the configuration or with a plugin, told to the operator.
struct Diagnostic {
    std::string file; ///< as it was given, or as it was found beside the given one; empty when no file is to blame
    int line = 0;
    int column = 0;
    std::string message;
    bool warning = false;                ///< told, but the server starts
    std::string about = "configuration"; ///< what was looked at, as `supplierctl doctor` heads it

    /// "supplierd.toml:41:1: unknown key 'pool_sise'; did you mean 'pool_size'?". A warning says so after the place:
    /// "supplierd.toml:50:10: warning: …".
    std::string toString() const;
};

/// Every problem found, in the order of finding. Thread: one.
class Diagnostics {
public:
    void error(const ConfigPosition& position, std::string message);
    void error(std::string message) { error(ConfigPosition{}, std::move(message)); }
    void warning(const ConfigPosition& position, std::string message);
    void warning(std::string message) { warning(ConfigPosition{}, std::move(message)); }

    void add(Diagnostic problem);
    /// Adds `others`, those of one file in the order of their lines.
    void addInFileOrder(const Diagnostics& others);
    void addAbout(const std::string& about, const Diagnostics& others);

    bool hasErrors() const { return _errors > 0; }
    std::size_t errors() const { return _errors; }
    bool empty() const { return _entries.empty(); }
    const std::vector<Diagnostic>& entries() const { return _entries; }
    std::vector<Diagnostic>::const_iterator begin() const { return _entries.begin(); }
    std::vector<Diagnostic>::const_iterator end() const { return _entries.end(); }

    /// One problem per line.
    std::string toString() const;

private:
    std::vector<Diagnostic> _entries;
    std::size_t _errors = 0;
};

} // namespace supplierd::host
