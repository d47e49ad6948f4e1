#include "EndpointRoutes.h"

#include <supplierd/Validation.h>

#include <array>
#include <limits>
#include <utility>

namespace supplierd::webhooks {

namespace {

constexpr std::array<std::string_view, 2> BODIES{"thin", "full"};
constexpr std::size_t MAX_URL = 2'000;
constexpr std::size_t MAX_DESCRIPTION = 255;

void checkUrl(const RouteServices& services, const std::string& url, Details& details) {
    if (!services.settings.allowsHttp && !url.starts_with("https://")) {
        details.add("url", "unsupported", "url must begin with https://");
        return;
    }
    try {
        services.http.check(url);
    } catch (const HttpError& problem) {
        details.add("url", "unsupported", std::string("url cannot be called: ") + problem.what());
    }
}

std::string knownEventsText() {
    std::string text;
    for (const std::string_view name : chosenNames())
        text.append(text.empty() ? " must be one of " : ", ").append(name);
    return text;
}

std::optional<std::int64_t> readEvents(ObjectReader& reader, bool isRequired) {
    const auto names = reader.array("events", EVENT_TYPES.size(), isRequired);
    if (!names)
        return std::nullopt;
    std::int64_t events = 0;
    std::size_t index = 0;
    for (const JsonValue& name : *names) {
        const std::string field = "events[" + std::to_string(index++) + "]";
        const auto event = name.isText() ? eventOfName(name.text()) : std::nullopt;
        if (event)
            events |= bitOf(*event);
        else
            reader.details().add(field, "not_in_set", field + knownEventsText());
    }
    if (names->empty())
        reader.details().add("events", "required", "events must name an event");
    return events;
}

EndpointChange readEndpointBody(const RouteServices& services, const Request& request, bool isNew) {
    Details details;
    ObjectReader reader(request.body(), details);
    EndpointChange wanted;
    // No address has to be said: who forgets it would wait for deliveries for ever.
    const auto url = reader.text("url", {.maxCodePoints = MAX_URL});
    const JsonValue given = request.body().get("url");
    const bool isBlank = given.isText() && given.text().find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (url.value)
        checkUrl(services, *url.value, details);
    else if (isBlank || (!url.present && isNew))
        details.add("url", "required", "url must be an address, or null for deliveries that are posted nowhere");
    if (url.present)
        wanted.url = url.value.value_or("");
    if (const auto description = reader.text("description", {.maxCodePoints = MAX_DESCRIPTION}); description.present)
        wanted.description = description.value;
    wanted.events = readEvents(reader, isNew || reader.has("events"));
    if (const auto body = reader.oneOf("body", BODIES); body.value)
        wanted.isFull = *body.value == BODIES[1];
    wanted.isEnabled = reader.boolean("enabled").value;
    details.throwIfAny();
    return wanted;
}

/// What it shows its owner may read elsewhere, too: else a key for webhooks alone would read everything.
void requireScopes(const Request& request, const Endpoint& endpoint) {
    for (std::size_t event = FIRST_CHOICE; endpoint.isFull && event < EVENT_TYPES.size(); ++event) {
        const std::string_view scope = scopeOf(EVENT_TYPES.at(event).subject);
        if ((endpoint.events & bitOf(event)) == 0 || request.principal().hasScope(scope))
            continue;
        const std::string message = "A webhook that shows " + std::string(nameOf(EVENT_TYPES.at(event).subject)) +
                                    "s in full needs the scope '" + std::string(scope) + "', too";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "scope", message}});
    }
}

Response endpointResponse(Response response, const Endpoint& endpoint,
                          const std::optional<std::string>& secret = std::nullopt) {
    JsonWriter json(response.data);
    json.beginObject().key("webhook");
    writeJson(json, endpoint, secret);
    json.endObject();
    response.secret = secret.has_value();
    return response;
}

Response deliveryResponse(const Request& request, Response response, LoggedDelivery delivery) {
    hideFrom(request.principal(), delivery);
    JsonWriter json(response.data);
    json.beginObject().key("delivery");
    writeJson(json, delivery);
    json.endObject();
    return response;
}

template <class Item>
Response listOf(Response response, std::string_view name, const Listed<Item>& listed) {
    JsonWriter json(response.data);
    json.beginObject();
    writeList(json, name, listed);
    json.endObject();
    return response;
}

std::int64_t callerOf(const Request& request) {
    return request.principal().supplierId;
}

Response listEndpoints(Request& request, const RouteServices& services) {
    return listOf(request.reply(), "webhooks",
                  services.endpoints.list(request.database(), callerOf(request), request.query()));
}

Response createEndpoint(Request& request, const RouteServices& services) {
    const EndpointChange wanted = readEndpointBody(services, request, true);
    return request.transact([&](Transaction& transaction) {
        const auto made = services.endpoints.create(transaction, callerOf(request), wanted, actorOf(request));
        requireScopes(request, made.endpoint);
        return endpointResponse(request.reply(201), made.endpoint, made.secret);
    });
}

Response readEndpointOf(Request& request, const RouteServices& services) {
    const Endpoint endpoint = request.database().read([&](SqlSession& session) {
        return services.endpoints.require(session, callerOf(request), request.pathInteger("id"));
    });
    return endpointResponse(request.reply(), endpoint);
}

Response changeEndpoint(Request& request, const RouteServices& services) {
    const EndpointChange wanted = readEndpointBody(services, request, false);
    Response response = request.transact([&](Transaction& transaction) {
        const std::int64_t id = request.pathInteger("id");
        const Endpoint changed =
            services.endpoints.change(transaction, callerOf(request), id, wanted, actorOf(request));
        requireScopes(request, changed);
        return endpointResponse(request.reply(), changed);
    });
    services.wake();
    return response;
}

Response deleteEndpoint(Request& request, const RouteServices& services) {
    return request.transact([&](Transaction& transaction) {
        services.endpoints.remove(transaction, callerOf(request), request.pathInteger("id"), actorOf(request));
        Response response = request.reply();
        response.data = R"({"deleted":true})";
        return response;
    });
}

Response rotateSecret(Request& request, const RouteServices& services) {
    return request.transact([&](Transaction& transaction) {
        const auto rotated = services.endpoints.rotateSecret(transaction, callerOf(request), request.pathInteger("id"),
                                                             actorOf(request));
        return endpointResponse(request.reply(), rotated.endpoint, rotated.secret);
    });
}

Response testEndpoint(Request& request, const RouteServices& services) {
    Response response = request.transact([&](Transaction& transaction) {
        return deliveryResponse(request, request.reply(202),
                                services.deliveries.test(transaction, callerOf(request), request.pathInteger("id")));
    });
    services.wake();
    return response;
}

Response listDeliveries(Request& request, const RouteServices& services) {
    auto listed =
        services.deliveries.list(request.database(), callerOf(request), request.pathInteger("id"), request.query());
    for (LoggedDelivery& delivery : listed.items)
        hideFrom(request.principal(), delivery);
    return listOf(request.reply(), "deliveries", listed);
}

Response readDeliveryOf(Request& request, const RouteServices& services) {
    return deliveryResponse(request, request.reply(), request.database().snapshot([&](SqlSession& session) {
        return services.deliveries.require(session, callerOf(request), request.pathInteger("id"),
                                           request.pathInteger("delivery"));
    }));
}

Response redeliver(Request& request, const RouteServices& services) {
    Response response = request.transact([&](Transaction& transaction) {
        return deliveryResponse(request, request.reply(202),
                                services.deliveries.redeliver(transaction, callerOf(request), request.pathInteger("id"),
                                                              request.pathInteger("delivery"), actorOf(request)));
    });
    services.wake();
    return response;
}

Response redeliverSince(Request& request, const RouteServices& services) {
    Details details;
    const auto since = ObjectReader(request.body(), details).integer("since", {.required = true});
    details.throwIfAny();
    Response response = request.transact([&](Transaction& transaction) {
        const Redelivered result = services.deliveries.redeliverSince(
            transaction, callerOf(request), request.pathInteger("id"), *since.value, actorOf(request));
        Response done = request.reply(202);
        JsonWriter json(done.data);
        json.beginObject().field("queued", result.queued).field("last_change_seq", result.lastChangeSeq);
        json.field("has_more", result.hasMore).field("complete", result.isComplete).endObject();
        return done;
    });
    services.wake();
    return response;
}

} // namespace

void addRoutes(std::vector<Route>& routes, std::function<const RouteServices&()> services) {
    const auto route = [&](Method method, std::string pattern, Body body,
                           Response (*handler)(Request&, const RouteServices&)) {
        const bool reads = method == Method::Get;
        routes.push_back({method, std::move(pattern), Audience::Supplier, reads ? "webhooks:read" : "webhooks:write",
                          body, [services, handler](Request& request) { return handler(request, services()); }});
    };
    route(Method::Get, "/webhooks", Body::None, listEndpoints);
    route(Method::Post, "/webhooks", Body::Json, createEndpoint);
    route(Method::Get, "/webhooks/{id:int}", Body::None, readEndpointOf);
    route(Method::Post, "/webhooks/{id:int}", Body::Json, changeEndpoint);
    route(Method::Post, "/webhooks/{id:int}/delete", Body::None, deleteEndpoint);
    route(Method::Post, "/webhooks/{id:int}/rotate-secret", Body::None, rotateSecret);
    route(Method::Post, "/webhooks/{id:int}/test", Body::None, testEndpoint);
    route(Method::Post, "/webhooks/{id:int}/redeliver", Body::Json, redeliverSince);
    route(Method::Get, "/webhooks/{id:int}/deliveries", Body::None, listDeliveries);
    route(Method::Get, "/webhooks/{id:int}/deliveries/{delivery:int}", Body::None, readDeliveryOf);
    route(Method::Post, "/webhooks/{id:int}/deliveries/{delivery:int}/redeliver", Body::None, redeliver);
}

} // namespace supplierd::webhooks
