#include "host/http/response/ErrorTable.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Response.h>

#include <algorithm>

namespace supplierd::host {

ErrorRow errorRow(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::BadRequest:
        return {400, "BAD_REQUEST"};
    case ErrorKind::Unauthorized:
        return {401, "UNAUTHORIZED"};
    case ErrorKind::Forbidden:
        return {403, "FORBIDDEN"};
    case ErrorKind::NotFound:
        return {404, "NOT_FOUND"};
    case ErrorKind::MethodNotAllowed:
        return {405, "METHOD_NOT_ALLOWED"};
    case ErrorKind::Conflict:
        return {409, "CONFLICT"};
    case ErrorKind::LengthRequired:
        return {411, "LENGTH_REQUIRED"};
    case ErrorKind::PreconditionFailed:
        return {412, "PRECONDITION_FAILED"};
    case ErrorKind::PayloadTooLarge:
        return {413, "PAYLOAD_TOO_LARGE"};
    case ErrorKind::UnsupportedMediaType:
        return {415, "UNSUPPORTED_MEDIA_TYPE"};
    case ErrorKind::RangeNotSatisfiable:
        return {416, "RANGE_NOT_SATISFIABLE"};
    case ErrorKind::Validation:
        return {422, "VALIDATION_ERROR"};
    case ErrorKind::RateLimited:
        return {429, "RATE_LIMITED"};
    case ErrorKind::Unavailable:
        return {503, "SERVICE_UNAVAILABLE"};
    case ErrorKind::Internal:
        break;
    }
    return {500, "SERVER_ERROR"};
}

std::string_view errorCode(int status) {
    switch (status) {
    case 400:
        return errorRow(ErrorKind::BadRequest).code;
    case 403:
        return errorRow(ErrorKind::Forbidden).code;
    case 405:
        return errorRow(ErrorKind::MethodNotAllowed).code;
    case 408:
        return "REQUEST_TIMEOUT";
    case 413:
        return errorRow(ErrorKind::PayloadTooLarge).code;
    case 414:
        return "URI_TOO_LONG";
    case 431:
        return "HEADERS_TOO_LARGE";
    case 501:
        return "NOT_IMPLEMENTED";
    case 503:
        return errorRow(ErrorKind::Unavailable).code;
    default:
        return errorRow(ErrorKind::Internal).code;
    }
}

namespace {

void writeDetail(JsonWriter& json, const Detail& detail) {
    json.beginObject().field("field", detail.field).field("code", detail.code).field("message", detail.message);
    for (const auto* members : {&detail.errorMembers, &detail.members})
        for (const auto& [name, value] : *members)
            json.key(name).raw(value);
    json.endObject();
}

} // namespace

std::string_view publicMessage(const ApiError& error) {
    return error.kind() == ErrorKind::Internal ? std::string_view("Internal error") : std::string_view(error.message());
}

std::string errorFragment(const ApiError& error) {
    std::string out;
    JsonWriter json(out);
    json.beginObject().field("code", errorRow(error.kind()).code);
    const bool isInternal = error.kind() == ErrorKind::Internal;
    json.field("message", publicMessage(error));
    const auto& details = error.details();
    if (!details.empty() && !isInternal) {
        json.key("details").beginArray();
        for (const auto& detail : details)
            writeDetail(json, detail);
        json.endArray();
        const auto found =
            std::find_if(details.begin(), details.end(), [](const Detail& d) { return !d.errorMembers.empty(); });
        if (found != details.end())
            for (const auto& [name, value] : found->errorMembers)
                json.key(name).raw(value);
    }
    return out.substr(1); // without the brace
}

std::string errorFragment(std::string_view code, std::string_view message) {
    std::string out;
    JsonWriter(out).beginObject().field("code", code).field("message", message);
    return out.substr(1); // without the brace
}

std::string successPayload(std::string data, const std::vector<Detail>& warnings, const std::vector<Detail>& more) {
    if (warnings.empty() && more.empty())
        return data;
    std::string payload = data.empty() ? std::string("{}") : std::move(data);
    payload += R"(,"warnings":)";
    JsonWriter json(payload);
    json.beginArray();
    std::size_t count = 0;
    for (const auto* list : {&warnings, &more})
        for (const auto& warning : *list)
            if (count++ < Response::MAX_WARNINGS)
                writeDetail(json, warning);
    json.endArray();
    return payload;
}

void appendSuccess(std::string& out, std::string_view payload) {
    out += R"({"success":true,"data":)";
    out += payload.empty() ? std::string_view("{}") : payload;
    out += '}';
}

void appendFailure(std::string& out, std::string_view fragment, std::string_view requestId) {
    out += R"({"success":false,"error":{)";
    out += fragment;
    out += R"(,"request_id":)";
    appendJsonString(out, requestId);
    out += "}}";
}

} // namespace supplierd::host
