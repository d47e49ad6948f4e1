#include <supplierd/Json.h>

#include <charconv>
#include <stdexcept>
#include <string>

namespace supplierd {

void JsonValue::require(bool isIt, const char* what) const {
    if (!isIt)
        throw std::logic_error(std::string("a JSON value was asked for ") + what + " and is something else");
}

bool JsonValue::boolean() const {
    require(isBoolean(), "a boolean");
    return kind() == JsonKind::True;
}

std::int64_t JsonValue::integer() const {
    require(isInteger(), "an integer");
    const std::string_view digits = bytes();
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number); // it fits, or it would be no Integer
    return number;
}

std::string_view JsonValue::number() const {
    require(isNumber(), "a number");
    return bytes();
}

std::string_view JsonValue::text() const {
    require(isText(), "a text");
    return bytes();
}

JsonArray JsonValue::array() const {
    require(isArray(), "an array");
    return {_text, _node};
}

JsonObject JsonValue::object() const {
    require(isObject(), "an object");
    return {_text, _node};
}

JsonValue JsonArray::at(std::size_t index) const {
    if (index >= size())
        throw std::out_of_range("the JSON array has " + std::to_string(size()) + " values");
    return *std::next(begin(), static_cast<std::ptrdiff_t>(index));
}

std::optional<JsonValue> JsonObject::find(std::string_view name) const noexcept {
    for (const JsonMember member : *this)
        if (member.name == name)
            return member.value;
    return std::nullopt;
}

} // namespace supplierd
