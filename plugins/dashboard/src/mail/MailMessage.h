#pragma once

#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// What a mail says, as UTF-8.
struct MailContent {
    std::string subject;
    std::string text;
    std::string html;
};

struct MailEnvelope {
    std::string fromName;
    std::string from;
    std::string to;
    std::string messageId; ///< without the angle brackets
    std::string date;      ///< as RFC 5322 has it
};

/// Whether a mail server takes it as it is: an address of ASCII with a domain, without quotes, comments or spaces.
bool isMailAddress(std::string_view address);

/// On one line: what ends a line or is no character that is seen becomes a space. At most `most` characters.
std::string onOneLine(std::string_view text, std::size_t most);

/// A header's text as RFC 2047 has it: as it is where it is ASCII that fits, else in encoded words of UTF-8.
std::string headerText(std::string_view text);

/// The whole message, RFC 5322: text and HTML as multipart/alternative, quoted-printable, lines that end in CRLF.
std::string writeMessage(const MailEnvelope& envelope, const MailContent& content);

} // namespace supplierd::dashboard
