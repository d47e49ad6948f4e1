#pragma once

#include "worker/Raster.h"

#include <string_view>

namespace supplierd::media {

/// Decode every pixel of a sanitized file and hand them back, reduced where the picture is much larger than a
/// thumbnail. Read by the formats' own libraries, because there every warning can be judged: whatever says that pixels
/// are missing or guessed refuses the image as damaged. They throw RefusedImage and std::bad_alloc.
/// Not thread-safe; one job at a time.
Raster decodeJpeg(std::string_view file);
/// With a profile, the picture's own gamma counts for nothing.
Raster decodePng(std::string_view file, bool hasProfile = false);
Raster decodeWebp(std::string_view file);

} // namespace supplierd::media
