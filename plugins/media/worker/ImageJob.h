#pragma once

#include "worker/SanitizedImage.h"
#include "worker/ThumbnailMaker.h"

#include <string_view>

namespace supplierd::media {

struct FinishedImage {
    SanitizedImage original;
    Thumbnail thumbnail;
};

/// The whole way of one picture: kind, structure, every pixel, colours, thumbnail. Throws RefusedImage, or
/// std::exception when a library gives up.
FinishedImage processImage(std::string_view file);

} // namespace supplierd::media
