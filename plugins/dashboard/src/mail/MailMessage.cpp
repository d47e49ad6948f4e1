#include "MailMessage.h"

#include <Poco/Base64Encoder.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view NEW_LINE = "\r\n";
constexpr std::string_view HEX = "0123456789ABCDEF";
/// Not to be found in quoted-printable, where "=" is followed by two digits or by the end of a line.
constexpr std::string_view BOUNDARY = "=_supplierd_part";
constexpr std::size_t MAX_LINE = 76;
/// Of text in one encoded word: with "=?UTF-8?B?…?=" it has at most 75 characters.
constexpr std::size_t MAX_WORD = 42;

bool isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// Of the character that begins at `at`, and of what follows it up to the next.
std::size_t lengthOfCharacter(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && isContinuation(text[end]))
        ++end;
    return end - at;
}

std::string base64(std::string_view bytes) {
    std::ostringstream out;
    Poco::Base64Encoder encoder(out);
    encoder.rdbuf()->setLineLength(0);
    encoder.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    encoder.close();
    return out.str();
}

/// RFC 2045: lines of at most 76 characters, whose ends are those of the text.
std::string quotedPrintable(std::string_view text) {
    std::string out;
    std::size_t column = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            out += NEW_LINE;
            column = 0;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        const bool isAtEnd = i + 1 == text.size() || text[i + 1] == '\n';
        // A dot that begins a line is left to nobody on the way.
        const bool isPlain =
            byte >= 0x20 && byte < 0x7f && c != '=' && !(c == ' ' && isAtEnd) && !(c == '.' && column == 0);
        const std::size_t width = isPlain ? 1 : 3;
        if (column + width > MAX_LINE - 1) {
            out += "=";
            out += NEW_LINE;
            column = 0;
        }
        if (isPlain)
            out += c;
        else
            out.append({'=', HEX[byte >> 4U], HEX[byte & 15U]});
        column += width;
    }
    return out;
}

void addHeader(std::string& message, std::string_view name, std::string_view value) {
    message.append(name).append(": ").append(value).append(NEW_LINE);
}

void addPart(std::string& message, std::string_view type, std::string_view text) {
    message.append("--").append(BOUNDARY).append(NEW_LINE);
    addHeader(message, "Content-Type", std::string(type) + "; charset=utf-8");
    addHeader(message, "Content-Transfer-Encoding", "quoted-printable");
    message.append(NEW_LINE).append(quotedPrintable(text)).append(NEW_LINE);
}

} // namespace

bool isMailAddress(std::string_view address) {
    const auto at = address.rfind('@');
    if (at == std::string_view::npos || at == 0 || at > 64 || address.size() > 254)
        return false;
    const std::string_view local = address.substr(0, at);
    const std::string_view domain = address.substr(at + 1);
    constexpr std::string_view MORE = "!#$%&'*+-/=?^_`{|}~.";
    return !domain.empty() && local.front() != '-' &&
           std::all_of(local.begin(), local.end(),
                       [&](char c) { return isLetterOrDigit(c) || MORE.find(c) != std::string_view::npos; }) &&
           std::all_of(domain.begin(), domain.end(),
                       [](char c) { return isLetterOrDigit(c) || c == '-' || c == '.'; }) &&
           isLetterOrDigit(domain.front()) && isLetterOrDigit(domain.back());
}

std::string onOneLine(std::string_view text, std::size_t most) {
    // U+0085, U+2028 and U+2029 end lines, too; marks that turn the direction of writing hide what follows them.
    constexpr std::array<std::string_view, 12> OTHERS = {
        "\xc2\x85",     "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
        "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};
    std::string line;
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view character = text.substr(i, lengthOfCharacter(text, i));
        i += character.size();
        if (count++ == most)
            return line + "…";
        const auto byte = static_cast<unsigned char>(character.front());
        const bool isSeen =
            byte >= 0x20 && byte != 0x7f && std::find(OTHERS.begin(), OTHERS.end(), character) == OTHERS.end();
        line += isSeen ? character : std::string_view(" ");
    }
    return line;
}

std::string headerText(std::string_view text) {
    const bool isPlain = text.size() <= 60 && text.find("=?") == std::string_view::npos &&
                         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (isPlain)
        return std::string(text);
    std::string words;
    while (!text.empty()) {
        std::size_t end = 0;
        while (end < text.size()) {
            const std::size_t next = end + lengthOfCharacter(text, end);
            if (next > MAX_WORD && end > 0)
                break;
            end = next;
        }
        if (!words.empty())
            words.append(NEW_LINE).append(" ");
        words.append("=?UTF-8?B?").append(base64(text.substr(0, end))).append("?=");
        text.remove_prefix(end);
    }
    return words;
}

std::string writeMessage(const MailEnvelope& envelope, const MailContent& content) {
    std::string name = headerText(onOneLine(envelope.fromName, 60));
    if (!name.starts_with("=?")) {
        std::erase_if(name, [](char c) { return c == '"' || c == '\\'; });
        name = '"' + name + '"';
    }
    std::string message;
    addHeader(message, "Date", envelope.date);
    addHeader(message, "From", name + " <" + envelope.from + ">");
    addHeader(message, "To", "<" + envelope.to + ">");
    addHeader(message, "Subject", headerText(onOneLine(content.subject, 200)));
    addHeader(message, "Message-ID", "<" + envelope.messageId + ">");
    addHeader(message, "Auto-Submitted", "auto-generated");
    addHeader(message, "MIME-Version", "1.0");
    addHeader(message, "Content-Type", "multipart/alternative; boundary=\"" + std::string(BOUNDARY) + "\"");
    message.append(NEW_LINE);
    addPart(message, "text/plain", content.text);
    addPart(message, "text/html", content.html);
    return message.append("--").append(BOUNDARY).append("--").append(NEW_LINE);
}

} // namespace supplierd::dashboard
