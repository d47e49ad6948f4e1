#pragma once

#include "host/http/Exchange.h"
#include "host/http/response/BodyOutput.h"

namespace supplierd::host {

/// Sends the exchange's content, or the chosen part of it, with its head, and notes how many bytes went out. A client
/// that is gone is no error. Throws whatever the content throws, and std::runtime_error when it gives other bytes than
/// it said; the connection must be closed then.
void sendContent(Exchange& exchange, bool closes, const OutputLimits& limits);

} // namespace supplierd::host
