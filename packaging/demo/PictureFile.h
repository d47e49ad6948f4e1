#pragma once

#include "Canvas.h"

#include <string>
#include <string_view>

namespace supplierd::demo {

enum class PictureFormat { Jpeg, Png, Webp };

/// "jpg", "png", "webp".
std::string_view extensionOf(PictureFormat format);
std::string_view mediaTypeOf(PictureFormat format);

/// The picture as a file. Throws std::runtime_error.
std::string encoded(const Canvas& canvas, PictureFormat format);

} // namespace supplierd::demo
