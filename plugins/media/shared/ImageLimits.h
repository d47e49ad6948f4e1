#pragma once

#include <cstddef>
#include <cstdint>

namespace supplierd::media {

/// What a picture may measure. The worker checks it before it decodes, the server again in what a worker answers.
constexpr std::size_t MAX_IMAGE_BYTES = 5'242'880;
constexpr std::uint32_t MAX_IMAGE_SIDE = 12'000;
constexpr std::uint64_t MAX_IMAGE_PIXELS = 40'000'000;
constexpr std::uint32_t THUMBNAIL_SIDE = 400;

constexpr bool areAcceptableDimensions(std::uint64_t width, std::uint64_t height) {
    return width > 0 && height > 0 && width <= MAX_IMAGE_SIDE && height <= MAX_IMAGE_SIDE &&
           width * height <= MAX_IMAGE_PIXELS;
}

} // namespace supplierd::media
