#include "KeyInput.h"

#include <supplierd/Query.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace supplierd::platform {

namespace {

constexpr std::size_t MAX_KEY_NAME = 255;
constexpr std::int64_t MAX_HOURLY_LIMIT = 1'000'000'000;
constexpr std::size_t MAX_SCOPES = 100;
constexpr std::size_t MAX_TIME = 64;

/// Now, in the form in which QueryReader::time() gives a time.
std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S.999999", &utc);
    return {text.data(), length};
}

std::optional<std::string> readExpiry(ObjectReader& reader) {
    const Field<std::string> given = reader.text("expires_at", {MAX_TIME});
    if (!given.hasValue())
        return std::nullopt;
    const QueryParameters parameters{{reader.path("expires_at"), *given.value}};
    const auto time = QueryReader(parameters, reader.details()).time(reader.path("expires_at"));
    if (time && *time <= now()) {
        reader.details().add(reader.path("expires_at"), "out_of_range", "expires_at must be in the future");
        return std::nullopt;
    }
    return time;
}

/// Each scope once, in the order given. A key without any could do nothing, or, as the database reads it, everything.
std::vector<std::string> readScopes(ObjectReader& reader, const std::vector<std::string>& known) {
    std::vector<std::string> scopes;
    const std::optional<JsonArray> array = reader.array("scopes", MAX_SCOPES);
    if (!array)
        return scopes;
    Details& details = reader.details();
    if (array->empty())
        details.add("scopes", "required", "scopes must name at least one scope; leave it out for all of them");
    std::size_t i = 0;
    for (const JsonValue value : *array) {
        const std::string place = "scopes[" + std::to_string(i++) + "]";
        if (!value.isText()) {
            details.add(place, "type", place + " must be a text");
            continue;
        }
        const std::string scope(trimmed(value.text()));
        if (scope.empty()) {
            details.add(place, "required", place + " is required");
        } else if (std::find(known.begin(), known.end(), scope) == known.end()) {
            std::string all;
            for (const std::string& one : known)
                all += (all.empty() ? "" : ", ") + one;
            details.add(place, "not_in_set", place + " must be one of " + all);
        } else if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) {
            scopes.push_back(scope);
        }
    }
    return scopes;
}

} // namespace

NewApiKey readNewKey(const JsonObject& body, std::int64_t supplierId, const std::vector<std::string>& knownScopes,
                     Details& details) {
    ObjectReader reader(body, details);
    NewApiKey key;
    key.supplierId = supplierId;
    key.name = reader.text("name", {MAX_KEY_NAME}).valueOr("");
    key.hourlyLimit = reader.integer("hourly_limit", {1, MAX_HOURLY_LIMIT}).value;
    key.scopes = readScopes(reader, knownScopes);
    key.expiresAt = readExpiry(reader);
    return key;
}

} // namespace supplierd::platform
