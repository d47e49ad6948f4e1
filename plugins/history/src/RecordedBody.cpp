#include "RecordedBody.h"

#include "Secrets.h"

#include <Poco/String.h>
#include <Poco/UTF8Encoding.h>

#include <array>

namespace supplierd::history {

namespace {

std::string mediaOf(std::string_view contentType) {
    return Poco::toLower(Poco::trim(std::string(contentType.substr(0, contentType.find(';')))));
}

/// Text in which secrets are known by their names.
bool isTextual(const std::string& media) {
    constexpr std::array<std::string_view, 3> TYPES{"", "application/json", "application/x-www-form-urlencoded"};
    for (const std::string_view type : TYPES)
        if (media == type)
            return true;
    return media.ends_with("+json") || (media.starts_with("text/") && media != "text/xml");
}

std::string bytesAsText(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            text += c;
        } else {
            text += static_cast<char>(0xC0U | (byte >> 6));
            text += static_cast<char>(0x80U | (byte & 0x3FU));
        }
    }
    return text;
}

} // namespace

bool isUtf8(std::string_view text) {
    const Poco::UTF8Encoding utf8;
    for (std::size_t i = 0; i < text.size();) {
        const auto* const at = reinterpret_cast<const unsigned char*>(text.data()) + i;
        const int length = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
        if (static_cast<std::size_t>(length) > text.size() - i || !Poco::UTF8Encoding::isLegal(at, length))
            return false;
        i += static_cast<std::size_t>(length);
    }
    return true;
}

std::string_view withoutTail(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0 && text.size() - end < 3 && (static_cast<unsigned char>(text[end - 1]) & 0xC0U) == 0x80U)
        --end;
    if (end > 0 && static_cast<unsigned char>(text[end - 1]) >= 0xC0U && !isUtf8(text.substr(end - 1)))
        return text.substr(0, end - 1);
    return text;
}

RecordedBody RecordedBody::of(std::string_view begin, std::uint64_t size, std::string_view contentType,
                              std::size_t keeps) {
    RecordedBody body;
    const std::string media = mediaOf(contentType);
    if (begin.empty() || keeps == 0 || !isTextual(media))
        return body;
    const bool mayBeTable = media.empty() || media.starts_with("text/");
    std::string kept = withoutSecrets(mayBeTable ? withoutSecretColumns(begin) : std::string(begin));
    const bool isWhole = begin.size() == size && kept.size() <= keeps && kept != BLANK;
    body.form = isWhole ? Whole : Beginning;
    if (kept.size() > keeps)
        kept.resize(keeps);
    const std::string_view text = isWhole ? std::string_view(kept) : withoutTail(kept);
    if (history::isUtf8(text)) {
        body.text = text;
        return body;
    }
    body.form |= AsBytes;
    body.text = bytesAsText(kept);
    return body;
}

std::string RecordedBody::bytes() const {
    if (isUtf8())
        return text;
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80 || i + 1 == text.size())
            bytes += text[i];
        else
            bytes += static_cast<char>(((byte & 0x03U) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3FU));
    }
    return bytes;
}

} // namespace supplierd::history
