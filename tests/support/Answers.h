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

/// Each fails the test with the answer's body unless the answer is as they say.
void requireStatus(int status, const HttpResponse& response);
/// `data` of an answer with that status.
nlohmann::json dataOf(const HttpResponse& response, int status = 200);
/// An error envelope with that status and code. Returns the error.
nlohmann::json requireError(int status, const std::string& code, const HttpResponse& response);
/// 422 with one detail for each of the given `field:code`, in any order, and no other. Returns the error.
nlohmann::json requireProblems(const HttpResponse& response, std::vector<std::string> problems);
/// A 403 whose first detail has that code.
void requireForbidden(const std::string& code, const HttpResponse& response);

} // namespace supplierd::tests
