#pragma once

#include <supplierd/Config.h>

#include <string>
#include <vector>

namespace supplierd::host {

/// One table of supplierd.toml.
struct SettingsSection {
    std::string name;
    std::vector<ConfigKey> keys;
};

/// Every key that the host knows. The plugins' own tables, `[plugins.<id>]`, are described by the plugins.
const std::vector<SettingsSection>& settingsSchema();

/// The keys of one section; throws std::out_of_range.
const std::vector<ConfigKey>& settingsKeys(const std::string& section);

} // namespace supplierd::host
