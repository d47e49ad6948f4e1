#pragma once

#include "tests/support/HttpClient.h"

#include <string>

namespace supplierd::tests {

/// What is wrong with an answer as an answer of the API, whatever was asked: a server error, a broken envelope, a code
/// that does not belong to the status, the request id of another request. Empty when nothing is.
std::string problemOf(const HttpResponse& response, const std::string& requestId);

} // namespace supplierd::tests
