#include "host/plugins/RouteClashes.h"

#include "host/plugins/HostRoutes.h"
#include "host/plugins/RoutePattern.h"

#include <map>
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

} // namespace supplierd::host
