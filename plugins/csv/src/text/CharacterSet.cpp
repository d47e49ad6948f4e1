#include "text/CharacterSet.h"

#include "text/CsvStyle.h"

#include <supplierd/Validation.h>

#include <Poco/ByteOrder.h>
#include <Poco/UTF16Encoding.h>
#include <Poco/UTF8Encoding.h>
#include <Poco/Windows1252Encoding.h>

#include <algorithm>

namespace supplierd::csv {

namespace {

constexpr std::size_t START = 4'096;
constexpr int REPLACEMENT = 0xFFFD;

/// How many bytes at the end are the beginning of a character that goes on.
std::size_t unfinished(std::string_view bytes) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if (byte < 0x80)
            return 0;
        if (byte >= 0xC0) {
            const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
            return length > back ? back : 0;
        }
    }
    return 0;
}

std::unique_ptr<Poco::TextEncoding> encodingOf(CharacterSet set) {
    switch (set) {
    case CharacterSet::Utf8:
        break;
    case CharacterSet::Utf16Le:
        return std::make_unique<Poco::UTF16Encoding>(Poco::UTF16Encoding::LITTLE_ENDIAN_BYTE_ORDER);
    case CharacterSet::Utf16Be:
        return std::make_unique<Poco::UTF16Encoding>(Poco::UTF16Encoding::BIG_ENDIAN_BYTE_ORDER);
    case CharacterSet::Windows1252:
        return std::make_unique<Poco::Windows1252Encoding>();
    }
    return nullptr;
}

} // namespace

void CharacterSetScan::add(std::string_view bytes) {
    _start.append(bytes.substr(0, START - std::min(START, _start.size())));
    if (!_isUtf8)
        return;
    _rest.append(bytes);
    const std::size_t keep = unfinished(_rest);
    _isUtf8 = isValidUtf8(std::string_view(_rest).substr(0, _rest.size() - keep));
    _rest.erase(0, _rest.size() - keep);
}

CharacterSet CharacterSetScan::result() const {
    if (_start.starts_with(BYTE_ORDER_MARK))
        return CharacterSet::Utf8;
    if (_start.starts_with("\xFF\xFE"))
        return CharacterSet::Utf16Le;
    if (_start.starts_with("\xFE\xFF"))
        return CharacterSet::Utf16Be;
    std::array<std::size_t, 2> zeros{};
    for (std::size_t i = 0; i < _start.size(); ++i)
        zeros.at(i % 2) += _start[i] == '\0' ? 1 : 0;
    const std::size_t half = _start.size() / 2;
    if (zeros[1] > half / 2 && zeros[0] < half / 8)
        return CharacterSet::Utf16Le;
    if (zeros[0] > half / 2 && zeros[1] < half / 8)
        return CharacterSet::Utf16Be;
    return isUtf8() ? CharacterSet::Utf8 : CharacterSet::Windows1252;
}

Decoder::Decoder(CharacterSet set) : _encoding(encodingOf(set)) {}

std::string Decoder::decode(std::string_view bytes) {
    std::string text = _encoding ? convert(bytes) : std::string(bytes);
    if (_isAtStart && text.starts_with(BYTE_ORDER_MARK))
        text.erase(0, BYTE_ORDER_MARK.size());
    _isAtStart = _isAtStart && text.empty();
    return text;
}

std::string Decoder::convert(std::string_view bytes) {
    _rest.append(bytes);
    std::string text;
    text.reserve(_rest.size() * 2);
    const Poco::UTF8Encoding utf8;
    const auto* at = reinterpret_cast<const unsigned char*>(_rest.data());
    const unsigned char* const end = at + _rest.size();
    while (at < end) {
        const int left = static_cast<int>(std::min<std::ptrdiff_t>(end - at, 8));
        int character = _encoding->queryConvert(at, left);
        if (character < -1 && -character > left)
            break; // it goes on in the next bytes
        const int length = std::max(1, character < -1 ? left : _encoding->sequenceLength(at, left));
        const bool isSurrogate = character >= 0xD800 && character < 0xE000;
        if (character < 0 || isSurrogate)
            character = REPLACEMENT;
        std::array<unsigned char, 4> out{};
        const int size = utf8.convert(character, out.data(), static_cast<int>(out.size()));
        text.append(reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(std::max(0, size)));
        at += std::min<std::ptrdiff_t>(length, end - at);
    }
    _rest.erase(0, _rest.size() - static_cast<std::size_t>(end - at));
    return text;
}

} // namespace supplierd::csv
