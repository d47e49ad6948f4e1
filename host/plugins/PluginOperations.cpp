#include "host/plugins/PluginOperations.h"

#include "host/observe/CurrentReason.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::string_view LOWER = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::string_view UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::size_t MAX_COMMAND = 32;
constexpr std::size_t MAX_KIND = 32; // of the column audit_log.object

bool isCommandName(std::string_view name) {
    return !name.empty() && name.size() <= MAX_COMMAND && name.front() != '-' &&
           name.find_first_not_of(LOWER) == std::string_view::npos;
}

bool isOptionName(std::string_view name) {
    return name.starts_with("--") && isCommandName(name.substr(2));
}

bool isArgumentName(std::string_view name) {
    return !name.empty() && name.find_first_not_of(UPPER) == std::string_view::npos;
}

bool isAuditKind(std::string_view kind) {
    return !kind.empty() && kind.size() <= MAX_KIND &&
           kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

std::string who(const std::string& pluginId, const std::string& what) {
    return "plugin '" + pluginId + "' brings " + what;
}

/// Groups of supplierctl to which plugins may add: each is about a kind of object.
const std::set<std::string_view> GROUPS = {"category", "key", "media", "order", "product", "supplier", "user"};

/// Those of supplierctl itself.
const std::set<std::string_view> TAKEN_OPTIONS = {"--json", "--config", "--help", "--version"};

void requireOptions(const std::string& command, const std::vector<CommandOption>& options) {
    std::set<std::string> names;
    for (const CommandOption& option : options) {
        const std::string what = command + " with '" + option.name + "', which ";
        if (!isOptionName(option.name) && !isArgumentName(option.name))
            throw std::logic_error(what + "is no option like --product and no argument like FILE");
        if (isArgumentName(option.name) && option.kind == CommandOption::Kind::Flag)
            throw std::logic_error(what + "is an argument, so it cannot be a flag");
        if (TAKEN_OPTIONS.contains(option.name))
            throw std::logic_error(what + "is an option of supplierctl");
        if (!names.insert(option.name).second)
            throw std::logic_error(what + "it has already");
    }
}

} // namespace

void PluginOperations::addCommand(const std::string& pluginId, Command command) {
    const std::string what =
        who(pluginId, "the command '" + command.group + (command.group.empty() ? "" : " ") + command.name + "'");
    if (!isCommandName(command.name))
        throw std::logic_error(what + ", whose name must be 1 to 32 of a-z, 0-9 and -");
    if (!command.run)
        throw std::logic_error(what + ", which has no function");
    if (!command.group.empty() && !isGroup(command.group))
        throw std::logic_error(what + " to a group that is none of supplierctl");
    requireOptions(what, command.options);
    const std::lock_guard lock(_mutex);
    for (const auto& [id, entry] : _plugins)
        for (const Command& other : entry.commands)
            if (other.name == command.name && other.group == command.group && (!other.group.empty() || id == pluginId))
                throw std::logic_error(what + (id == pluginId ? " twice" : ", which is one of plugin '" + id + "'"));
    _plugins[pluginId].commands.push_back(std::move(command));
}

void PluginOperations::addCheck(const std::string& pluginId, Check check) {
    if (check.name.empty() || !check.run)
        throw std::logic_error(who(pluginId, "a check without name or function"));
    const std::lock_guard lock(_mutex);
    _plugins[pluginId].checks.push_back(std::move(check));
}

void PluginOperations::addReadiness(const std::string& pluginId, std::function<std::string()> reason) {
    if (!reason)
        throw std::logic_error(who(pluginId, "a readiness without function"));
    const std::lock_guard lock(_mutex);
    _plugins[pluginId].readiness.push_back(std::move(reason));
}

void PluginOperations::addAuditKind(const std::string& pluginId, std::string kind) {
    if (!isAuditKind(kind))
        throw std::logic_error(who(pluginId, "the kind '" + kind +
                                                 "' of audit entries, which must be 1 to 32 of a-z, "
                                                 "0-9 and _"));
    const std::lock_guard lock(_mutex);
    _plugins[pluginId].auditKinds.insert(std::move(kind));
}

void PluginOperations::withdraw(const std::string& pluginId) {
    const std::lock_guard lock(_mutex);
    _plugins.erase(pluginId);
}

void PluginOperations::clear() {
    const std::lock_guard lock(_mutex);
    _plugins.clear();
}

std::vector<Command> PluginOperations::commandsOf(const std::string& pluginId) const {
    const std::lock_guard lock(_mutex);
    const auto found = _plugins.find(pluginId);
    if (found == _plugins.end())
        return {};
    std::vector<Command> commands = found->second.commands;
    std::erase_if(commands, [](const Command& command) { return !command.group.empty(); });
    return commands;
}

std::vector<Command> PluginOperations::commandsIn(const std::string& group) const {
    const std::lock_guard lock(_mutex);
    std::vector<Command> commands;
    for (const auto& [id, entry] : _plugins)
        std::copy_if(entry.commands.begin(), entry.commands.end(), std::back_inserter(commands),
                     [&group](const Command& command) { return command.group == group; });
    return commands;
}

bool PluginOperations::isGroup(std::string_view name) {
    return GROUPS.contains(name);
}

std::vector<std::pair<std::string, Check>> PluginOperations::checks() const {
    const std::lock_guard lock(_mutex);
    std::vector<std::pair<std::string, Check>> checks;
    for (const auto& [id, entry] : _plugins)
        for (const Check& check : entry.checks)
            checks.emplace_back(id, check);
    return checks;
}

std::set<std::string> PluginOperations::auditKinds() const {
    const std::lock_guard lock(_mutex);
    std::set<std::string> kinds;
    for (const auto& [id, entry] : _plugins)
        kinds.insert(entry.auditKinds.begin(), entry.auditKinds.end());
    return kinds;
}

std::map<std::string, std::string> PluginOperations::readiness() const {
    const std::lock_guard lock(_mutex); // also keeps the plugin from going meanwhile
    std::map<std::string, std::string> reasons;
    for (const auto& [id, entry] : _plugins) {
        for (const auto& ask : entry.readiness) {
            std::string reason;
            try {
                reason = ask();
            } catch (...) {
                reason = "it could not say whether it is ready: " + currentReason();
            }
            auto& known = reasons[id];
            if (known.empty())
                known = std::move(reason);
        }
    }
    return reasons;
}

} // namespace supplierd::host
