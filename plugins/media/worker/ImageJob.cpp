#include "worker/ImageJob.h"

#include "worker/Raster.h"

namespace supplierd::media {
namespace {

SanitizedImage sanitized(std::string_view file) {
    const auto type = imageTypeOf(file);
    if (!type)
        throw RefusedImage(Refusal::UnknownType);
    switch (*type) {
    case ImageType::Jpeg:
        return sanitizeJpeg(file);
    case ImageType::Png:
        return sanitizePng(file);
    case ImageType::Webp:
        return sanitizeWebp(file);
    }
    throw RefusedImage(Refusal::UnknownType);
}

/// Decodes what will be stored, not what came: what is served is what was checked.
Raster decoded(const SanitizedImage& image) {
    switch (image.type) {
    case ImageType::Jpeg:
        return decodeJpeg(image.bytes);
    case ImageType::Png:
        return decodePng(image.bytes, image.profile != nullptr);
    case ImageType::Webp:
        return decodeWebp(image.bytes);
    }
    throw RefusedImage(Refusal::UnknownType);
}

Raster inSrgb(Raster raster, const ColourProfile* profile) {
    if (profile != nullptr)
        return profile->toSrgb(std::move(raster));
    if (raster.form == PixelForm::Cmyk)
        return plainCmykToSrgb(raster);
    return raster;
}

} // namespace

FinishedImage processImage(std::string_view file) {
    if (file.size() > MAX_IMAGE_BYTES)
        throw RefusedImage(Refusal::TooLarge);
    FinishedImage finished{sanitized(file), {}};
    const auto& original = finished.original;
    finished.thumbnail = ThumbnailMaker::make(
        {inSrgb(decoded(original), original.profile.get()), original.width, original.height, original.orientation});
    return finished;
}

} // namespace supplierd::media
