#include "tests/fuzz/EnvelopeCheck.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace supplierd::tests {

namespace {

constexpr auto CODES = std::to_array<std::pair<int, std::string_view>>({
    {400, "BAD_REQUEST"},
    {401, "UNAUTHORIZED"},
    {403, "FORBIDDEN"},
    {404, "NOT_FOUND"},
    {405, "METHOD_NOT_ALLOWED"},
    {409, "CONFLICT"},
    {411, "LENGTH_REQUIRED"},
    {412, "PRECONDITION_FAILED"},
    {413, "PAYLOAD_TOO_LARGE"},
    {415, "UNSUPPORTED_MEDIA_TYPE"},
    {422, "VALIDATION_ERROR"},
    {429, "RATE_LIMITED"},
    {503, "SERVICE_UNAVAILABLE"},
});

constexpr auto DETAIL_CODES =
    std::to_array<std::string_view>({"required", "type", "out_of_range", "too_long", "not_in_set", "duplicate",
                                     "unknown_reference", "unsupported", "too_many"});

std::string problemOfDetails(const Json& error) {
    const auto details = error.find("details");
    if (details == error.end() || !details->is_array() || details->empty())
        return "a 422 without details";
    for (const auto& detail : *details) {
        const auto hasText = [&](const char* name) { return detail.contains(name) && detail[name].is_string(); };
        if (!detail.is_object() || !hasText("field") || !hasText("code") || !hasText("message"))
            return "a detail without field, code or message";
        const auto code = detail["code"].get<std::string>();
        if (std::find(DETAIL_CODES.begin(), DETAIL_CODES.end(), code) == DETAIL_CODES.end())
            return "a detail of the unknown code " + code;
    }
    if ((*details)[0]["message"] != error["message"])
        return "a message that is not the first detail's";
    return {};
}

std::string problemOfError(int status, const Json& error, const std::string& requestId) {
    const auto hasText = [&](const char* name) {
        return error.contains(name) && error[name].is_string() && error[name] != "";
    };
    if (!error.is_object() || !hasText("code") || !hasText("message") || !hasText("request_id"))
        return "an error without code, message or request_id";
    if (error["request_id"] != requestId)
        return "an error with the request_id of another request";
    const auto known = std::find_if(CODES.begin(), CODES.end(), [&](const auto& row) { return row.first == status; });
    if (known == CODES.end())
        return "an unexpected status";
    if (error["code"] != known->second)
        return "a code that does not belong to the status";
    return status == 422 ? problemOfDetails(error) : std::string();
}

/// `data`, and `warnings` where there are some: each with a field, a code and a message.
std::string problemOfSuccess(const Json& envelope) {
    constexpr std::size_t MOST_WARNINGS = 20;
    if (!envelope.contains("data") || !envelope["data"].is_object())
        return "no data object";
    if (envelope.size() == 2)
        return "";
    if (envelope.size() != 3 || !envelope.contains("warnings"))
        return "a member that is neither data nor warnings";
    const auto& warnings = envelope["warnings"];
    if (!warnings.is_array() || warnings.empty() || warnings.size() > MOST_WARNINGS)
        return "warnings that are no list of 1 to 20";
    for (const auto& warning : warnings)
        for (const char* member : {"field", "code", "message"})
            if (!warning.is_object() || !warning.contains(member) || !warning[member].is_string())
                return std::string("a warning without ") + member;
    return "";
}

} // namespace

std::string problemOf(const HttpResponse& response, const std::string& requestId) {
    if (response.status >= 500 && response.status != 503)
        return "a server error";
    if (response.header("X-Request-Id") != requestId)
        return "the X-Request-Id '" + response.header("X-Request-Id") + "' instead of '" + requestId + "'";
    if (response.status == 304)
        return response.body.empty() ? "" : "a 304 with a body";
    if (response.header("Content-Type").rfind("application/json", 0) != 0)
        return "not application/json";
    const auto envelope = Json::parse(response.body, nullptr, /* allow_exceptions */ false);
    if (!envelope.is_object() || !envelope.contains("success") || !envelope["success"].is_boolean())
        return "no envelope";
    const bool success = envelope["success"].get<bool>();
    if (success != (response.status < 300))
        return "success and status disagree";
    if (success)
        return problemOfSuccess(envelope);
    if (envelope.size() != 2 || !envelope.contains("error"))
        return "no error object";
    return problemOfError(response.status, envelope["error"], requestId);
}

} // namespace supplierd::tests
