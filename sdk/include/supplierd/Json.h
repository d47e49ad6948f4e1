#pragma once

#include <supplierd/Abi.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace supplierd {

class JsonArray;
class JsonObject;

enum class JsonKind : std::uint32_t {
    Null,
    False,
    True,
    Integer, ///< of 64 bits: no point, no exponent
    Number,  ///< any other; its text is what counts
    Text,
    Array,
    Object
};

/// One value within a document, as it lies in memory; its parts follow it. Read it through JsonValue. Since 1.0.
struct SUPPLIERD_API JsonNode {
    std::uint32_t begin = 0; ///< of an array or object: how many nodes it has, itself included; else: byte of the text
    std::uint32_t size = 0;  ///< of an array or object: how many values it has; else: bytes
    std::uint32_t nameBegin = 0;      ///< in an object
    std::uint32_t nameSize : 29 = 0;  ///< in bytes
    std::uint32_t kindNumber : 3 = 0; ///< JsonKind

    JsonKind kind() const noexcept { return static_cast<JsonKind>(kindNumber); }
    bool hasParts() const noexcept { return kind() == JsonKind::Array || kind() == JsonKind::Object; }
    /// The one that follows in the same array or object.
    const JsonNode* next() const noexcept { return this + (hasParts() ? begin : 1); }
};

/// A value of a document: a view of 16 bytes, made and copied freely. Asked for what it is not, it throws
/// std::logic_error. Thread: any. Lifetime: the document's, of texts too. Since 1.0.
class SUPPLIERD_API JsonValue {
public:
    /// null; so is what an object does not have.
    JsonValue() = default;
    JsonValue(const char* text, const JsonNode* node) noexcept : _text(text), _node(node) {}

    JsonKind kind() const noexcept { return _node == nullptr ? JsonKind::Null : _node->kind(); }
    bool isNull() const noexcept { return kind() == JsonKind::Null; }
    bool isBoolean() const noexcept { return kind() == JsonKind::True || kind() == JsonKind::False; }
    bool isInteger() const noexcept { return kind() == JsonKind::Integer; }
    bool isNumber() const noexcept { return isInteger() || kind() == JsonKind::Number; }
    bool isText() const noexcept { return kind() == JsonKind::Text; }
    bool isArray() const noexcept { return kind() == JsonKind::Array; }
    bool isObject() const noexcept { return kind() == JsonKind::Object; }

    bool boolean() const;
    std::int64_t integer() const;
    /// Any number as it was written: "0.0850", "1e400", "-0".
    std::string_view number() const;
    /// UTF-8 without U+0000, escapes decoded.
    std::string_view text() const;
    JsonArray array() const;
    JsonObject object() const;

private:
    friend class JsonDocument;

    void require(bool isIt, const char* what) const;
    std::string_view bytes() const noexcept { return {_text + _node->begin, _node->size}; }

    const char* _text = nullptr;
    const JsonNode* _node = nullptr;
};

/// A value of an object, and its name. As JsonValue.
struct SUPPLIERD_API JsonMember {
    JsonMember(const char* text, const JsonNode* node) noexcept
        : name(text + node->nameBegin, node->nameSize), value(text, node) {}

    std::string_view name;
    JsonValue value;
};

/// Walks through the parts of an array (JsonValue) or of an object (JsonMember). As JsonValue. Since 1.0.
template <class Part>
class JsonIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Part;
    using difference_type = std::ptrdiff_t;
    using pointer = const Part*;
    using reference = Part;

    JsonIterator() = default;
    JsonIterator(const char* text, const JsonNode* node) noexcept : _text(text), _node(node) {}

    Part operator*() const noexcept { return Part(_text, _node); }
    JsonIterator& operator++() noexcept {
        _node = _node->next();
        return *this;
    }
    JsonIterator operator++(int) noexcept {
        const JsonIterator before = *this;
        _node = _node->next();
        return before;
    }
    bool operator==(const JsonIterator& other) const noexcept { return _node == other._node; }

private:
    const char* _text = nullptr;
    const JsonNode* _node = nullptr;
};

/// The values of an array, in order. As JsonValue.
class SUPPLIERD_API JsonArray {
public:
    using Iterator = JsonIterator<JsonValue>;

    /// Empty.
    JsonArray() = default;
    JsonArray(const char* text, const JsonNode* node) noexcept : _text(text), _node(node) {}

    std::size_t size() const noexcept { return _node == nullptr ? 0 : _node->size; }
    bool empty() const noexcept { return size() == 0; }
    Iterator begin() const noexcept { return {_text, _node == nullptr ? nullptr : _node + 1}; }
    Iterator end() const noexcept { return {_text, _node == nullptr ? nullptr : _node->next()}; }
    /// Steps through those before it: in a loop take the iterator. Throws std::out_of_range.
    JsonValue at(std::size_t index) const;

private:
    const char* _text = nullptr;
    const JsonNode* _node = nullptr;
};

/// The members of an object, in the order of the text; no name occurs twice. As JsonValue.
class SUPPLIERD_API JsonObject {
public:
    using Iterator = JsonIterator<JsonMember>;

    /// Empty.
    JsonObject() = default;
    JsonObject(const char* text, const JsonNode* node) noexcept : _text(text), _node(node) {}

    std::size_t size() const noexcept { return _node == nullptr ? 0 : _node->size; }
    bool empty() const noexcept { return size() == 0; }
    Iterator begin() const noexcept { return {_text, _node == nullptr ? nullptr : _node + 1}; }
    Iterator end() const noexcept { return {_text, _node == nullptr ? nullptr : _node->next()}; }
    /// Nothing when the object does not have it; it may be null. Compares the names from the first on.
    std::optional<JsonValue> find(std::string_view name) const noexcept;
    bool has(std::string_view name) const noexcept { return find(name).has_value(); }
    /// null also when the object does not have it.
    JsonValue get(std::string_view name) const noexcept { return find(name).value_or(JsonValue()); }

private:
    const char* _text = nullptr;
    const JsonNode* _node = nullptr;
};

/// A JSON text that was read; JsonBody.h makes them. Copies share one content, which never changes. Thread: any.
/// Since 1.0.
class SUPPLIERD_API JsonDocument {
public:
    /// null.
    JsonDocument() = default;
    /// `owner` keeps the text and the nodes, of which `root` is the first.
    JsonDocument(std::shared_ptr<const void> owner, const char* text, const JsonNode* root) noexcept
        : _owner(std::move(owner)), _text(text), _root(root) {}

    JsonValue root() const noexcept { return {_text, _root}; }
    /// The root when it is one; else throws std::logic_error.
    JsonObject object() const { return root().object(); }
    JsonArray array() const { return root().array(); }
    /// `value`, which is in this document, as one of its own.
    JsonDocument part(const JsonValue& value) const { return {_owner, value._text, value._node}; }
    /// Of the root, which is an object.
    JsonValue get(std::string_view name) const { return object().get(name); }

private:
    std::shared_ptr<const void> _owner;
    const char* _text = nullptr;
    const JsonNode* _root = nullptr;
};

} // namespace supplierd
