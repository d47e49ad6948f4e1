#include "tests/support/cases/CaseAnswer.h"

#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/cases/CaseValues.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <vector>

namespace supplierd::tests {

namespace {

const std::map<int, std::string> ERROR_CODES{
    {400, "BAD_REQUEST"},         {401, "UNAUTHORIZED"},       {403, "FORBIDDEN"},
    {404, "NOT_FOUND"},           {405, "METHOD_NOT_ALLOWED"}, {409, "CONFLICT"},
    {412, "PRECONDITION_FAILED"}, {413, "PAYLOAD_TOO_LARGE"},  {415, "UNSUPPORTED_MEDIA_TYPE"},
    {422, "VALIDATION_ERROR"},    {429, "RATE_LIMITED"},       {503, "SERVICE_UNAVAILABLE"}};

/// A first member of `data` that has an id is what the response is about.
const json& objectOf(const json& data) {
    for (const json& member : data)
        if (data.is_object() && member.is_object() && member.contains("id"))
            return member;
    return data;
}

/// "path", "=" and "value".
struct Comparison {
    std::string path;
    std::string op;
    std::string value;
};

std::optional<Comparison> comparisonOf(const std::string& token) {
    const auto end = std::ranges::find_if(token, [](unsigned char c) {
        return std::isalnum(c) == 0 && std::string("_.*:@-").find(static_cast<char>(c)) == std::string::npos;
    });
    const auto at = static_cast<std::size_t>(end - token.begin());
    for (const std::string op : {"!=", "!~", "=", "~", ">"})
        if (at > 0 && token.compare(at, op.size(), op) == 0)
            return Comparison{token.substr(0, at), op, token.substr(at + op.size())};
    return std::nullopt;
}

/// `field:code` of each detail; of an import `row:column/field/code`.
std::string problemsOf(const json& found) {
    std::vector<std::string> problems;
    const auto text = [](const json& detail, const char* name) { return detail.value(name, json("")); };
    const auto add = [&](const json& detail, const std::string& before) {
        require(!text(detail, "message").empty(), "a detail without a message");
        const json field = text(detail, "field");
        problems.push_back(before + (field.is_null() ? "" : field.get<std::string>()) + (before.empty() ? ":" : "/") +
                           text(detail, "code").get<std::string>());
    };
    for (const json& one : found)
        if (one.contains("row"))
            for (const json& detail : one["details"])
                add(detail, one["row"].dump() + ":" +
                                (detail["column"].is_null() ? "-" : detail["column"].get<std::string>()) + "/");
        else
            add(one, "");
    std::ranges::sort(problems);
    std::string all;
    for (const std::string& problem : problems)
        all += " " + problem;
    return all;
}

void requireValue(const HttpResponse& response, const Comparison& comparison) {
    const auto& [path, op, value] = comparison;
    std::optional<json> found;
    const json envelope = json::parse(response.body, nullptr, false);
    if (path.starts_with('@')) {
        if (response.hasHeader(path.substr(1)))
            found = response.header(path.substr(1));
    } else if (path == "body") {
        found = response.body;
    } else if (envelope.is_object()) {
        if (envelope.contains("data") && !envelope["data"].is_null()) {
            found = valueAt(envelope["data"], path);
            found = found ? found : valueAt(objectOf(envelope["data"]), path);
        }
        found = found ? found : valueAt(envelope, path);
    }
    const std::string shown =
        "expected " + path + op + shortened(value) + ", found " + shortened(found ? found->dump() : "absent");
    if (value == "absent")
        return require(!found.has_value() == (op == "="), shown);
    const json wanted = path == "body" || path.starts_with('@')
                            ? json(jsonOf(value).is_string() ? jsonOf(value).get<std::string>() : value)
                            : jsonOf(value);
    require(found.has_value(), shown);
    require(op == "="    ? isAsExpected(wanted, *found)
            : op == "!=" ? *found != wanted
            : op == "~"  ? isPartOf(wanted, *found)
            : op == "!~" ? !isPartOf(wanted, *found)
                         : *found > wanted,
            shown);
}

} // namespace

std::string shortened(const std::string& text) {
    std::size_t length = 800;
    if (text.size() <= length)
        return text;
    while ((static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) // within a character
        --length;
    return text.substr(0, length) + "… (" + std::to_string(text.size()) + " bytes)";
}

json jsonOf(const std::string& text) {
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json(text) : value;
}

void require(bool so, const std::string& message) {
    if (!so)
        throw std::runtime_error(message);
}

json subjectOf(const HttpResponse& response) {
    const json envelope = json::parse(response.body, nullptr, false);
    return envelope.is_discarded()        ? json(response.body)
           : envelope.contains("error")   ? envelope["error"]
           : envelope["data"].is_object() ? objectOf(envelope["data"])
                                          : envelope["data"];
}

std::string checksums() {
    std::string tables;
    TestDatabase& database = fixture().database();
    for (const TestRow& row : database.query(
             "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN "
             "('products', 'product_variants', 'product_skus', 'changes', 'supplier_state', 'suppliers', 'categories', "
             "'orders', 'order_groups', 'order_items', 'order_status_history')"))
        tables += (tables.empty() ? "" : ", ") + *row[0];
    std::string sums;
    for (const TestRow& row : database.query("CHECKSUM TABLE " + tables))
        sums += *row[0] + " " + row[1].value_or("") + "\n";
    return sums;
}

void requireAnswer(const std::string& expected, const HttpResponse& response) {
    int status = 0;
    static const std::regex number("\\d{3}");
    std::vector<std::string> problems;
    std::vector<Comparison> comparisons;
    for (std::size_t at = 0; at < expected.size();) {
        const std::size_t end = endOfToken(expected, at);
        const std::string token = expected.substr(at, end - at);
        at = expected.find_first_not_of(' ', end);
        if (token.size() == 3 && std::regex_match(token, number) && status == 0)
            status = std::stoi(token);
        else if (const auto comparison = comparisonOf(token))
            comparisons.push_back(*comparison);
        else if (token.find(':') != std::string::npos)
            problems.push_back(token);
        else
            require(token == "unchanged", "\"" + token + "\" says nothing: write a status, field:code or path=value");
    }
    const std::string got = "\n    got:  " + response.statusLine + " " + shortened(response.body);
    require(status == 0 ? response.status / 100 == 2 : response.status == status,
            "expected status " + (status == 0 ? "2xx" : std::to_string(status)) + got);
    if (status >= 400)
        requireError(status, ERROR_CODES.at(status), response);
    if (!problems.empty() || status == 422) {
        std::ranges::sort(problems);
        std::string wanted;
        for (const std::string& problem : problems)
            wanted += " " + problem;
        const json found = status >= 400 ? response.error()["details"] : response.data()["errors"];
        require(problems.empty() || wanted == problemsOf(found),
                "expected problems:" + wanted + "\n    got:     " + problemsOf(found) + got);
        require(status != 422 || found.at(0).at("message") == response.error()["message"],
                "the error has not the message of its first detail" + got);
    }
    for (const Comparison& comparison : comparisons) {
        try {
            requireValue(response, comparison);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(error.what() + got);
        }
    }
}

} // namespace supplierd::tests
