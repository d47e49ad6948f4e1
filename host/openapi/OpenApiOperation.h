#pragma once

#include "host/openapi/OpenApiPart.h"

#include <supplierd/Plugin.h>

#include <string>

namespace supplierd::host {

/// What the part of a plugin says of a route, with what the host adds to every route. `operation` refers to
/// `components` of the part, by the names that they have there, and to the host's.
OpenApiJson completeOperation(const OpenApiJson& operation, const Route& route, const OpenApiJson& pathParameters,
                              const OpenApiJson& components);

/// "getWishesById", for an operation that has no operationId.
std::string operationIdOf(const Route& route);

/// "priceAlerts" for "price-alerts" and "price.alerts".
std::string camelCase(std::string_view text);
/// "PriceAlerts"
std::string pascalCase(std::string_view text);

} // namespace supplierd::host
