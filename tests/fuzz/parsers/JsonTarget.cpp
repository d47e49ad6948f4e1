#include "tests/fuzz/parsers/FuzzTarget.h"

#include <supplierd/JsonBody.h>

#include <nlohmann/json.hpp>

#include <string>

namespace {

using namespace supplierd;
using tests::require;

/// Reads everything of the document and compares it with what another reader makes of it.
void compare(JsonValue value, const nlohmann::json& other) {
    switch (value.kind()) {
    case JsonKind::Null:
        return require(other.is_null(), "null is something else");
    case JsonKind::True:
    case JsonKind::False:
        return require(other.is_boolean() && other.get<bool>() == value.boolean(), "a boolean is something else");
    case JsonKind::Integer:
        return require(other.is_number_integer() && other.get<std::int64_t>() == value.integer(),
                       "an integer is something else");
    case JsonKind::Number:
        return require(other.is_number(), "a number is something else");
    case JsonKind::Text:
        return require(other.is_string() && other.get<std::string>() == value.text(), "a text is something else");
    case JsonKind::Array: {
        require(other.is_array() && other.size() == value.array().size(), "an array is something else");
        std::size_t at = 0;
        for (const auto item : value.array())
            compare(item, other[at++]);
        return;
    }
    case JsonKind::Object:
        require(other.is_object() && other.size() == value.object().size(), "an object is something else");
        for (const auto& [name, item] : value.object()) {
            const auto found = other.find(std::string(name));
            require(found != other.end(), "a name is something else");
            compare(item, *found);
        }
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(tests::bytesOf(data, size));
    try {
        const auto document = parseJson(text);
        compare(document.root(), nlohmann::json::parse(text));
    } catch (const JsonError& error) {
        require(error.byte() <= size + 1, "an error behind the end");
    } catch (const nlohmann::json::out_of_range&) { // a number that no double holds; ours is text
    } catch (const nlohmann::json::exception&) {
        require(false, "another reader refuses it");
    }
    try {
        const auto document = parseJsonObject(text);
        require(document.root().isObject(), "a body that is no object");
    } catch (const ApiError& error) {
        require(error.kind() == ErrorKind::Validation && !error.details().empty(), "an error without its place");
    }
    return 0;
}
