#pragma once

#include <supplierd/Abi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd {

enum class ConfigType { Boolean, Integer, Text, TextList, Duration, Size, IntegerList, TableList };

/// One key of a plugin's table in the configuration, `[plugins.<id>]`. A key that no schema names, a value of another
/// type and a value out of range are errors with file, line and column. Since 1.0.
struct SUPPLIERD_API ConfigKey {
    /// Of a-z, 0-9 and _; "fetch.timeout" is `timeout` in the table `[plugins.<id>.fetch]`.
    std::string name{};
    ConfigType type = ConfigType::Text;
    /// As it would stand in the file: `20`, `"5s"`, `true`, `["a"]`; empty for a key that must be given. Of a list of
    /// tables: `[]` or empty.
    std::string defaultValue{};
    std::string help{};
    std::int64_t min = std::numeric_limits<std::int64_t>::min(); ///< integers, also of a list; milliseconds; bytes
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    bool secret = false; ///< never printed; may also come from a file (`name_file = "..."`)
    /// Of a list of tables, `[[plugins.<id>.<name>]]`: the keys of each, which may be lists of tables themselves.
    std::vector<ConfigKey> keys{};
    Reserved reserved = {};
};

/// The checked values of a plugin's table. A getter for a key that is not in the schema throws std::logic_error.
/// Thread: any. Lifetime: until Plugin::configure() returns. Since 1.0.
class SUPPLIERD_API Config {
public:
    virtual bool boolean(std::string_view name) const = 0;
    virtual std::int64_t integer(std::string_view name) const = 0;
    virtual std::string text(std::string_view name) const = 0;
    virtual std::vector<std::string> textList(std::string_view name) const = 0;
    /// Written "250ms", "5s", "2m", "1h".
    virtual std::chrono::milliseconds duration(std::string_view name) const = 0;
    /// Bytes; written as a number or "64KiB", "5MiB".
    virtual std::int64_t size(std::string_view name) const = 0;
    virtual std::vector<std::int64_t> integerList(std::string_view name) const = 0;
    /// Of a list of tables, in the order of the file: each has the values of ConfigKey::keys. Lifetime: this object's.
    virtual std::vector<std::reference_wrapper<const Config>> tables(std::string_view name) const = 0;

protected:
    ~Config() = default;
};

/// Thrown by Plugin::configure() for what a schema cannot say; the host adds the file and the plugin's name. Since 1.0.
class SUPPLIERD_API ConfigError : public std::runtime_error {
public:
    /// `key` as the schema has it; "feed[1].url" is the key `url` of the second table of the list `feed`.
    ConfigError(std::string key, const std::string& message) : std::runtime_error(message), _key(std::move(key)) {}
    const std::string& key() const noexcept { return _key; }

private:
    std::string _key;
    Reserved _reserved;
};

} // namespace supplierd
