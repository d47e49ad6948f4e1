#include "Secrets.h"

#include <Poco/Ascii.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace supplierd::history {

namespace {

constexpr std::array<std::string_view, 16> SECRET_WORDS{
    "password", "passwd", "passphrase", "passcode",   "pwd",           "wachtwoord", "secret", "token",
    "apikey",   "bearer", "accesskey",  "privatekey", "authorization", "credential", "cookie", "sessionid"};
/// What a key shows of itself ("sk_ab12cd34") has so many characters after the scheme: no secret.
constexpr std::size_t SHOWN = 8;
/// A string within a string within ...: whoever nests deeper than that has all of it blanked.
constexpr int MAX_DEPTH = 4;
constexpr std::size_t LEAST_TOKEN = 20;
constexpr std::string_view AUTHORITY = "://";

bool isBlankSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// A name or a value that no quotes are around, escapes included.
bool isWordByte(char c) {
    return Poco::Ascii::isAlphaNumeric(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == '%' ||
           c == '\\' || static_cast<unsigned char>(c) >= 0x80;
}

/// Of keys and tokens: base64 of either alphabet too.
bool isTokenByte(char c) {
    return isWordByte(c) || c == '+' || c == '/' || c == '=' || c == '~';
}

int hexValue(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(Poco::Ascii::toLower(c));
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The number of `digits` hexadecimal digits at `at`; nothing when they are none.
std::optional<unsigned> hexAt(std::string_view text, std::size_t at, std::size_t digits) {
    if (at + digits > text.size())
        return std::nullopt;
    unsigned number = 0;
    for (const char c : text.substr(at, digits)) {
        const int value = hexValue(c);
        if (value < 0)
            return std::nullopt;
        number = number * 16 + static_cast<unsigned>(value);
    }
    return number;
}

/// Escapes of JSON and of forms undone, as far as secrets can hide in them: what is beyond ASCII becomes '?'.
std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool isEscape = c == '\\' && i + 1 < text.size();
        const auto code = c == '%'                         ? hexAt(text, i + 1, 2)
                          : isEscape && text[i + 1] == 'u' ? hexAt(text, i + 2, 4)
                                                           : std::nullopt;
        if (code) {
            plain += *code < 0x80 ? static_cast<char>(*code) : '?';
            i += c == '%' ? 2 : 5;
        } else if (isEscape) {
            const char next = text[++i];
            plain += next == 'n' || next == 'r' ? '\n' : next == 't' ? '\t' : next;
        } else {
            plain += c;
        }
    }
    return plain;
}

bool equalsIgnoringCase(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
               return static_cast<char>(Poco::Ascii::toLower(a)) == b;
           });
}

/// One pass over a text.
class Scan {
public:
    Scan(std::string_view text, int depth) : _text(text), _depth(depth) {}

    std::string run() {
        while (_at < _text.size()) {
            const char c = _text[_at];
            if (c == '"' || (c == '\'' && beginsString()))
                string();
            else if (isWordByte(c))
                word();
            else if (_text.substr(_at).starts_with(AUTHORITY))
                userInfo();
            else
                keep(1);
        }
        return std::move(_out);
    }

private:
    void keep(std::size_t bytes) {
        _out += _text.substr(_at, bytes);
        _at += bytes;
    }
    void blank(std::size_t end) {
        _out += BLANK;
        _at = end;
    }

    /// Of an URL with a name and password in front of its host.
    void userInfo() {
        keep(AUTHORITY.size());
        const std::size_t end = std::min(_text.find_first_of("/?#\"'<> \t\r\n", _at), _text.size());
        const std::size_t at = _text.substr(_at, end - _at).rfind('@');
        if (at != std::string_view::npos)
            blank(_at + at);
    }

    /// An apostrophe within a word begins none.
    bool beginsString() const {
        return _at == 0 || isBlankSpace(_text[_at - 1]) ||
               std::string_view("{[(,:=").find(_text[_at - 1]) != std::string_view::npos;
    }

    /// Behind the string that begins there, or the end of a text that ends in it. `content`: without the quotes.
    std::size_t endOfString(std::size_t begin, std::string_view& content) const {
        std::size_t i = begin + 1;
        while (i < _text.size() && _text[i] != _text[begin])
            i += _text[i] == '\\' ? 2 : 1;
        const std::size_t end = std::min(i, _text.size());
        content = _text.substr(begin + 1, end - begin - 1);
        return std::min(end + 1, _text.size());
    }

    /// Where the value begins when what ended at `at` is the name of one: behind ':' or '='.
    std::optional<std::size_t> valueAfter(std::size_t at) const {
        constexpr std::size_t PATIENCE = 8; // brackets and quotes that are left of a broken name
        for (std::size_t skipped = 0; at < _text.size() && skipped < PATIENCE; ++at) {
            const char c = _text[at];
            if (c == ':' || c == '=')
                return at + 1 + (_text.substr(at + 1).starts_with('>') ? 1 : 0);
            if (isBlankSpace(c))
                continue;
            if (std::string_view("\"'])\\").find(c) == std::string_view::npos)
                return std::nullopt;
            ++skipped;
        }
        return std::nullopt;
    }

    void string() {
        std::string_view content;
        const std::size_t end = endOfString(_at, content);
        if (const auto value = valueAfter(end); value && isSecretName(decoded(content))) {
            keep(*value - _at);
            blankValue(true);
            return;
        }
        const bool isClosed = end - _at == content.size() + 2;
        keep(1);
        _out += inner(content);
        _at += content.size();
        if (isClosed)
            keep(1);
    }

    /// What a string holds, which may be JSON or a form itself.
    std::string inner(std::string_view content) const {
        if (_depth == MAX_DEPTH)
            return std::string(BLANK);
        if (content.find('\\') == std::string_view::npos)
            return Scan(content, _depth + 1).run();
        return hidesSecret(content) ? std::string(BLANK) : std::string(content);
    }

    /// Behind escapes.
    bool hidesSecret(std::string_view escaped) const {
        const std::string plain = decoded(escaped);
        return plain != escaped && (_depth == MAX_DEPTH || Scan(plain, _depth + 1).run() != plain);
    }

    void word() {
        const bool isFirst = _at == 0 || !Poco::Ascii::isAlphaNumeric(static_cast<unsigned char>(_text[_at - 1]));
        if (isFirst && key())
            return;
        std::size_t end = _at;
        while (end < _text.size() && isWordByte(_text[end]))
            ++end;
        const std::string_view raw = _text.substr(_at, end - _at);
        if (const auto value = valueAfter(end); value && isSecretName(decoded(raw))) {
            keep(*value - _at);
            blankValue(false);
            return;
        }
        if (raw.find_first_of("%\\") != std::string_view::npos && hidesSecret(raw)) {
            blank(end);
            return;
        }
        keep(raw.size());
        if (isScheme(raw))
            credentials();
    }

    /// An API key, a signing secret, or a JSON web token.
    bool key() {
        const auto endOf = [this](bool (*isPart)(char)) {
            const auto end = std::find_if_not(_text.begin() + static_cast<std::ptrdiff_t>(_at), _text.end(), isPart);
            return static_cast<std::size_t>(end - _text.begin());
        };
        const auto begins = [this](std::string_view scheme) {
            return equalsIgnoringCase(_text.substr(_at, scheme.size()), scheme);
        };
        constexpr std::string_view SIGNING = "whsec_";
        if (begins("sk_") || begins("ok_")) {
            const std::size_t end = endOf(isWordByte);
            if (end - _at <= 3 + SHOWN)
                return false;
            keep(3);
            blank(end);
        } else if (begins(SIGNING)) {
            const std::size_t end = endOf(isTokenByte);
            if (end - _at == SIGNING.size())
                return false;
            keep(SIGNING.size());
            blank(end);
        } else if (begins("eyj")) {
            const std::size_t end = endOf(isTokenByte);
            if (end - _at < LEAST_TOKEN)
                return false;
            blank(end);
        } else {
            return false;
        }
        return true;
    }

    static bool isScheme(std::string_view word) {
        return equalsIgnoringCase(word, "bearer") || equalsIgnoringCase(word, "basic");
    }
    /// Behind "Bearer " or "Basic ": one word, if it is as long as those are.
    void credentials() {
        std::size_t begin = _at;
        while (begin < _text.size() && _text[begin] == ' ')
            ++begin;
        std::size_t end = begin;
        while (end < _text.size() && isTokenByte(_text[end]))
            ++end;
        if (begin == _at || end - begin < SHOWN)
            return;
        keep(begin - _at);
        blank(end);
    }

    /// `isMember`: its name stood in quotes, so this is JSON; where its value is none, all that follows is unclear.
    void blankValue(bool isMember) {
        // In broken JSON more may stand before the value than blanks.
        std::size_t begin = _at;
        while (begin < _text.size() &&
               (isBlankSpace(_text[begin]) || std::string_view(",]})").find(_text[begin]) != std::string_view::npos))
            ++begin;
        if (begin < _text.size() && std::string_view("\"'{[").find(_text[begin]) != std::string_view::npos)
            keep(begin - _at);
        while (_at < _text.size() && (_text[_at] == ' ' || _text[_at] == '\t'))
            keep(1);
        if (_at == _text.size())
            return;
        const char c = _text[_at];
        if (c == '"' || c == '\'') {
            std::string_view content;
            const std::size_t end = endOfString(_at, content);
            _out.append(1, c).append(BLANK).append(1, c);
            _at = end;
            if (const auto next = valueAfter(end)) { // a name after all: what was nested has lost its beginning
                keep(*next - _at);
                blankValue(isMember);
            }
        } else if (c == '{' || c == '[') {
            const std::size_t end = endOfNested();
            _out += '"';
            blank(end);
            _out += '"';
        } else if (const std::size_t end = endOfLiteral(); end != _at) {
            _out += '"';
            blank(end);
            _out += '"';
        } else if (const std::size_t rest = isMember ? _text.size() : endOfPlain(); rest != _at) {
            blank(rest);
        }
    }

    /// Behind an object or array of JSON, or the end of the text.
    std::size_t endOfNested() const {
        std::string open; // the ends that are to come; one that does not fit ends nothing
        for (std::size_t i = _at; i < _text.size();) {
            const char c = _text[i];
            if (c == '"') {
                std::string_view content;
                i = endOfString(i, content);
                continue;
            }
            ++i;
            if (c == '{' || c == '[')
                open += c == '{' ? '}' : ']';
            else if (c == open.back())
                open.pop_back();
            if (open.empty())
                return i;
        }
        return _text.size();
    }

    /// Behind a number, true, false or null of JSON; where it begins when it is none.
    std::size_t endOfLiteral() const {
        std::size_t end = _at;
        while (end < _text.size() && (Poco::Ascii::isAlphaNumeric(static_cast<unsigned char>(_text[end])) ||
                                      _text[end] == '.' || _text[end] == '-' || _text[end] == '+'))
            ++end;
        const std::string_view literal = _text.substr(_at, end - _at);
        std::size_t next = end;
        while (next < _text.size() && isBlankSpace(_text[next]))
            ++next;
        const bool isFollowed = next < _text.size() && (_text[next] == ',' || _text[next] == '}' || _text[next] == ']');
        const bool isNumber = !literal.empty() && literal.find_first_not_of("0123456789+-.eE") == literal.npos;
        return isFollowed && (isNumber || literal == "true" || literal == "false" || literal == "null") ? end : _at;
    }

    /// Behind what no quotes are around: of a parameter the next '&', of all else the end of the line.
    std::size_t endOfPlain() const {
        const bool isParameter = _at > 0 && _text[_at - 1] == '=';
        const auto end = _text.find_first_of(isParameter ? "&\r\n" : "\r\n", _at);
        return std::min(end, _text.size());
    }

    const std::string_view _text;
    const int _depth;
    std::size_t _at = 0;
    std::string _out;
};

} // namespace

bool isSecretName(std::string_view name) {
    std::string letters;
    for (const char c : name)
        if (Poco::Ascii::isAlphaNumeric(static_cast<unsigned char>(c)))
            letters += static_cast<char>(Poco::Ascii::toLower(c));
    if (letters == "auth" || letters == "key" || letters == "pass")
        return true;
    return std::any_of(SECRET_WORDS.begin(), SECRET_WORDS.end(),
                       [&](std::string_view word) { return letters.find(word) != std::string::npos; });
}

std::string withoutSecrets(std::string_view text) {
    if (text.find('\0') == std::string_view::npos)
        return Scan(text, 0).run();
    // UTF-16 and the like: what is a secret without the zeros is one with them, and nobody knows where it ends.
    std::string dense(text);
    std::erase(dense, '\0');
    return Scan(dense, 0).run() == dense ? std::string(text) : std::string(BLANK);
}

} // namespace supplierd::history
