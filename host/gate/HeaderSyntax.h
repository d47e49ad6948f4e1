#pragma once

#include <cstddef>
#include <string_view>

namespace supplierd::host {

/// Why the gate refuses a request. The texts are constants.
struct Rejection {
    int status = 0;
    std::string_view reason;  ///< for metrics: one of few
    std::string_view message; ///< for the client
};

/// A blank or a tab.
bool isBlank(char c);
/// RFC 9110: a method, the name of a field.
bool isToken(std::string_view text);
/// Of ASCII letters; `lowerCase` has no upper case ones.
bool equalsIgnoringCase(std::string_view text, std::string_view lowerCase);
/// Without the blanks and tabs around it.
std::string_view trimmed(std::string_view text);
/// What a Host field and the authority of a URI may say: a name, an IPv4 address or an IPv6 address in brackets, with
/// or without a port. Never empty, no user.
bool isValidHost(std::string_view text);

/// A line of a head or a trailer without its CRLF.
struct HeaderField {
    std::string_view name;
    std::string_view value; ///< without the blanks around it

    /// Null, or why it is none: a folded line, a name that is no token or has 256 characters, an encoded word (RFC
    /// 2047), which Poco would decode. The bytes of the line were checked: none is a control character.
    static const Rejection* parse(std::string_view line, HeaderField& field);
};

/// Bytes that no line may have: control characters but the tab, and 0xFF, at which Poco's reader believes to be at an
/// end.
bool isForbiddenByte(char c);

/// The fields of a head that was judged, in their order, read from its bytes.
class HeaderFields {
public:
    class Iterator {
    public:
        explicit Iterator(std::string_view rest) : _rest(rest) { read(); }
        const HeaderField& operator*() const { return _field; }
        const HeaderField* operator->() const { return &_field; }
        Iterator& operator++();
        bool operator!=(const Iterator& other) const { return _rest.size() != other._rest.size(); }

    private:
        void read();

        std::string_view _rest; ///< begins with the line of _field
        HeaderField _field;
    };

    HeaderFields() = default;
    /// `lines`: each with its CRLF, without the empty one.
    explicit HeaderFields(std::string_view lines) : _lines(lines) {}

    Iterator begin() const { return Iterator(_lines); }
    Iterator end() const { return Iterator(_lines.substr(_lines.size())); }
    /// The first of that name; a view without data when there is none.
    std::string_view find(std::string_view lowerCaseName) const;

private:
    std::string_view _lines;
};

} // namespace supplierd::host
