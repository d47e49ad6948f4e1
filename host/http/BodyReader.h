#pragma once

#include "host/http/Framing.h"

#include <supplierd/Plugin.h>

#include <Poco/Net/HTTPServerRequest.h>

#include <cstdint>
#include <string>

namespace supplierd::host {

/// Reads the whole declared body of a request, after everything that can be judged from its head was judged. Sends
/// `100 Continue` when the client waits for it. Throws ApiError: UnsupportedMediaType, LengthRequired,
/// PayloadTooLarge, BadRequest (the body ended early or came too slowly); the connection must be closed after any.
std::string readBody(Poco::Net::HTTPServerRequest& request, const Framing& framing, Body kind, std::int64_t limit);

} // namespace supplierd::host
