#include "tests/support/Json.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace supplierd::tests {

/// To and from nlohmann's JSON, which reads and writes the text.
struct JsonText {
    using Other = nlohmann::json;

    static Json read(const Other& other) {
        switch (other.type()) {
        case Other::value_t::boolean:
            return other.get<bool>();
        case Other::value_t::number_integer:
            return other.get<std::int64_t>();
        case Other::value_t::number_unsigned:
            return other.get<std::uint64_t>();
        case Other::value_t::number_float:
            return other.get<double>();
        case Other::value_t::string:
            return other.get<std::string>();
        case Other::value_t::array: {
            Json::Array elements;
            for (const auto& element : other)
                elements.push_back(read(element));
            return elements;
        }
        case Other::value_t::object: {
            Json::Object members;
            for (const auto& [name, value] : other.items())
                members.emplace(name, read(value));
            return members;
        }
        case Other::value_t::discarded: {
            Json discarded;
            discarded._value = Json::Discarded{};
            return discarded;
        }
        default:
            return nullptr;
        }
    }

    static Other write(const Json& value) {
        return std::visit([](const auto& one) { return of(one); }, value._value);
    }
    template <typename T>
    static Other of(const T& value) {
        return value;
    }
    static Other of(const Json::Discarded&) { return Other::value_t::discarded; }
    static Other of(const Json::Array& elements) {
        auto other = Other::array();
        for (const auto& element : elements)
            other.push_back(write(element));
        return other;
    }
    static Other of(const Json::Object& members) {
        auto other = Other::object();
        for (const auto& [name, value] : members)
            other.emplace(name, write(value));
        return other;
    }
};

namespace {

[[noreturn]] void fail(const Json& value, const std::string& what) {
    throw Json::Exception(what + ": " + value.dump());
}

} // namespace

Json::Json() = default;
Json::~Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept : _value(std::exchange(other._value, nullptr)) {}
Json& Json::operator=(Json other) noexcept {
    _value.swap(other._value);
    return *this;
}

void Json::set(bool value) {
    _value = value;
}
void Json::set(std::int64_t value) {
    _value = value;
}
void Json::set(std::uint64_t value) {
    _value = value;
}
void Json::set(double value) {
    _value = value;
}
void Json::set(std::string value) {
    _value = std::move(value);
}
void Json::set(Array values) {
    _value = std::move(values);
}
void Json::set(Object values) {
    _value = std::move(values);
}

Json::Json(std::size_t count, const Json& value) : _value(Array(count, value)) {}

Json::Json(std::initializer_list<Json> values) {
    for (const auto& value : values) {
        if (!value.is_array() || value.size() != 2 || !value[0].is_string()) {
            _value = Array(values);
            return;
        }
    }
    *this = object(values);
}

Json Json::array(std::initializer_list<Json> values) {
    return Array(values);
}

Json Json::object(std::initializer_list<Json> values) {
    Object members;
    for (const auto& value : values)
        members.emplace(value.at(0).get<std::string>(), value.at(1));
    return members;
}

Json Json::parse(std::string_view text, std::nullptr_t, bool throws) {
    try {
        return JsonText::read(nlohmann::json::parse(text, nullptr, throws));
    } catch (const nlohmann::json::exception& error) {
        throw Exception(error.what());
    }
}

bool Json::accept(std::string_view text) {
    return nlohmann::json::accept(text);
}

std::string Json::dump(int indent) const {
    return JsonText::write(*this).dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool Json::is_null() const {
    return std::holds_alternative<std::nullptr_t>(_value);
}
bool Json::is_boolean() const {
    return std::holds_alternative<bool>(_value);
}
bool Json::is_number_integer() const {
    return std::holds_alternative<std::int64_t>(_value) || std::holds_alternative<std::uint64_t>(_value);
}
bool Json::is_string() const {
    return std::holds_alternative<std::string>(_value);
}
bool Json::is_array() const {
    return std::holds_alternative<Array>(_value);
}
bool Json::is_object() const {
    return std::holds_alternative<Object>(_value);
}
bool Json::is_structured() const {
    return is_array() || is_object();
}
bool Json::is_discarded() const {
    return std::holds_alternative<Discarded>(_value);
}

namespace {

template <typename T, typename Variant>
void readNumber(const Json& value, const Variant& variant, T& number) {
    if (const auto* integer = std::get_if<std::int64_t>(&variant))
        number = static_cast<T>(*integer);
    else if (const auto* natural = std::get_if<std::uint64_t>(&variant))
        number = static_cast<T>(*natural);
    else if (const auto* real = std::get_if<double>(&variant))
        number = static_cast<T>(*real);
    else
        fail(value, "not a number");
}

} // namespace

void Json::read(int& number) const {
    readNumber(*this, _value, number);
}
void Json::read(std::int64_t& number) const {
    readNumber(*this, _value, number);
}
void Json::read(std::size_t& number) const {
    readNumber(*this, _value, number);
}
void Json::read(double& number) const {
    readNumber(*this, _value, number);
}
void Json::read(bool& boolean) const {
    if (!is_boolean())
        fail(*this, "not a boolean");
    boolean = std::get<bool>(_value);
}
void Json::read(std::string& text) const {
    if (!is_string())
        fail(*this, "not a text");
    text = std::get<std::string>(_value);
}

Json::Array& Json::elements() {
    if (!is_array())
        fail(*this, "not an array");
    return std::get<Array>(_value);
}
const Json::Array& Json::elements() const {
    return const_cast<Json&>(*this).elements();
}
Json::Object& Json::items() {
    if (!is_object())
        fail(*this, "not an object");
    return std::get<Object>(_value);
}
const Json::Object& Json::items() const {
    return const_cast<Json&>(*this).items();
}

std::size_t Json::size() const {
    return is_array() ? elements().size() : is_object() ? items().size() : is_null() ? 0 : 1;
}
bool Json::contains(std::string_view name) const {
    return find(name) != end();
}
Json::iterator Json::find(std::string_view name) {
    return is_object() ? iterator(items().find(std::string(name))) : end();
}
Json::const_iterator Json::find(std::string_view name) const {
    return is_object() ? const_iterator(items().find(std::string(name))) : end();
}

const Json& Json::at(std::string_view name) const {
    const auto found = items().find(std::string(name));
    if (found == items().end())
        fail(*this, "no member '" + std::string(name) + "'");
    return found->second;
}
Json& Json::at(std::string_view name) {
    return const_cast<Json&>(std::as_const(*this).at(name));
}
const Json& Json::at(std::size_t index) const {
    if (index >= elements().size())
        fail(*this, "no element " + std::to_string(index));
    return elements()[index];
}
Json& Json::at(std::size_t index) {
    return const_cast<Json&>(std::as_const(*this).at(index));
}

Json& Json::operator[](std::string_view name) {
    if (is_null())
        _value = Object();
    return items()[std::string(name)];
}

Json::iterator Json::begin() {
    return is_object() ? iterator(items().cbegin()) : is_array() ? iterator(elements().data()) : iterator(this);
}
Json::iterator Json::end() {
    return is_object()  ? iterator(items().cend())
           : is_array() ? iterator(elements().data() + elements().size())
                        : iterator(this + size());
}
Json::const_iterator Json::begin() const {
    return is_object()  ? const_iterator(items().cbegin())
           : is_array() ? const_iterator(elements().data())
                        : const_iterator(this);
}
Json::const_iterator Json::end() const {
    return is_object()  ? const_iterator(items().cend())
           : is_array() ? const_iterator(elements().data() + elements().size())
                        : const_iterator(this + size());
}

void Json::push_back(Json value) {
    if (is_null())
        _value = Array();
    elements().push_back(std::move(value));
}
std::size_t Json::erase(std::string_view name) {
    return items().erase(std::string(name));
}
void Json::update(const Json& other) {
    for (const auto& [name, value] : other.items())
        (*this)[name] = value;
}
void Json::merge_patch(const Json& patch) {
    if (!patch.is_object()) {
        *this = patch;
        return;
    }
    if (!is_object())
        _value = Object();
    for (const auto& [name, value] : patch.items()) {
        if (value.is_null())
            erase(name);
        else
            (*this)[name].merge_patch(value);
    }
}

bool Json::operator==(const Json& other) const {
    if (_value.index() == other._value.index())
        return _value == other._value;
    return !is_structured() && !other.is_structured() && JsonText::write(*this) == JsonText::write(other);
}
std::weak_ordering Json::operator<=>(const Json& other) const {
    const auto one = JsonText::write(*this);
    const auto two = JsonText::write(other);
    return one < two   ? std::weak_ordering::less
           : two < one ? std::weak_ordering::greater
                       : std::weak_ordering::equivalent;
}

std::ostream& operator<<(std::ostream& to, const Json& value) {
    return to << value.dump();
}

} // namespace supplierd::tests
