#include "MediaKey.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>

namespace supplierd::media {
namespace {

constexpr std::string_view DIGITS = "0123456789abcdef";
constexpr std::size_t NAME_DIGITS = 32;
constexpr std::size_t NAME_OFFSET = FOLDER_LENGTH + 1;

template <std::size_t BYTES>
std::string randomHex() {
    std::array<unsigned char, BYTES> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error(errno, std::generic_category(), "getrandom");
    std::string text;
    for (const unsigned byte : bytes) {
        text += DIGITS[byte >> 4U];
        text += DIGITS[byte & 0xFU];
    }
    return text;
}

bool isHex(std::string_view text) {
    return text.find_first_not_of(DIGITS) == std::string_view::npos;
}

} // namespace

std::string randomFolder() {
    auto digits = randomHex<2>();
    return digits.insert(2, 1, '/');
}

std::string randomKey(std::string_view folder, ImageType type) {
    std::string key(folder);
    key += '/';
    key += folder.substr(0, 2);
    key += folder.substr(3, 2);
    key += randomHex<NAME_DIGITS / 2 - 2>();
    key += '.';
    key += fileExtension(type);
    return key;
}

std::string randomStoreId() {
    return randomHex<16>();
}

bool isMediaKey(std::string_view text) {
    return typeOfKey(text).has_value();
}

std::optional<ImageType> typeOfKey(std::string_view key) {
    if (key.size() < NAME_OFFSET + NAME_DIGITS + 2 || key[2] != '/' || key[FOLDER_LENGTH] != '/' ||
        key[NAME_OFFSET + NAME_DIGITS] != '.')
        return std::nullopt;
    const auto name = key.substr(NAME_OFFSET, NAME_DIGITS);
    if (!isHex(name) || key.substr(0, 2) != name.substr(0, 2) || key.substr(3, 2) != name.substr(2, 2))
        return std::nullopt;
    for (const auto type : {ImageType::Jpeg, ImageType::Png, ImageType::Webp})
        if (key.substr(NAME_OFFSET + NAME_DIGITS + 1) == fileExtension(type))
            return type;
    return std::nullopt;
}

} // namespace supplierd::media
