#include "host/plugins/PluginDescriptionCheck.h"

#include "host/config/ConfigValueReader.h"
#include "host/config/TomlReader.h"
#include "host/plugins/PluginNoteReader.h"
#include "host/plugins/PluginOrder.h"
#include "host/plugins/RoutePattern.h"

#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace supplierd::host {

std::vector<RouteClash> findRouteClashes(const std::vector<LoadedPlugin>& plugins) {
    struct Owner {
        std::size_t plugin;
        const Route* route;
    };
    std::map<std::tuple<Audience, Method, std::string>, Owner> taken;
    std::vector<RouteClash> clashes;
    for (std::size_t i = 0; i < plugins.size(); ++i) {
        for (const Route& route : plugins[i].description.routes) {
            if (isHostRoute(route)) {
                clashes.push_back({i, i,
                                   "route clash: plugin '" + plugins[i].id() + "' has " + routeText(route) +
                                       ", which the server answers itself; this is an error in the plugin"});
                continue;
            }
            const auto [found, added] = taken.try_emplace(
                {route.audience, route.method, RoutePattern::parse(route.pattern).shape()}, Owner{i, &route});
            if (added)
                continue;
            const Owner& owner = found->second;
            const std::string message = "route clash: plugin '" + plugins[owner.plugin].id() + "' has " +
                                        routeText(*owner.route) + " and plugin '" + plugins[i].id() + "' has " +
                                        routeText(route);
            clashes.push_back({owner.plugin, i,
                               message + (owner.plugin == i ? std::string("; this is an error in the plugin")
                                                            : "; run: supplierctl plugin disable " + plugins[i].id())});
        }
    }
    return clashes;
}

namespace {

void checkRoutes(const PluginDescription& description, std::vector<std::string>& problems) {
    for (const Route& route : description.routes) {
        try {
            RoutePattern::parse(route.pattern);
        } catch (const std::invalid_argument& error) {
            problems.emplace_back(error.what());
        }
        if (!route.handler)
            problems.push_back("its route " + routeText(route) + " has no handler");
        if (route.maxBody < 0)
            problems.push_back("its route " + routeText(route) + " has a negative maxBody");
        if (!route.accepts.empty() && route.body != Body::Raw)
            problems.push_back("its route " + routeText(route) + " lists content types, which only Body::Raw can");
    }
}

/// Kept in the database with blanks between them.
bool isScopeName(std::string_view name) {
    constexpr std::string_view CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-";
    constexpr std::size_t LONGEST = 64;
    const auto colon = name.find(':');
    if (colon == std::string_view::npos || name.size() > LONGEST)
        return false;
    const auto isPart = [&](std::string_view part) {
        return !part.empty() && part.find_first_not_of(CHARACTERS) == std::string_view::npos;
    };
    return isPart(name.substr(0, colon)) && isPart(name.substr(colon + 1));
}

void checkScopes(const PluginDescription& description, std::vector<std::string>& problems) {
    for (const Scope& scope : description.scopes)
        if (!isScopeName(scope.name))
            problems.push_back(
                "its scope '" + scope.name +
                "' must be two parts of a-z, 0-9 and - with a colon between them, 64 characters at most");
}

void checkMigrations(const PluginDescription& description, std::vector<std::string>& problems) {
    int expected = 1;
    for (const Migration& migration : description.migrations) {
        if (migration.number != expected) {
            problems.push_back("its migrations must be numbered 1, 2, 3, … in order; found number " +
                               std::to_string(migration.number) + " ('" + migration.name + "') where " +
                               std::to_string(expected) + " is due");
            return;
        }
        ++expected;
    }
}

/// One or more parts with dots between them: the names of tables, and that of the key.
bool isKeyName(const std::string& name) {
    return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos &&
           name.front() != '.' && name.back() != '.' && name.find("..") == std::string::npos;
}

/// `list` is "feed." for the keys of the list of tables `feed`.
void checkSchema(const std::vector<ConfigKey>& schema, const std::string& list, std::vector<std::string>& problems) {
    std::set<std::string> names;
    for (const ConfigKey& key : schema) {
        const std::string who = "its configuration key '" + list + key.name + "' ";
        if (!isKeyName(key.name))
            problems.push_back(who + "must be named with a-z, 0-9 and _");
        for (const ConfigKey& other : schema)
            if (other.name.starts_with(key.name + "."))
                problems.push_back(who + "is the table of '" + list + other.name + "' already");
        if (list.empty() && key.name == "optional")
            problems.push_back(who + "is the host's: [plugins.<id>] optional = true");
        if (!names.insert(key.name).second)
            problems.push_back(who + "is described twice");
        if (key.secret && key.type != ConfigType::Text)
            problems.push_back(who + "is a secret, so it must be a text");
        const bool isList = key.type == ConfigType::TableList;
        if (isList != !key.keys.empty())
            problems.push_back(who +
                               (isList ? "is a list of tables without keys" : "has keys, but is no list of tables"));
        checkSchema(key.keys, list + key.name + ".", problems);
        if (key.defaultValue.empty())
            continue;
        if (isList) {
            if (key.defaultValue != "[]")
                problems.push_back(who + "is a list of tables, whose default can only be []");
            continue;
        }
        const auto value = readTomlValue(key.defaultValue);
        Diagnostics ignored;
        if (!value || !readConfigValue(key, *value, ignored))
            problems.push_back(who +
                               "has a default that is not valid as it would stand in the file: " + key.defaultValue);
    }
}

void checkNames(std::string_view pluginId, const PluginDescription& description, std::vector<std::string>& problems) {
    for (const auto* list : {&description.needs, &description.after}) {
        for (const std::string& entry : *list) {
            const std::string name = PluginNeed::parse(entry).name;
            if (name == pluginId)
                problems.emplace_back("it needs itself");
            // What has a slash is a service's id.
            else if (!isPluginId(name) && name.find('/') == std::string::npos)
                problems.push_back("it needs '" + name + "', which is no plugin's id");
        }
    }
}

} // namespace

std::vector<std::string> descriptionProblems(std::string_view pluginId, const PluginDescription& description) {
    std::vector<std::string> problems;
    checkRoutes(description, problems);
    checkScopes(description, problems);
    checkMigrations(description, problems);
    checkSchema(description.config, {}, problems);
    checkNames(pluginId, description, problems);
    return problems;
}

} // namespace supplierd::host
