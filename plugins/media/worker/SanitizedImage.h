#pragma once

#include "shared/ImageLimits.h"
#include "shared/ImageType.h"
#include "shared/Refusal.h"
#include "worker/ColourProfile.h"
#include "worker/Orientation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace supplierd::media {

/// A picture whose container was walked from end to end and written anew: the compressed pixels byte for byte, the
/// colour profile when it is a good one, the orientation, and nothing else that the file carried.
struct SanitizedImage {
    ImageType type = ImageType::Jpeg;
    std::string bytes;
    std::uint32_t width = 0; ///< as stored, before the orientation is applied
    std::uint32_t height = 0;
    Orientation orientation = Orientation::Upright;
    std::unique_ptr<const ColourProfile> profile; ///< null: sRGB, or what the decoder makes of it
};

/// Each checks structure, dimensions and kind, but decodes no pixel. They throw RefusedImage.
SanitizedImage sanitizeJpeg(std::string_view file);
SanitizedImage sanitizePng(std::string_view file);
SanitizedImage sanitizeWebp(std::string_view file);

inline void requireAcceptableDimensions(const SanitizedImage& image) {
    if (image.width == 0 || image.height == 0)
        throw RefusedImage(Refusal::Damaged);
    if (!areAcceptableDimensions(image.width, image.height))
        throw RefusedImage(Refusal::Dimensions);
}

} // namespace supplierd::media
