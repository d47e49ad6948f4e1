#include <supplierd/JsonBody.h>
#include <supplierd/Validation.h>

#include <algorithm>

namespace supplierd {

namespace {

using Poco::Dynamic::Var;

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

/// A number as the client wrote it; nothing for any other JSON value.
std::optional<std::string> numberText(const Var& value) {
    if (value.type() == typeid(Poco::Int64))
        return std::to_string(value.extract<Poco::Int64>());
    if (value.type() == typeid(JsonNumber))
        return value.extract<JsonNumber>().text;
    return std::nullopt;
}

bool looksInteger(std::string_view number) {
    return number.find_first_of(".eE") == std::string_view::npos;
}

} // namespace

ObjectReader::ObjectReader(const Poco::JSON::Object& object, Details& details, std::string prefix)
    : _object(object), _details(details), _prefix(std::move(prefix)) {}

bool ObjectReader::has(std::string_view name) const {
    return _object.has(std::string(name));
}

std::string ObjectReader::path(std::string_view name) const {
    return _prefix + std::string(name);
}

Var ObjectReader::find(std::string_view name, bool required, bool& present) {
    const std::string key(name);
    present = _object.has(key);
    Var value = present ? _object.get(key) : Var();
    if (value.isEmpty() && required) {
        present = false;
        _details.add(path(name), "required", path(name) + " is required");
    }
    return value;
}

Field<std::string> ObjectReader::text(std::string_view name, const TextRule& rule) {
    Field<std::string> field;
    const Var value = find(name, rule.required, field.present);
    if (value.isEmpty())
        return field;
    field.present = false;
    if (value.type() != typeid(std::string)) {
        _details.add(path(name), "type", path(name) + " must be a text");
        return field;
    }
    const auto& whole = value.extract<std::string>();
    const std::string_view text = trimmed(whole);
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
    const Var value = find(name, required, field.present);
    if (value.isEmpty())
        return field;
    field.present = false;
    if (value.type() != typeid(std::string)) {
        _details.add(path(name), "type", path(name) + listText(allowed));
        return field;
    }
    const auto& whole = value.extract<std::string>();
    const std::string_view text = trimmed(whole);
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
    const Var value = find(name, rule.required, field.present);
    if (value.isEmpty())
        return field;
    field.present = false;
    const std::optional<std::string> number = numberText(value);
    if (!number || !looksInteger(*number)) {
        _details.add(path(name), "type", path(name) + rangeText(rule));
        return field;
    }
    const bool fits = value.type() == typeid(Poco::Int64);
    const std::int64_t integer = fits ? value.extract<Poco::Int64>() : 0;
    if (!fits || integer < rule.min || integer > rule.max) {
        _details.add(path(name), "out_of_range", path(name) + rangeText(rule));
        return field;
    }
    return {true, integer};
}

Field<Decimal> ObjectReader::decimal(std::string_view name, const DecimalRule& rule) {
    Field<Decimal> field;
    const Var value = find(name, rule.required, field.present);
    if (value.isEmpty())
        return field;
    field.present = false;
    const std::string message = path(name) + " must be " + std::string(rule.expected);
    const std::optional<std::string> number = numberText(value);
    if (!number) {
        _details.add(path(name), "type", message);
        return field;
    }
    const std::optional<Decimal> decimal = Decimal::parse(*number);
    if (!decimal || *decimal < rule.min || *decimal > rule.max) {
        _details.add(path(name), "out_of_range", message);
        return field;
    }
    return {true, decimal};
}

Field<bool> ObjectReader::boolean(std::string_view name, bool required) {
    Field<bool> field;
    const Var value = find(name, required, field.present);
    if (value.isEmpty())
        return field;
    field.present = false;
    if (value.type() != typeid(bool)) {
        _details.add(path(name), "type", path(name) + " must be true or false");
        return field;
    }
    return {true, value.extract<bool>()};
}

Poco::JSON::Array::Ptr ObjectReader::array(std::string_view name, std::size_t maxItems, bool required) {
    bool present = false;
    const Var value = find(name, required, present);
    if (value.isEmpty())
        return {};
    if (value.type() != typeid(Poco::JSON::Array::Ptr)) {
        _details.add(path(name), "type", path(name) + " must be an array");
        return {};
    }
    Poco::JSON::Array::Ptr array = value.extract<Poco::JSON::Array::Ptr>();
    if (array->size() > maxItems) {
        _details.add(path(name), "too_many",
                     path(name) + " must have at most " + std::to_string(maxItems) + " entries");
        return {};
    }
    return array;
}

} // namespace supplierd
