#include <supplierd/Validation.h>

#include <algorithm>

namespace supplierd {

namespace {

std::string rangeText(const IntegerRule& rule) {
    const bool noMin = rule.min == std::numeric_limits<std::int64_t>::min();
    const bool noMax = rule.max == std::numeric_limits<std::int64_t>::max();
    if (noMin && noMax)
        return " must be an integer";
    if (noMin)
        return " must be an integer of at most " + std::to_string(rule.max);
    if (noMax)
        return " must be an integer of at least " + std::to_string(rule.min);
    return " must be an integer from " + std::to_string(rule.min) + " to " + std::to_string(rule.max);
}

std::string listText(std::span<const std::string_view> allowed) {
    std::string text = " must be one of ";
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        if (i > 0)
            text += ", ";
        text += allowed[i];
    }
    return text;
}

bool looksInteger(std::string_view number) {
    return number.find_first_of(".eE") == std::string_view::npos;
}

} // namespace

ObjectReader::ObjectReader(const JsonObject& object, Details& details, std::string prefix)
    : _object(object), _details(details), _prefix(std::move(prefix)) {}

bool ObjectReader::has(std::string_view name) const {
    return _object.has(name);
}

std::string ObjectReader::path(std::string_view name) const {
    return _prefix + std::string(name);
}

JsonValue ObjectReader::find(std::string_view name, bool required, bool& present) {
    const std::optional<JsonValue> found = _object.find(name);
    present = found.has_value();
    const JsonValue value = found.value_or(JsonValue());
    if (value.isNull() && required) {
        present = false;
        _details.add(path(name), "required", path(name) + " is required");
    }
    return value;
}

Field<std::string> ObjectReader::text(std::string_view name, const TextRule& rule) {
    Field<std::string> field;
    const JsonValue value = find(name, rule.required, field.present);
    if (value.isNull())
        return field;
    field.present = false;
    if (!value.isText()) {
        _details.add(path(name), "type", path(name) + " must be a text");
        return field;
    }
    const std::string_view text = trimmed(value.text());
    if (text.empty() && rule.required) {
        _details.add(path(name), "required", path(name) + " is required");
        return field;
    }
    if (codePoints(text) > rule.maxCodePoints) {
        _details.add(path(name), "too_long",
                     path(name) + " must have at most " + std::to_string(rule.maxCodePoints) + " characters");
        return field;
    }
    field.present = true;
    if (!text.empty() || !rule.emptyIsNull)
        field.value = std::string(text);
    return field;
}

Field<std::string> ObjectReader::oneOf(std::string_view name, std::span<const std::string_view> allowed,
                                       bool required) {
    Field<std::string> field;
    const JsonValue value = find(name, required, field.present);
    if (value.isNull())
        return field;
    field.present = false;
    if (!value.isText()) {
        _details.add(path(name), "type", path(name) + listText(allowed));
        return field;
    }
    const std::string_view text = trimmed(value.text());
    if (text.empty() && required) {
        _details.add(path(name), "required", path(name) + " is required");
        return field;
    }
    if (text.empty())
        return {true, std::nullopt};
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
        _details.add(path(name), "not_in_set", path(name) + listText(allowed));
        return field;
    }
    return {true, std::string(text)};
}

Field<std::int64_t> ObjectReader::integer(std::string_view name, const IntegerRule& rule) {
    Field<std::int64_t> field;
    const JsonValue value = find(name, rule.required, field.present);
    if (value.isNull())
        return field;
    field.present = false;
    if (!value.isInteger() && !(value.isNumber() && looksInteger(value.number()))) {
        _details.add(path(name), "type", path(name) + rangeText(rule));
        return field;
    }
    const std::int64_t integer = value.isInteger() ? value.integer() : 0;
    if (!value.isInteger() || integer < rule.min || integer > rule.max) {
        _details.add(path(name), "out_of_range", path(name) + rangeText(rule));
        return field;
    }
    return {true, integer};
}

Field<Decimal> ObjectReader::decimal(std::string_view name, const DecimalRule& rule) {
    Field<Decimal> field;
    const JsonValue value = find(name, rule.required, field.present);
    if (value.isNull())
        return field;
    field.present = false;
    const std::optional<Decimal> decimal = value.isNumber() ? Decimal::parse(value.number()) : std::nullopt;
    if (!decimal || *decimal < rule.min || *decimal > rule.max) {
        _details.add(path(name), value.isNumber() ? "out_of_range" : "type",
                     path(name) + " must be " + std::string(rule.expected));
        return field;
    }
    return {true, decimal};
}

Field<bool> ObjectReader::boolean(std::string_view name, bool required) {
    Field<bool> field;
    const JsonValue value = find(name, required, field.present);
    if (value.isNull())
        return field;
    field.present = false;
    if (!value.isBoolean()) {
        _details.add(path(name), "type", path(name) + " must be true or false");
        return field;
    }
    return {true, value.boolean()};
}

std::optional<JsonArray> ObjectReader::array(std::string_view name, std::size_t maxItems, bool required) {
    bool present = false;
    const JsonValue value = find(name, required, present);
    if (value.isNull())
        return std::nullopt;
    if (!value.isArray()) {
        _details.add(path(name), "type", path(name) + " must be an array");
        return std::nullopt;
    }
    const JsonArray array = value.array();
    if (array.size() > maxItems) {
        _details.add(path(name), "too_many",
                     path(name) + " must have at most " + std::to_string(maxItems) + " entries");
        return std::nullopt;
    }
    return array;
}

std::optional<JsonObject> ObjectReader::object(std::string_view name, bool required) {
    bool present = false;
    const JsonValue value = find(name, required, present);
    if (value.isNull())
        return std::nullopt;
    if (!value.isObject()) {
        _details.add(path(name), "type", path(name) + " must be an object");
        return std::nullopt;
    }
    return value.object();
}

} // namespace supplierd
