#include "shared/ImageType.h"

namespace supplierd::media {
namespace {

using namespace std::string_view_literals;

constexpr auto JPEG_MAGIC = "\xFF\xD8\xFF"sv;
constexpr auto PNG_MAGIC = "\x89PNG\r\n\x1A\n"sv;
constexpr auto RIFF_MAGIC = "RIFF"sv;
constexpr auto WEBP_MAGIC = "WEBP"sv;
constexpr std::size_t WEBP_MAGIC_OFFSET = 8;

} // namespace

std::optional<ImageType> imageTypeOf(std::string_view content) {
    if (content.starts_with(JPEG_MAGIC))
        return ImageType::Jpeg;
    if (content.starts_with(PNG_MAGIC))
        return ImageType::Png;
    if (content.size() > WEBP_MAGIC_OFFSET && content.starts_with(RIFF_MAGIC) &&
        content.substr(WEBP_MAGIC_OFFSET).starts_with(WEBP_MAGIC))
        return ImageType::Webp;
    return std::nullopt;
}

std::string_view mediaType(ImageType type) {
    switch (type) {
    case ImageType::Jpeg:
        return "image/jpeg";
    case ImageType::Png:
        return "image/png";
    case ImageType::Webp:
        return "image/webp";
    }
    return "application/octet-stream";
}

std::string_view fileExtension(ImageType type) {
    switch (type) {
    case ImageType::Jpeg:
        return "jpg";
    case ImageType::Png:
        return "png";
    case ImageType::Webp:
        return "webp";
    }
    return "bin";
}

} // namespace supplierd::media
