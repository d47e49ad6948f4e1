#include "EndpointRoutes.h"

#include <string>
#include <utility>

namespace supplierd::webhooks {

namespace {

Response webhookResponse(Response response, const Endpoint& endpoint) {
    JsonWriter json(response.data);
    json.beginObject().key("webhook");
    writeOperatorJson(json, endpoint);
    json.endObject();
    return response;
}

Response listAll(Request& request, const RouteServices& services) {
    const auto listed = services.endpoints.listAll(request.database(), request.query());
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, "webhooks", listed, writeOperatorJson);
    json.endObject();
    return response;
}

Response readAny(Request& request, const RouteServices& services) {
    return webhookResponse(request.reply(), request.database().snapshot([&](SqlSession& session) {
        return services.endpoints.requireAny(session, request.pathInteger("id"));
    }));
}

Response setEnabled(Request& request, const RouteServices& services, bool isEnabled) {
    Response response = request.transact([&](Transaction& transaction) {
        return webhookResponse(request.reply(), services.endpoints.setEnabled(transaction, request.pathInteger("id"),
                                                                              isEnabled, actorOf(request)));
    });
    services.wake();
    return response;
}

Response enable(Request& request, const RouteServices& services) {
    return setEnabled(request, services, true);
}

Response disable(Request& request, const RouteServices& services) {
    return setEnabled(request, services, false);
}

} // namespace

void addOperatorRoutes(std::vector<Route>& routes, std::function<const RouteServices&()> services) {
    const auto route = [&](Method method, std::string pattern, Response (*handler)(Request&, const RouteServices&)) {
        routes.push_back(
            {method, std::move(pattern), Audience::Operator, {}, Body::None, [services, handler](Request& request) {
                 return handler(request, services());
             }});
    };
    route(Method::Get, "/webhooks", listAll);
    route(Method::Get, "/webhooks/{id:int}", readAny);
    route(Method::Post, "/webhooks/{id:int}/enable", enable);
    route(Method::Post, "/webhooks/{id:int}/disable", disable);
}

} // namespace supplierd::webhooks
