#pragma once

#include "tests/support/HttpClient.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The value of `id` as a number.
std::int64_t idOf(const nlohmann::json& object);
std::vector<std::int64_t> idsOf(const nlohmann::json& objects);

/// Each fails the test, showing the response, unless that is as they say.
void requireStatus(int status, const HttpResponse& response);
/// `data` of a response with that status.
nlohmann::json dataOf(const HttpResponse& response, int status = 200);
/// An error in the envelope with that status and code, and with the request id of its header. Returns the error.
nlohmann::json requireError(int status, const std::string& code, const HttpResponse& response);
/// The same, and `details[0].code` is this.
nlohmann::json requireDetail(int status, const std::string& code, const std::string& detail,
                             const HttpResponse& response);
/// A 403 with that detail.
void requireForbidden(const std::string& detail, const HttpResponse& response);
/// 422 with one detail for each of the given `field:code`, in any order, and no other. Returns the error.
nlohmann::json requireProblems(const HttpResponse& response, std::vector<std::string> problems);
/// `X-RateLimit-*` are there and are numbers.
void requireRateLimitHeaders(const HttpResponse& response);

} // namespace supplierd::tests
