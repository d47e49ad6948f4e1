#pragma once

#include "host/config/ConfigValue.h"
#include "host/config/ConfigValueReader.h"
#include "host/config/Diagnostic.h"

#include <supplierd/Config.h>

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Where a table stands and what belongs to it besides its schema.
struct ConfigTableContext {
    std::string name;                        ///< "database" or "plugins.media", for messages
    ConfigPosition position;                 ///< of the table, for keys that are missing
    std::filesystem::path folder;            ///< relative paths are taken from here
    std::vector<std::string> otherKeys = {}; ///< keys that somebody else reads ("optional")
    /// What else to say about an unknown key that no key of this table resembles; may be null.
    std::function<std::string(const std::string& key)> hint = {};
    bool isListed = false; ///< one of a list of tables: its heading has two brackets

    std::string heading() const { return isListed ? "[[" + name + "]]" : "[" + name + "]"; }
};

/// The values of one table, checked against its schema: the host's own sections and `[plugins.<id>]` alike.
/// Thread: any. Lifetime: a value.
class CheckedConfig final : public Config {
public:
    /// Adds every problem; a key with one has its default. `table` may be null: everything is default.
    static CheckedConfig check(std::span<const ConfigKey> schema, const ConfigTable* table,
                               const ConfigTableContext& context, Diagnostics& problems);

    bool boolean(std::string_view name) const override;
    std::int64_t integer(std::string_view name) const override;
    std::string text(std::string_view name) const override;
    std::vector<std::string> textList(std::string_view name) const override;
    std::chrono::milliseconds duration(std::string_view name) const override;
    std::int64_t size(std::string_view name) const override;
    std::vector<std::int64_t> integerList(std::string_view name) const override;
    std::vector<std::reference_wrapper<const Config>> tables(std::string_view name) const override;

    /// Of the key's value; the table's when the value is the default. "feed[1].url" is a key of a list's second table.
    ConfigPosition position(std::string_view name) const;

private:
    struct Entry {
        ConfigType type;
        TypedConfigValue value;
        ConfigPosition position;
        std::vector<CheckedConfig> tables = {};
    };

    const Entry& entry(std::string_view name, ConfigType type) const;
    void checkKey(const ConfigKey& key, const ConfigTable* table, const ConfigTableContext& context,
                  Diagnostics& problems);
    void checkTables(const ConfigKey& key, const ConfigTable* table, const ConfigTableContext& context,
                     Diagnostics& problems);
    void readSecretFrom(const ConfigKey& key, const ConfigEntry& file, const ConfigTableContext& context,
                        Diagnostics& problems);

    ConfigPosition _table;
    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace supplierd::host
