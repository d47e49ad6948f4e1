#include "host/gate/HeaderSyntax.h"

#include "host/config/AddressRange.h"

#include <algorithm>
#include <array>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_NAME = 255; ///< what Poco's reader takes
constexpr std::size_t MAX_PORT_DIGITS = 5;
constexpr int MAX_PORT = 65'535;

constexpr Rejection FOLDED{400, "folded_field", "A header line begins with a blank"};
constexpr Rejection BAD_NAME{400, "field_name",
                             "A header line has no name, or one with characters that are not allowed"};
constexpr Rejection LONG_NAME{431, "field_name_size", "The name of a header field is too long"};
constexpr Rejection ENCODED_WORD{400, "encoded_word", "A header value has an encoded word (=?...?=)"};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isHexDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

template <typename Predicate>
constexpr std::array<bool, 256> tableOf(Predicate predicate) {
    std::array<bool, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = predicate(static_cast<unsigned char>(i));
    return table;
}

constexpr auto TOKEN = tableOf([](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
});
constexpr auto FORBIDDEN = tableOf([](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f || c == 0xff; });

char lowerCased(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// As Poco finds them: "=?", two further question marks, "?=".
bool hasEncodedWord(std::string_view value) {
    constexpr auto NONE = std::string_view::npos;
    const auto begin = value.find("=?");
    if (begin == NONE)
        return false;
    const auto charsetEnd = value.find('?', begin + 2);
    const auto encodingEnd = charsetEnd == NONE ? NONE : value.find('?', charsetEnd + 1);
    return encodingEnd != NONE && value.find("?=", encodingEnd + 1) != NONE;
}

bool isPort(std::string_view text) {
    if (text.size() > MAX_PORT_DIGITS || !std::all_of(text.begin(), text.end(), isDigit))
        return false;
    int port = 0;
    for (const char c : text)
        port = port * 10 + (c - '0');
    return port <= MAX_PORT;
}

/// reg-name of RFC 3986, which IPv4 addresses are too.
bool isName(std::string_view text) {
    constexpr std::string_view OTHERS = "-._~!$&'()*+,;=";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !isHexDigit(text[i + 1]) || !isHexDigit(text[i + 2]))
                return false;
            i += 2;
        } else if (!isDigit(c) && !isLetter(c) && OTHERS.find(c) == std::string_view::npos)
            return false;
    }
    return !text.empty();
}

} // namespace

bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

bool isToken(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return TOKEN[static_cast<unsigned char>(c)]; });
}

bool equalsIgnoringCase(std::string_view text, std::string_view lowerCase) {
    return text.size() == lowerCase.size() &&
           std::equal(text.begin(), text.end(), lowerCase.begin(), [](char a, char b) { return lowerCased(a) == b; });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

bool isValidHost(std::string_view text) {
    if (text.empty())
        return false;
    std::size_t hostEnd = 0;
    if (text.front() == '[') {
        hostEnd = text.find(']');
        if (hostEnd == std::string_view::npos)
            return false;
        const auto address = text.substr(1, hostEnd - 1);
        const bool isIpv6 = address.find(':') != std::string_view::npos && address.find('%') == std::string_view::npos;
        if (!isIpv6 || !parseAddress(address))
            return false;
        ++hostEnd;
    } else {
        hostEnd = std::min(text.find(':'), text.size());
        if (!isName(text.substr(0, hostEnd)))
            return false;
    }
    return hostEnd == text.size() || (text[hostEnd] == ':' && isPort(text.substr(hostEnd + 1)));
}

bool isForbiddenByte(char c) {
    return FORBIDDEN[static_cast<unsigned char>(c)];
}

const Rejection* HeaderField::parse(std::string_view line, HeaderField& field) {
    if (!line.empty() && isBlank(line.front()))
        return &FOLDED;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return &BAD_NAME;
    field.name = line.substr(0, colon);
    field.value = trimmed(line.substr(colon + 1));
    if (!isToken(field.name))
        return &BAD_NAME;
    if (field.name.size() > MAX_NAME)
        return &LONG_NAME;
    return hasEncodedWord(field.value) ? &ENCODED_WORD : nullptr;
}

HeaderFields::Iterator& HeaderFields::Iterator::operator++() {
    _rest.remove_prefix(_rest.find('\n') + 1);
    read();
    return *this;
}

void HeaderFields::Iterator::read() {
    if (_rest.empty())
        return;
    const auto line = _rest.substr(0, _rest.find('\r'));
    const auto colon = line.find(':');
    _field.name = line.substr(0, colon);
    _field.value = trimmed(line.substr(colon + 1));
}

std::string_view HeaderFields::find(std::string_view lowerCaseName) const {
    for (const auto& field : *this)
        if (equalsIgnoringCase(field.name, lowerCaseName))
            return field.value;
    return {};
}

} // namespace supplierd::host
