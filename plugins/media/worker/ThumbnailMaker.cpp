#include "worker/ThumbnailMaker.h"

#include "shared/ImageLimits.h"

#include <Magick++.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace supplierd::media {
namespace {

constexpr unsigned QUALITY = 82;
constexpr MagickLib::magick_int64_t MEMORY_BYTES = MagickLib::magick_int64_t{128} * 1024 * 1024;

struct Limit {
    MagickLib::ResourceType resource;
    MagickLib::magick_int64_t value;
};

constexpr std::array LIMITS{
    Limit{MagickLib::ThreadsResource, 1},
    Limit{MagickLib::MemoryResource, MEMORY_BYTES},
    Limit{MagickLib::MapResource, 0},
    Limit{MagickLib::DiskResource, 0},
    Limit{MagickLib::WidthResource, MAX_IMAGE_SIDE},
    Limit{MagickLib::HeightResource, MAX_IMAGE_SIDE},
    Limit{MagickLib::PixelsResource, MAX_IMAGE_PIXELS},
};

void initialise() {
    MagickLib::ExceptionInfo problem;
    MagickLib::GetExceptionInfo(&problem);
    const unsigned started = MagickLib::InitializeMagickEx(nullptr, MAGICK_OPT_NO_SIGNAL_HANDER, &problem);
    MagickLib::DestroyExceptionInfo(&problem);
    if (started != MagickPass)
        throw std::runtime_error("GraphicsMagick does not start");
    for (const auto& limit : LIMITS)
        if (MagickLib::SetMagickResourceLimit(limit.resource, limit.value) != MagickPass)
            throw std::runtime_error("GraphicsMagick does not accept its limits");
}

bool isOpaque(const Raster& raster) {
    if (raster.form != PixelForm::Rgba)
        return true;
    for (std::size_t at = 3; at < raster.samples.size(); at += 4)
        if (raster.samples[at] != 255)
            return false;
    return true;
}

void dropAlpha(Raster& raster) {
    std::vector<std::uint8_t> opaque;
    opaque.reserve(raster.samples.size() / 4 * 3);
    for (std::size_t at = 0; at + 3 < raster.samples.size(); at += 4)
        opaque.insert(opaque.end(), {raster.samples[at], raster.samples[at + 1], raster.samples[at + 2]});
    raster.samples = std::move(opaque);
    raster.form = PixelForm::Rgb;
}

/// The side of a thumbnail that fits the square, is never enlarged and never vanishes.
std::uint32_t fitted(std::uint32_t side, std::uint32_t longer) {
    if (longer <= THUMBNAIL_SIDE)
        return side;
    const double exact = static_cast<double>(side) * THUMBNAIL_SIDE / longer;
    return std::max(std::uint32_t{1}, static_cast<std::uint32_t>(std::lround(exact)));
}

std::string encoded(Magick::Image& image, ImageType type) {
    Magick::Blob blob;
    image.magick(type == ImageType::Webp ? "WEBP" : "JPEG");
    image.quality(QUALITY);
    image.write(&blob);
    return {static_cast<const char*>(blob.data()), blob.length()};
}

} // namespace

ThumbnailMaker::ThumbnailMaker() {
    initialise();
    for (const auto form : {PixelForm::Rgb, PixelForm::Rgba}) {
        constexpr std::uint32_t side = 2 * THUMBNAIL_SIDE;
        const std::vector<std::uint8_t> samples(side * side * channelsOf(form), 0x7F);
        make({{side, side, form, samples}, side, side, Orientation::Left});
    }
}

Thumbnail ThumbnailMaker::make(ThumbnailSource source) {
    auto& pixels = source.pixels;
    const bool opaque = isOpaque(pixels);
    if (opaque && pixels.form == PixelForm::Rgba)
        dropAlpha(pixels);
    Magick::Image image(pixels.width, pixels.height, opaque ? "RGB" : "RGBA", MagickLib::CharPixel,
                        pixels.samples.data());
    const std::uint32_t longer = std::max(source.width, source.height);
    Magick::Geometry size(fitted(source.width, longer), fitted(source.height, longer));
    size.aspect(true); // exactly this: the proportions are already in it
    if (image.size() != size) {
        image.filterType(MagickLib::LanczosFilter);
        image.zoom(size);
    }
    image.orientation(static_cast<Magick::OrientationType>(source.orientation));
    image.autoOrient();
    Thumbnail thumbnail;
    thumbnail.type = opaque ? ImageType::Jpeg : ImageType::Webp;
    thumbnail.width = static_cast<std::uint32_t>(image.columns());
    thumbnail.height = static_cast<std::uint32_t>(image.rows());
    thumbnail.bytes = encoded(image, thumbnail.type);
    return thumbnail;
}

} // namespace supplierd::media
