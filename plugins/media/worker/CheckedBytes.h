#pragma once

#include "shared/Refusal.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::media {

/// Hostile bytes with every access checked: what lies outside refuses the image as truncated.
class CheckedBytes {
public:
    explicit CheckedBytes(std::string_view bytes) : _bytes(bytes) {}

    std::size_t size() const { return _bytes.size(); }
    std::string_view slice(std::size_t at, std::size_t length) const {
        if (at > _bytes.size() || length > _bytes.size() - at)
            throw RefusedImage(Refusal::Truncated);
        return _bytes.substr(at, length);
    }
    std::uint32_t byte(std::size_t at) const { return static_cast<unsigned char>(slice(at, 1)[0]); }
    std::uint32_t big16(std::size_t at) const { return byte(at) << 8U | byte(at + 1); }
    std::uint32_t big32(std::size_t at) const { return big16(at) << 16U | big16(at + 2); }
    std::uint32_t little16(std::size_t at) const { return byte(at + 1) << 8U | byte(at); }
    std::uint32_t little24(std::size_t at) const { return byte(at + 2) << 16U | little16(at); }
    std::uint32_t little32(std::size_t at) const { return little16(at + 2) << 16U | little16(at); }

private:
    std::string_view _bytes;
};

inline void appendBig16(std::string& out, std::uint32_t value) {
    out += static_cast<char>(value >> 8U & 0xFFU);
    out += static_cast<char>(value & 0xFFU);
}

inline void appendBig32(std::string& out, std::uint32_t value) {
    appendBig16(out, value >> 16U);
    appendBig16(out, value & 0xFFFFU);
}

inline void appendLittle32(std::string& out, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8)
        out += static_cast<char>(value >> shift & 0xFFU);
}

} // namespace supplierd::media
