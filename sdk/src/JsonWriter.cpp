#include "JsonString.h"

#include <supplierd/JsonWriter.h>

#include <array>
#include <cassert>
#include <charconv>
#include <utility>

namespace supplierd {

namespace {

template <class T>
void appendNumber(std::string& out, T number, bool comma) {
    std::array<char, 24> buffer{};
    buffer[0] = ',';
    const char* begin = buffer.data() + (comma ? 0 : 1);
    const char* end = std::to_chars(buffer.data() + 1, buffer.data() + buffer.size(), number).ptr;
    out.append(begin, static_cast<std::size_t>(end - begin));
}

/// Appends `,"text"` and, for a key, `:`. Grows the string once and writes in place: several small appends cost more
/// than clearing the few bytes, and a buffer on the stack would be read back before its writes have settled.
void appendText(std::string& out, std::string_view text, bool comma, bool isKey) {
    const std::size_t old = out.size();
    out.resize(old + text.size() + (comma ? 3 : 2) + (isKey ? 1 : 0));
    char* to = out.data() + old;
    if (comma)
        *to++ = ',';
    *to++ = '"';
    const std::size_t plain = copyPlain(to, text);
    if (plain == text.size()) {
        to[plain] = '"';
        if (isKey)
            to[plain + 1] = ':';
        return;
    }
    out.resize(static_cast<std::size_t>(to - out.data()) - 1);
    appendJsonString(out, text);
    if (isKey)
        out += ':';
}

/// The nesting is the caller's; what the last byte can tell is checked in debug builds.
[[maybe_unused]] bool endsWith(const std::string& out, char c) {
    return !out.empty() && out.back() == c;
}

} // namespace

void JsonWriter::separate() {
    if (_needsComma)
        _out += ',';
    _needsComma = true;
}

JsonWriter& JsonWriter::beginObject() {
    separate();
    _out += '{';
    _needsComma = false;
    return *this;
}

JsonWriter& JsonWriter::endObject() {
    assert(!endsWith(_out, ':') && "a key without a value");
    _out += '}';
    _needsComma = true;
    return *this;
}

JsonWriter& JsonWriter::beginArray() {
    separate();
    _out += '[';
    _needsComma = false;
    return *this;
}

JsonWriter& JsonWriter::endArray() {
    assert(!endsWith(_out, ':') && "a key inside an array");
    _out += ']';
    _needsComma = true;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    assert((_needsComma || !endsWith(_out, ':')) && "a key after a key");
    appendText(_out, name, _needsComma, true);
    _needsComma = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    appendText(_out, text, std::exchange(_needsComma, true), false);
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    return raw(truth ? "true" : "false");
}

JsonWriter& JsonWriter::value(const Decimal& number) {
    separate();
    number.appendTo(_out);
    return *this;
}

JsonWriter& JsonWriter::null() {
    return raw("null");
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    _out += json;
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
    appendNumber(_out, number, std::exchange(_needsComma, true));
    return *this;
}

JsonWriter& JsonWriter::unsignedInteger(std::uint64_t number) {
    appendNumber(_out, number, std::exchange(_needsComma, true));
    return *this;
}

} // namespace supplierd
