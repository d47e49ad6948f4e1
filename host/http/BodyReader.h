#pragma once

#include "host/http/Framing.h"

#include <supplierd/Plugin.h>

#include <Poco/Net/HTTPServerRequest.h>

#include <cstdint>
#include <string>

namespace supplierd::host {

/// Judges from a request's head whether the route takes its body. `limit`: where the route has none. Throws ApiError:
/// UnsupportedMediaType, LengthRequired, PayloadTooLarge.
void checkBody(const Poco::Net::HTTPServerRequest& request, const Framing& framing, const Route& route,
               std::int64_t limit);

/// Reads the whole declared body, which was checked. Sends `100 Continue` when the client waits for it. Throws ApiError
/// (BadRequest) when the body ended early or came too slowly; the connection must be closed then.
std::string readBody(Poco::Net::HTTPServerRequest& request, const Framing& framing);

} // namespace supplierd::host
