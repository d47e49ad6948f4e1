#include "tests/support/Answers.h"

#include <cppunit/TestAssert.h>

#include <algorithm>

namespace supplierd::tests {

using nlohmann::json;

namespace {

std::string sortedLines(std::vector<std::string> lines) {
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

} // namespace

std::int64_t idOf(const json& object) {
    return object.at("id").get<std::int64_t>();
}

std::vector<std::int64_t> idsOf(const json& objects) {
    std::vector<std::int64_t> ids;
    for (const json& object : objects)
        ids.push_back(idOf(object));
    return ids;
}

void requireStatus(int status, const HttpResponse& response) {
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, status, response.status);
}

json dataOf(const HttpResponse& response, int status) {
    requireStatus(status, response);
    return response.data();
}

json requireError(int status, const std::string& code, const HttpResponse& response) {
    requireStatus(status, response);
    json error = response.error();
    CPPUNIT_ASSERT_EQUAL(code, error.at("code").get<std::string>());
    CPPUNIT_ASSERT(!error.at("message").get<std::string>().empty());
    CPPUNIT_ASSERT_EQUAL(response.header("X-Request-Id"), error.at("request_id").get<std::string>());
    return error;
}

json requireProblems(const HttpResponse& response, std::vector<std::string> problems) {
    json error = requireError(422, "VALIDATION_ERROR", response);
    std::vector<std::string> found;
    for (const json& detail : error.at("details")) {
        found.push_back(detail.at("field").get<std::string>() + ":" + detail.at("code").get<std::string>());
        CPPUNIT_ASSERT(!detail.at("message").get<std::string>().empty());
    }
    CPPUNIT_ASSERT_EQUAL(error["details"][0]["message"].get<std::string>(), error["message"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, sortedLines(std::move(problems)), sortedLines(std::move(found)));
    return error;
}

void requireForbidden(const std::string& code, const HttpResponse& response) {
    const json error = requireError(403, "FORBIDDEN", response);
    CPPUNIT_ASSERT_EQUAL(code, error.at("details").at(0).at("code").get<std::string>());
}

} // namespace supplierd::tests
