#include "host/config/ConfigValue.h"

#include <utility>

namespace supplierd::host {

const ConfigEntry* ConfigTable::find(std::string_view key) const {
    if (const std::size_t dot = key.find('.'); dot != std::string_view::npos) {
        const ConfigTable* inner = table(key.substr(0, dot));
        return inner ? inner->find(key.substr(dot + 1)) : nullptr;
    }
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
}

const ConfigTable* ConfigTable::table(std::string_view key) const {
    const ConfigEntry* entry = find(key);
    return entry ? std::get_if<ConfigTable>(&entry->value.data) : nullptr;
}

void ConfigTable::merge(ConfigTable&& later) {
    for (auto& [key, entry] : later.entries) {
        const auto present = entries.find(key);
        if (present == entries.end()) {
            entries.emplace(key, std::move(entry));
            continue;
        }
        auto* here = std::get_if<ConfigTable>(&present->second.value.data);
        auto* there = std::get_if<ConfigTable>(&entry.value.data);
        if (here && there)
            here->merge(std::move(*there));
        else
            present->second = std::move(entry);
    }
}

std::string ConfigValue::kind() const {
    struct Namer {
        std::string operator()(bool) const { return "a boolean"; }
        std::string operator()(std::int64_t) const { return "an integer"; }
        std::string operator()(double) const { return "a number with a fraction"; }
        std::string operator()(const std::string&) const { return "a text"; }
        std::string operator()(const std::vector<ConfigValue>&) const { return "a list"; }
        std::string operator()(const ConfigTable&) const { return "a table"; }
        std::string operator()(const Foreign& foreign) const { return foreign.kind; }
    };
    return std::visit(Namer{}, data);
}

} // namespace supplierd::host
