#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <supplierd/Plugin.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Served by the host itself, the first two on both APIs, the others on the operators'; no plugin can have them.
inline constexpr std::string_view ME_PATTERN = "/me";
inline constexpr std::string_view OPENAPI_PATTERN = "/openapi.json";
inline constexpr std::string_view COMMANDS_PATTERN = "/commands";
inline constexpr std::string_view JOBS_PATTERN = "/jobs";
inline constexpr std::string_view CHECKS_PATTERN = "/checks";

inline bool isHostRoute(const Route& route) {
    const auto isBelow = [&](std::string_view pattern) {
        return route.pattern == pattern || route.pattern.starts_with(std::string(pattern) + "/");
    };
    if (route.audience == Audience::Operator &&
        (isBelow(COMMANDS_PATTERN) || isBelow(JOBS_PATTERN) || isBelow(CHECKS_PATTERN)))
        return true;
    return route.audience != Audience::Public && route.method == Method::Get &&
           (route.pattern == ME_PATTERN || route.pattern == OPENAPI_PATTERN);
}

/// Two routes that would answer the same request; one of them may be the host's.
struct RouteClash {
    std::size_t first; ///< indexes into the plugins given; equal when a plugin clashes with itself
    std::size_t second;
    std::string message;
};

/// Same audience, same method, and patterns that some path matches both of (whatever the parameters' names and types).
std::vector<RouteClash> findRouteClashes(const std::vector<LoadedPlugin>& plugins);

/// What is wrong with a plugin's description, in the words of one who can mend the plugin; empty when nothing is.
std::vector<std::string> descriptionProblems(std::string_view pluginId, const PluginDescription& description);

} // namespace supplierd::host
