#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace supplierd::media {

/// The kinds of pictures that are accepted, stored and served. The values travel between server and worker.
enum class ImageType : std::uint8_t { Jpeg = 1, Png = 2, Webp = 3 };

/// By the first bytes alone, never by a name or a header; nothing for any other kind of file.
std::optional<ImageType> imageTypeOf(std::string_view content);

/// "image/jpeg" and the like.
std::string_view mediaType(ImageType type);
/// "jpg", "png" or "webp".
std::string_view fileExtension(ImageType type);

} // namespace supplierd::media
