#pragma once

#include "shared/ImageLimits.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace supplierd::media {

enum class PixelForm : std::uint8_t { Rgb, Rgba, Cmyk };

constexpr std::size_t channelsOf(PixelForm form) {
    return form == PixelForm::Rgb ? 3 : 4;
}

/// Decoded pixels, 8 bits a channel, alpha not multiplied in, CMYK as ink (255 = full). A decoder that read the whole
/// file may hand back fewer pixels than it has; see `reductionFor`.
struct Raster {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    PixelForm form = PixelForm::Rgb;
    std::vector<std::uint8_t> samples;
};

/// By how much a decoder may shrink while decoding: its longer side keeps at least twice the thumbnail's, which leaves
/// the last step to a good filter.
constexpr std::uint32_t reductionFor(std::uint32_t width, std::uint32_t height) {
    const std::uint32_t factor = (width > height ? width : height) / (2 * THUMBNAIL_SIDE);
    return factor > 1 ? factor : 1;
}

/// Decode every pixel of a sanitized file and hand them back, reduced where the picture is much larger than a
/// thumbnail. Read by the formats' own libraries, because there every warning can be checked: whatever says that pixels
/// are missing or guessed refuses the image as damaged. They throw RefusedImage and std::bad_alloc.
/// Not thread-safe; one job at a time.
Raster decodeJpeg(std::string_view file);
/// With a profile, the picture's own gamma counts for nothing.
Raster decodePng(std::string_view file, bool hasProfile = false);
Raster decodeWebp(std::string_view file);

} // namespace supplierd::media
