#pragma once

#include "shared/ImageType.h"
#include "worker/Orientation.h"
#include "worker/Raster.h"

#include <cstdint>
#include <string>

namespace supplierd::media {

struct Thumbnail {
    ImageType type = ImageType::Jpeg; ///< WebP where something is transparent
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::string bytes;
};

/// What the thumbnail is made from: pixels in sRGB, and what the picture measured before it was reduced.
struct ThumbnailSource {
    Raster pixels;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    Orientation orientation = Orientation::Upright;
};

/// GraphicsMagick, for scaling, turning and encoding. It sees pixels only, never a file from outside.
class ThumbnailMaker {
public:
    /// Initialises the library with its limits and makes one picture of each kind, so that nothing is read or loaded
    /// later, when the sandbox is closed. Throws std::runtime_error.
    ThumbnailMaker();

    /// Throws what GraphicsMagick throws: std::exception.
    static Thumbnail make(ThumbnailSource source);
};

} // namespace supplierd::media
