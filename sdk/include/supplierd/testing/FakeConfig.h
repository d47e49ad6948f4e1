#pragma once

#include <supplierd/Config.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::testing {

/// A plugin's configuration: the defaults of its schema, and on top of them the values given, written as in the file
/// (`20`, `"5s"` or `5s`, `true`, `["a", "b"]`, `[1, 2]`). Those of a list of tables have the names "feed[0].url",
/// "feed[1].url". Limits are not checked; a key that the schema lacks, a missing one without a default and a value that
/// is not of the key's type throw std::logic_error. Thread: one. Since 1.0.
class FakeConfig final : public Config {
public:
    explicit FakeConfig(const std::vector<ConfigKey>& schema, const std::map<std::string, std::string>& values = {});

    bool boolean(std::string_view name) const override;
    std::int64_t integer(std::string_view name) const override;
    std::string text(std::string_view name) const override;
    std::vector<std::string> textList(std::string_view name) const override;
    std::chrono::milliseconds duration(std::string_view name) const override;
    std::int64_t size(std::string_view name) const override;
    std::vector<std::int64_t> integerList(std::string_view name) const override;
    std::vector<std::reference_wrapper<const Config>> tables(std::string_view name) const override;

private:
    struct Entry {
        ConfigType type;
        std::string value;
        std::vector<FakeConfig> tables = {};
    };

    const Entry& entry(std::string_view name, ConfigType type) const;
    const std::string& value(std::string_view name, ConfigType type) const { return entry(name, type).value; }

    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace supplierd::testing
