#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/Json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The value of `id` as a number.
std::int64_t idOf(const Json& object);
std::vector<std::int64_t> idsOf(const Json& objects);

/// Each fails the test, showing the response, unless that is as they say.
void requireStatus(int status, const HttpResponse& response);
/// `data` of a response with that status.
Json dataOf(const HttpResponse& response, int status = 200);
/// An error in the envelope with that status and code, and with the request id of its header. Returns the error.
Json requireError(int status, const std::string& code, const HttpResponse& response);
/// The same, and `details[0].code` is this.
Json requireDetail(int status, const std::string& code, const std::string& detail, const HttpResponse& response);
/// A 403 with that detail.
void requireForbidden(const std::string& detail, const HttpResponse& response);
/// 422 with one detail for each of the given `field:code`, in any order, and no other. Returns the error.
Json requireProblems(const HttpResponse& response, std::vector<std::string> problems);
/// `X-RateLimit-*` are there and are numbers.
void requireRateLimitHeaders(const HttpResponse& response);

} // namespace supplierd::tests
