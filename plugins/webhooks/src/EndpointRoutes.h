#pragma once

#include "DeliveryLog.h"
#include "EndpointStore.h"

#include <supplierd/Plugin.h>
#include <supplierd/services/HttpClient.h>

#include <functional>
#include <vector>

namespace supplierd::webhooks {

/// What the handlers work with. Lifetime: the plugin's.
struct RouteServices {
    EndpointStore& endpoints;
    DeliveryLog& deliveries;
    const HttpClient& http;
    const Settings& settings;
    std::function<void()> wake;
};

/// Below `/webhooks`. `services` is asked for with each request.
void addRoutes(std::vector<Route>& routes, std::function<const RouteServices&()> services);
/// The same for operators: every supplier's webhooks, to look at, and to switch off and on.
void addOperatorRoutes(std::vector<Route>& routes, std::function<const RouteServices&()> services);

} // namespace supplierd::webhooks
