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
    /// `subject` is what messages call the text.
    BodyEvents(const std::size_t& bytesRead, std::string_view subject, bool isArrayAllowed)
        : _bytesRead(bytesRead), _subject(subject), _isArrayAllowed(isArrayAllowed) {}

    bool null() { return add(Poco::Dynamic::Var()); }
    bool boolean(bool truth) { return add(truth); }
    bool number_integer(std::int64_t number) { return add(static_cast<Poco::Int64>(number)); }
    bool number_unsigned(std::uint64_t number) {
        if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return add(JsonNumber{std::to_string(number)});
        return add(static_cast<Poco::Int64>(number));
    }
    bool number_float(IgnoredDouble, const std::string& text) { return add(JsonNumber{text}); }
    bool string(std::string& text) {
        refuseNul(text);
        return add(text);
    }
    bool binary(Reader::binary_t&) { return false; }

    bool start_object(std::size_t) {
        refuseDepth();
        _tree.beginObject();
        return true;
    }
    bool key(std::string& name) {
        const bool isNew = _tree.key(name);
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
        if (_tree.depth() == 0 && !_isArrayAllowed)
            refuseRoot();
        refuseDepth();
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

    const Poco::Dynamic::Var& root() const { return _tree.root(); }

private:
    static constexpr std::size_t MAX_DEPTH = 64;

    [[noreturn]] void refuse(std::string field, std::string code, std::string message) const {
        // An empty text ends where its first byte should be.
        throw JsonError({std::move(field), std::move(code), std::move(message)}, std::max<std::size_t>(_bytesRead, 1));
    }

    [[noreturn]] void refuseRoot() const {
        const char* const wanted = _isArrayAllowed ? " must be a JSON object or array" : " must be a JSON object";
        throw JsonError({"", "type", _subject + wanted}, 0);
    }

    bool add(const Poco::Dynamic::Var& value) {
        if (_tree.depth() == 0)
            refuseRoot();
        _tree.add(value);
        return true;
    }

    void refuseNul(const std::string& text) const {
        if (text.find('\0') != std::string::npos)
            refuse(_tree.path(), "type", "the character U+0000 is not allowed, " + _subject + " has one");
    }

    void refuseDepth() const {
        if (_tree.depth() >= MAX_DEPTH)
            refuse("", "type", _subject + " is nested more than 64 levels deep");
    }

    const std::size_t& _bytesRead;
    const std::string _subject;
    const bool _isArrayAllowed;
    JsonTree _tree;
};

Poco::Dynamic::Var parse(std::string_view text, std::string_view subject, bool isArrayAllowed) {
    std::size_t bytesRead = 0;
    BodyEvents events(bytesRead, subject, isArrayAllowed);
    // nlohmann takes a NUL byte for the end of the text.
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos) {
        bytesRead = nul + 1;
        events.refuseMalformed("a NUL byte");
    }
    const CountingIterator begin(text.data(), &bytesRead);
    const CountingIterator end(text.data() + text.size(), &bytesRead);
    if (!Reader::sax_parse(begin, end, &events))
        events.refuseMalformed("unexpected content");
    return events.root();
}

} // namespace

Poco::JSON::Object::Ptr parseJsonObject(std::string_view text) {
    try {
        return parse(text, "the body", false).extract<Poco::JSON::Object::Ptr>();
    } catch (const JsonError& error) {
        Detail detail = error.detail();
        if (error.byte() > 0)
            detail.message += " at byte " + std::to_string(error.byte());
        throw ApiError::validation({std::move(detail)});
    }
}

Poco::Dynamic::Var parseJson(std::string_view text) {
    return parse(text, "the text", true);
}

} // namespace supplierd
