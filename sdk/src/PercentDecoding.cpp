#include <supplierd/PercentDecoding.h>
#include <supplierd/Validation.h>

namespace supplierd {

namespace {

int hexDigit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

} // namespace

std::optional<std::string> percentDecoded(std::string_view raw, bool plusIsBlank) {
    std::string text;
    text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '%') {
            text += plusIsBlank && raw[i] == '+' ? ' ' : raw[i];
            continue;
        }
        const int high = i + 2 < raw.size() ? hexDigit(raw[i + 1]) : -1;
        const int low = i + 2 < raw.size() ? hexDigit(raw[i + 2]) : -1;
        if (high < 0 || low < 0)
            return std::nullopt;
        text += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (!isValidUtf8(text) || text.find('\0') != std::string::npos)
        return std::nullopt;
    return text;
}

} // namespace supplierd
