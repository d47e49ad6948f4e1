#pragma once

#include "host/config/Diagnostic.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace supplierd::host {

struct ConfigEntry;

/// A table of a configuration file; keys in alphabetical order.
struct ConfigTable {
    std::map<std::string, ConfigEntry, std::less<>> entries;

    /// "fetch.timeout" is the key `timeout` of the table `fetch`.
    const ConfigEntry* find(std::string_view key) const;
    /// The table under `key`; null when there is none or it is no table.
    const ConfigTable* table(std::string_view key) const;
    /// Takes over everything of a later file: tables are merged, anything else replaces what was here.
    void merge(ConfigTable&& later);
};

/// A value as the file gives it, with its place.
struct ConfigValue {
    /// A kind of TOML that no setting uses (a date, a time), by the name that messages use.
    struct Foreign {
        std::string kind;
    };

    std::variant<bool, std::int64_t, double, std::string, std::vector<ConfigValue>, ConfigTable, Foreign> data;
    ConfigPosition position;

    /// "an integer", "a text", "a list", …; for messages.
    std::string kind() const;
};

struct ConfigEntry {
    ConfigPosition keyPosition;
    ConfigValue value;
};

} // namespace supplierd::host
