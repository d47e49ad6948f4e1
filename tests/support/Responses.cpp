#include "tests/support/Responses.h"

#include <cppunit/TestAssert.h>

#include <algorithm>

namespace supplierd::tests {

namespace {

std::string sortedLines(std::vector<std::string> lines) {
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

bool isNumber(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
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
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.statusLine + " " + response.body, status, response.status);
}

json dataOf(const HttpResponse& response, int status) {
    requireStatus(status, response);
    return response.data();
}

json requireError(int status, const std::string& code, const HttpResponse& response) {
    requireStatus(status, response);
    CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type"));
    const json envelope = response.json();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, envelope.size());
    CPPUNIT_ASSERT_EQUAL(false, envelope.at("success").get<bool>());
    json error = envelope.at("error");
    CPPUNIT_ASSERT_EQUAL(code, error.at("code").get<std::string>());
    CPPUNIT_ASSERT(!error.at("message").get<std::string>().empty());
    CPPUNIT_ASSERT(!response.header("X-Request-Id").empty());
    CPPUNIT_ASSERT_EQUAL(response.header("X-Request-Id"), error.at("request_id").get<std::string>());
    return error;
}

json requireDetail(int status, const std::string& code, const std::string& detail, const HttpResponse& response) {
    json error = requireError(status, code, response);
    CPPUNIT_ASSERT_EQUAL(detail, error.at("details").at(0).at("code").get<std::string>());
    CPPUNIT_ASSERT(!error.at("details").at(0).at("message").get<std::string>().empty());
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

void requireForbidden(const std::string& detail, const HttpResponse& response) {
    requireDetail(403, "FORBIDDEN", detail, response);
}

void requireRateLimitHeaders(const HttpResponse& response) {
    for (const char* name : {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"})
        CPPUNIT_ASSERT_MESSAGE(response.statusLine + " has " + name + ": " + response.header(name),
                               isNumber(response.header(name)));
}

} // namespace supplierd::tests
