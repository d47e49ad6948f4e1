#pragma once

#include "host/http/Exchange.h"

#include <cstddef>

namespace supplierd::host {

/// Writes the envelope around the outcome (no content: see ContentSender) and sends it whole, with a Content-Length.
/// Returns the bytes of the body. A client that is gone is no error.
std::size_t sendAnswer(Exchange& exchange, bool closes);

/// Takes what the client still sends, for a bounded time and size, so that closing does not reset the connection before
/// the answer was read.
void lingerBeforeClose(Poco::Net::HTTPServerRequest& request);

} // namespace supplierd::host
