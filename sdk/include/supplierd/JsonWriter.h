#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Decimal.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace supplierd {

/// Writes JSON straight into a string: no tree, no stream. The caller keeps the nesting right (debug builds assert it).
/// Text must be UTF-8; every byte sequence that is not is written as U+FFFD, so the output is always valid JSON.
/// Thread: one writer, one thread. Lifetime: the string outlives the writer. Since 1.0.
class SUPPLIERD_API JsonWriter {
public:
    explicit JsonWriter(std::string& out) : _out(out) {}

    JsonWriter& beginObject();
    JsonWriter& endObject();
    JsonWriter& beginArray();
    JsonWriter& endArray();
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(bool truth);
    JsonWriter& value(const Decimal& number);
    JsonWriter& value(std::nullptr_t) { return null(); }
    template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) JsonWriter& value(T number) {
        if constexpr (std::is_signed_v<T>)
            return integer(static_cast<std::int64_t>(number));
        else
            return unsignedInteger(static_cast<std::uint64_t>(number));
    }
    template <class T>
    JsonWriter& value(const std::optional<T>& maybe) {
        return maybe ? value(*maybe) : null();
    }
    JsonWriter& null();
    /// JSON that is already written, verbatim.
    JsonWriter& raw(std::string_view json);

    template <class T>
    JsonWriter& field(std::string_view name, const T& v) {
        return key(name).value(v);
    }

    std::string& buffer() { return _out; }

private:
    JsonWriter& integer(std::int64_t number);
    JsonWriter& unsignedInteger(std::uint64_t number);
    void separate();

    std::string& _out;
    bool _needsComma = false;
};

/// An array of texts or numbers, as statements take a list of any length (JSON_TABLE). Since 1.0.
template <class Values>
std::string jsonArray(const Values& values) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const auto& value : values)
        json.value(value);
    json.endArray();
    return text;
}

/// Appends `text` as a quoted JSON string.
SUPPLIERD_API void appendJsonString(std::string& out, std::string_view text);

} // namespace supplierd
