#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <string>
#include <vector>

namespace supplierd::host {

/// Two routes that would answer the same request; one of them may be the host's.
struct RouteClash {
    std::size_t first; ///< indexes into the plugins given; equal when a plugin clashes with itself
    std::size_t second;
    std::string message;
};

/// Same audience, same method, and patterns that some path matches both of (whatever the parameters' names and types).
std::vector<RouteClash> findRouteClashes(const std::vector<LoadedPlugin>& plugins);

} // namespace supplierd::host
