#pragma once

#include "shared/ImageLimits.h"

#include <cstddef>
#include <cstdint>
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

} // namespace supplierd::media
