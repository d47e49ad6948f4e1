#include <supplierd/EntityTag.h>

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace supplierd {

namespace {

std::string_view withoutBlanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view withoutWeakness(std::string_view tag) {
    return tag.starts_with("W/") ? tag.substr(2) : tag;
}

} // namespace

std::vector<std::string_view> namedTags(std::string_view header) {
    std::vector<std::string_view> tags;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find(','), header.size());
        const std::string_view tag = withoutBlanks(header.substr(0, end));
        header.remove_prefix(std::min(end + 1, header.size()));
        if (!tag.empty())
            tags.push_back(tag);
    }
    return tags;
}

bool namesTagWeakly(std::string_view header, std::string_view tag) {
    const std::vector<std::string_view> tags = namedTags(header);
    return std::any_of(tags.begin(), tags.end(), [tag](std::string_view named) {
        return named == "*" || withoutWeakness(named) == withoutWeakness(tag);
    });
}

std::string tagOfBytes(std::string_view bytes) {
    constexpr std::size_t BYTES = 16;
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    std::string tag = "\"";
    for (std::size_t i = 0; i < BYTES; ++i) {
        tag += "0123456789abcdef"[digest.at(i) >> 4U];
        tag += "0123456789abcdef"[digest.at(i) & 15U];
    }
    return tag + '"';
}

} // namespace supplierd
