#include "JsonTree.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace supplierd {

namespace {

/// What the nodes of a tree can point into.
constexpr std::size_t MAX_SIZE = std::size_t{256} << 20;

/// Reads bytes and tells how many were read, which the SAX events do not.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, std::size_t* count) : _at(at), _count(count) {}

    reference operator*() const { return *_at; }
    CountingIterator& operator++() {
        ++_at;
        ++*_count;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return _at == other._at; }

private:
    const char* _at;
    std::size_t* _count;
};

/// The number type that nlohmann's reader fills and nobody asks: the text is what counts. As a plain double, 1e400
/// would be infinite, and for that it refuses the whole document. It writes through double&, then judges a constant
/// copy.
class IgnoredDouble {
public:
    IgnoredDouble() = default;
    // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): it has to pass for a number
    constexpr IgnoredDouble(double number) : _written(number) {}
    operator double&() { return _written; }
    operator double() const { return 0; }
    // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

private:
    double _written;
};

using Reader =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, IgnoredDouble>;

/// The part of nlohmann's message that is meant for people and echoes nothing of the body.
std::string reasonIn(std::string_view message) {
    const std::size_t start = message.find(" - ");
    if (start != std::string_view::npos)
        message.remove_prefix(start + 3);
    return std::string(message.substr(0, message.find("; last read")));
}

/// Receives nlohmann's events and builds the tree; its member functions have the names that nlohmann calls.
class BodyEvents {
public:
    /// What the text may be, and what messages call it.
    struct Rules {
        std::string_view subject;
        bool isArrayAllowed;
        std::size_t mostValues;
    };

    BodyEvents(const std::size_t& bytesRead, JsonTree& tree, const Rules& rules)
        : _bytesRead(bytesRead), _tree(tree), _rules(rules), _subject(rules.subject) {}

    bool null() { return add(JsonKind::Null); }
    bool boolean(bool truth) { return add(truth ? JsonKind::True : JsonKind::False); }
    bool number_integer(std::int64_t) { return add(JsonKind::Integer, integerBefore(numberEnd())); }
    bool number_unsigned(std::uint64_t number) {
        const bool fits = number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return add(fits ? JsonKind::Integer : JsonKind::Number, integerBefore(numberEnd()));
    }
    bool number_float(IgnoredDouble, const std::string& text) {
        return add(JsonKind::Number, spanBefore(numberEnd(), text.size()));
    }
    bool string(const std::string& text) {
        refuseNul(text);
        return add(JsonKind::Text, _tree.keep(text, _bytesRead - 1));
    }
    bool binary(Reader::binary_t&) { return false; }

    bool start_object(std::size_t) {
        refuseDepth();
        refuseTooMany();
        _tree.beginObject();
        return true;
    }
    bool key(const std::string& name) {
        const bool isNew = _tree.key(_tree.keep(name, _bytesRead - 1));
        refuseNul(name);
        if (!isNew)
            refuse(_tree.path(), "duplicate", "'" + _tree.path() + "' is given twice in one object");
        return true;
    }
    bool end_object() {
        _tree.end();
        return true;
    }
    bool start_array(std::size_t) {
        if (_tree.depth() == 0 && !_rules.isArrayAllowed)
            refuseRoot();
        refuseDepth();
        refuseTooMany();
        _tree.beginArray();
        return true;
    }
    bool end_array() {
        _tree.end();
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
        refuseMalformed(reasonIn(error.what()));
    }

    [[noreturn]] void refuseMalformed(const std::string& reason) const {
        refuse("", "type", _subject + " is not valid JSON: " + reason);
    }

private:
    static constexpr std::size_t MAX_DEPTH = 64;

    [[noreturn]] void refuse(std::string field, std::string code, std::string message) const {
        // An empty text ends where its first byte should be.
        throw JsonError({std::move(field), std::move(code), std::move(message)}, std::max<std::size_t>(_bytesRead, 1));
    }

    [[noreturn]] void refuseRoot() const {
        const char* const wanted = _rules.isArrayAllowed ? " must be a JSON object or array" : " must be a JSON object";
        throw JsonError({"", "type", _subject + wanted}, 0);
    }

    bool add(JsonKind kind, TextSpan place = {}) {
        if (_tree.depth() == 0)
            refuseRoot();
        refuseTooMany();
        _tree.add(kind, place);
        return true;
    }

    /// The reader looks one byte beyond a number, unless the text ends there.
    std::size_t numberEnd() const {
        const char last = _tree.text()[_bytesRead - 1];
        return last >= '0' && last <= '9' ? _bytesRead : _bytesRead - 1;
    }

    static TextSpan spanBefore(std::size_t end, std::size_t size) {
        return {static_cast<std::uint32_t>(end - size), static_cast<std::uint32_t>(size)};
    }

    TextSpan integerBefore(std::size_t end) const {
        const std::string_view text = _tree.text();
        std::size_t begin = end;
        while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
            --begin;
        if (begin > 0 && text[begin - 1] == '-')
            --begin;
        return spanBefore(end, end - begin);
    }

    void refuseNul(const std::string& text) const {
        if (text.find('\0') != std::string::npos)
            refuse(_tree.path(), "type", "the character U+0000 is not allowed, " + _subject + " has one");
    }

    void refuseDepth() const {
        if (_tree.depth() >= MAX_DEPTH)
            refuse("", "type", _subject + " is nested more than 64 levels deep");
    }

    void refuseTooMany() const {
        if (_tree.values() >= _rules.mostValues)
            refuse("", "too_many", _subject + " has more than " + std::to_string(_rules.mostValues) + " values");
    }

    const std::size_t& _bytesRead;
    JsonTree& _tree;
    const Rules _rules;
    const std::string _subject;
};

JsonDocument parse(std::string text, const BodyEvents::Rules& rules) {
    if (text.size() > MAX_SIZE)
        throw JsonError({"", "too_long", std::string(rules.subject) + " is larger than 256 MiB"}, 0);
    JsonTree tree(std::move(text), rules.mostValues);
    const std::string_view bytes = tree.text();
    std::size_t bytesRead = 0;
    BodyEvents events(bytesRead, tree, rules);
    // nlohmann takes a NUL byte for the end of the text.
    const std::size_t nul = bytes.find('\0');
    if (nul != std::string_view::npos) {
        bytesRead = nul + 1;
        events.refuseMalformed("a NUL byte");
    }
    const CountingIterator begin(bytes.data(), &bytesRead);
    const CountingIterator end(bytes.data() + bytes.size(), &bytesRead);
    if (!Reader::sax_parse(begin, end, &events))
        events.refuseMalformed("unexpected content");
    return tree.document();
}

} // namespace

JsonDocument parseJsonObject(std::string text) {
    try {
        return parse(std::move(text), {"the body", false, MAX_BODY_VALUES});
    } catch (const JsonError& error) {
        Detail detail = error.detail();
        if (error.byte() > 0)
            detail.message += " at byte " + std::to_string(error.byte());
        throw ApiError::validation({std::move(detail)});
    }
}

JsonDocument parseJson(std::string text) {
    return parse(std::move(text), {"the text", true, std::numeric_limits<std::size_t>::max()});
}

} // namespace supplierd
