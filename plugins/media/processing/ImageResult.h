#pragma once

#include "shared/ImageType.h"
#include "shared/Refusal.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace supplierd::media {

/// A picture that was decoded in full and is fit to be stored and served.
struct ProcessedImage {
    ImageType type = ImageType::Jpeg;
    std::uint32_t width = 0; ///< as shown: orientation applied
    std::uint32_t height = 0;
    std::string original; ///< without metadata, pixels as they came
    ImageType thumbnailType = ImageType::Jpeg;
    std::uint32_t thumbnailWidth = 0;
    std::uint32_t thumbnailHeight = 0;
    std::string thumbnail;
};

/// A picture that is not taken.
struct ImageRefusal {
    Refusal reason = Refusal::Undecodable;

    std::string_view code() const { return refusalCode(reason); }
    std::string_view text() const { return refusalText(reason); }
};

using ImageResult = std::variant<ProcessedImage, ImageRefusal>;

} // namespace supplierd::media
