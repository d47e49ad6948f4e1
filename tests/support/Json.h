#pragma once

#include "tests/support/JsonIterator.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace supplierd::tests {

template <typename T>
concept JsonNumber = std::is_arithmetic_v<T>;
/// What a value becomes by itself.
template <typename T>
concept JsonScalar = std::is_same_v<T, std::string> || std::is_same_v<T, bool> || std::is_same_v<T, int> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::size_t> || std::is_same_v<T, double>;
/// What a value is made of.
template <typename T>
concept JsonPlain = JsonNumber<T> || std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, const char*> ||
    std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;

/// A JSON value with the part of nlohmann::json's interface that tests use, and its rules. What tests write most, texts
/// and numbers as values and names, calls plain functions: nlohmann's templates took half the time of compiling them.
class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::map<std::string, Json>;
    using iterator = JsonIterator<Json>;
    using const_iterator = JsonIterator<const Json>;

    /// A text that is no JSON, a value of another type, a member or element that is not there.
    class Exception : public std::runtime_error {
    public:
        using std::runtime_error::runtime_error;
    };

    Json();
    ~Json();
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json other) noexcept;
    // A template, so that one value in braces is an array, too.
    Json(JsonPlain auto value) { set(std::move(value)); }
    template <typename T>
    Json(const std::vector<T>& values) {
        set(Array(values.begin(), values.end()));
    }
    template <typename T>
    Json(const std::set<T>& values) : Json(std::vector<T>(values.begin(), values.end())) {}
    template <typename T>
    Json(const std::multiset<T>& values) : Json(std::vector<T>(values.begin(), values.end())) {}
    template <typename T>
    Json(const std::map<std::string, T>& values) {
        set(Object(values.begin(), values.end()));
    }
    /// An object when all are pairs that begin with a text, else an array.
    Json(std::initializer_list<Json> values);
    Json(std::size_t count, const Json& value);

    static Json array(std::initializer_list<Json> values = {});
    static Json object(std::initializer_list<Json> values = {});
    /// Of a text that is none: throws, or one that is_discarded().
    static Json parse(std::string_view text, std::nullptr_t = nullptr, bool throws = true);
    static bool accept(std::string_view text);
    /// With `indent` spaces a level, in one line with a negative one. Broken UTF-8 becomes U+FFFD.
    std::string dump(int indent = -1) const;

    bool is_null() const;
    bool is_boolean() const;
    bool is_number_integer() const;
    bool is_string() const;
    bool is_array() const;
    bool is_object() const;
    bool is_structured() const;
    bool is_discarded() const;

    /// Of a value of that type; numbers convert. Of an array: a container of what its elements are.
    template <typename T>
    T get() const {
        if constexpr (JsonScalar<T>) {
            T value;
            read(value);
            return value;
        } else if constexpr (std::is_same_v<T, Json>) {
            return *this;
        } else {
            return T(elements().begin(), elements().end());
        }
    }
    template <JsonScalar T>
    operator T() const {
        return get<T>();
    }

    std::size_t size() const;
    bool empty() const { return size() == 0; }
    bool contains(std::string_view name) const;
    /// The end when there is none of that name, or this is no object.
    iterator find(std::string_view name);
    const_iterator find(std::string_view name) const;

    /// Throws when there is none.
    Json& at(std::string_view name);
    const Json& at(std::string_view name) const;
    Json& at(std::size_t index);
    const Json& at(std::size_t index) const;
    /// What is not there comes to be, unless this is constant.
    Json& operator[](std::string_view name);
    const Json& operator[](std::string_view name) const { return at(name); }
    Json& operator[](const char* name) { return (*this)[std::string_view(name)]; }
    const Json& operator[](const char* name) const { return at(name); }
    Json& operator[](std::size_t index) { return at(index); }
    const Json& operator[](std::size_t index) const { return at(index); }
    Json& operator[](int index) { return at(static_cast<std::size_t>(index)); }
    const Json& operator[](int index) const { return at(static_cast<std::size_t>(index)); }

    Json& front() { return at(0); }
    const Json& front() const { return at(0); }
    Json& back() { return at(size() - 1); }
    const Json& back() const { return at(size() - 1); }

    /// The member's value, `otherwise` when there is none.
    template <typename T>
    T value(std::string_view name, const T& otherwise) const {
        return items().contains(std::string(name)) ? at(name).get<T>() : otherwise;
    }
    std::string value(std::string_view name, const char* other) const { return value(name, std::string(other)); }

    iterator begin();
    iterator end();
    const_iterator begin() const;
    const_iterator end() const;
    /// The members of an object, the elements of an array. Each throws when this is something else.
    Object& items();
    const Object& items() const;
    Array& elements();
    const Array& elements() const;

    void push_back(Json value);
    void emplace_back(Json value) { push_back(std::move(value)); }
    std::size_t erase(std::string_view name);
    /// The members of `other` replace those of the same names.
    void update(const Json& other);
    /// RFC 7396
    void merge_patch(const Json& patch);

    bool operator==(const Json& other) const;
    std::weak_ordering operator<=>(const Json& other) const;
    bool operator==(JsonNumber auto other) const { return *this == Json(other); }
    std::weak_ordering operator<=>(JsonNumber auto other) const { return *this <=> Json(other); }

private:
    struct Discarded {
        bool operator==(const Discarded&) const = default;
    };
    friend struct JsonText;

    void set(std::nullptr_t) {}
    void set(bool value);
    void set(int value) { set(std::int64_t{value}); }
    void set(unsigned value) { set(std::uint64_t{value}); }
    void set(std::int64_t value);
    void set(std::uint64_t value);
    void set(long long value) { set(std::int64_t{value}); }
    void set(unsigned long long value) { set(std::uint64_t{value}); }
    void set(double value);
    void set(const char* value) { set(std::string(value)); }
    void set(std::string_view value) { set(std::string(value)); }
    void set(std::string value);
    void set(Array values);
    void set(Object values);
    void read(std::string& text) const;
    void read(bool& boolean) const;
    void read(int& number) const;
    void read(std::int64_t& number) const;
    void read(std::size_t& number) const;
    void read(double& number) const;

    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object, Discarded>
        _value;
};

std::ostream& operator<<(std::ostream& to, const Json& value);

using json = Json;

} // namespace supplierd::tests
