#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Changes single keys in the text of a TOML file and leaves everything else as it stands: comments, order, spaces.
/// What it cannot change so (a value over several lines, a table written inline) it refuses. Thread: one.
class ConfigEditor {
public:
    /// `file` is named in what it refuses.
    explicit ConfigEditor(std::string_view text, std::string file = {});

    /// `[section]` gets `key = value`; `value` as TOML writes it. A line that has the key gets the new value; else the
    /// line comes after the commented-out default, or at the end of the section. Throws CommandFailure.
    void set(const std::string& section, const std::string& key, const std::string& value);

    /// What is there now.
    std::string text() const;

    /// As TOML writes it: "…", escaped.
    static std::string quoted(std::string_view text);

private:
    struct Range {
        std::size_t begin = 0; ///< the first line after the header
        std::size_t end = 0;
    };

    Range findOrAppend(const std::string& section);
    void replaceValue(std::size_t line, const std::string& key, const std::string& value);

    std::string _file;
    std::vector<std::string> _lines;
};

} // namespace supplierd::host
