#include "tests/plugins/media/ImageFixtures.h"

#include "worker/CheckedBytes.h"
#include "worker/PixelDecoders.h"
#include "worker/ThumbnailMaker.h"

#include <Magick++.h>

#include <algorithm>
#include <cstdlib>

namespace supplierd::tests {

using media::ImageType;
using media::Orientation;
using media::PixelForm;
using media::Raster;

namespace {

constexpr std::size_t PNG_HEADER_END = 33;
constexpr double HUGE_DIFFERENCE = 1000;

/// Where the pixel of a stored picture is shown.
struct Place {
    std::uint32_t x;
    std::uint32_t y;
};

Place shownAt(Orientation orientation, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
    const std::uint32_t right = width - 1 - x;
    const std::uint32_t below = height - 1 - y;
    switch (orientation) {
    case Orientation::Upright:
        return {x, y};
    case Orientation::Mirrored:
        return {right, y};
    case Orientation::UpsideDown:
        return {right, below};
    case Orientation::MirroredUpsideDown:
        return {x, below};
    case Orientation::MirroredLeft:
        return {y, x};
    case Orientation::Right:
        return {below, x};
    case Orientation::MirroredRight:
        return {below, right};
    case Orientation::Left:
        return {y, right};
    }
    return {x, y};
}

} // namespace

Raster gradient(std::uint32_t width, std::uint32_t height) {
    Raster raster{width, height, PixelForm::Rgb, {}};
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            raster.samples.push_back(static_cast<std::uint8_t>(x * 255 / width));
            raster.samples.push_back(static_cast<std::uint8_t>(y * 255 / height));
            raster.samples.push_back(static_cast<std::uint8_t>(x < width / 2 && y < height / 2 ? 255 : 40));
        }
    return raster;
}

Raster oneColour(std::uint32_t width, std::uint32_t height, std::uint8_t grey) {
    return {width, height, PixelForm::Rgb, std::vector<std::uint8_t>(std::size_t{3} * width * height, grey)};
}

Raster halfTransparent(std::uint32_t width, std::uint32_t height) {
    const auto opaque = gradient(width, height);
    Raster raster{width, height, PixelForm::Rgba, {}};
    for (std::size_t pixel = 0; pixel < std::size_t{width} * height; ++pixel) {
        for (std::size_t channel = 0; channel < 3; ++channel)
            raster.samples.push_back(opaque.samples[pixel * 3 + channel]);
        raster.samples.push_back(pixel % width < width / 2 ? 0 : 255);
    }
    return raster;
}

Raster storedFor(const Raster& upright, Orientation orientation) {
    const bool swapped = media::swapsSides(orientation);
    Raster stored{swapped ? upright.height : upright.width, swapped ? upright.width : upright.height, upright.form, {}};
    const std::size_t channels = media::channelsOf(upright.form);
    for (std::uint32_t y = 0; y < stored.height; ++y)
        for (std::uint32_t x = 0; x < stored.width; ++x) {
            const auto place = shownAt(orientation, x, y, stored.width, stored.height);
            const auto* const pixel = &upright.samples[(std::size_t{place.y} * upright.width + place.x) * channels];
            stored.samples.insert(stored.samples.end(), pixel, pixel + channels);
        }
    return stored;
}

std::string encoded(const Raster& raster, ImageType type) {
    static const media::ThumbnailMaker initialised;
    Magick::Image image(raster.width, raster.height, raster.form == PixelForm::Rgba ? "RGBA" : "RGB",
                        MagickLib::CharPixel, raster.samples.data());
    Magick::Blob blob;
    image.magick(type == ImageType::Jpeg ? "JPEG" : type == ImageType::Png ? "PNG" : "WEBP");
    image.quality(95);
    image.write(&blob);
    return {static_cast<const char*>(blob.data()), blob.length()};
}

Raster decoded(const std::string& file) {
    switch (media::imageTypeOf(file).value()) {
    case ImageType::Jpeg:
        return media::decodeJpeg(file);
    case ImageType::Png:
        return media::decodePng(file);
    case ImageType::Webp:
        return media::decodeWebp(file);
    }
    return {};
}

double difference(const Raster& one, const Raster& other) {
    if (one.width != other.width || one.height != other.height || one.form != other.form)
        return HUGE_DIFFERENCE;
    double sum = 0;
    for (std::size_t i = 0; i < one.samples.size(); ++i)
        sum += std::abs(one.samples[i] - other.samples[i]);
    return sum / static_cast<double>(one.samples.size());
}

std::string jpegSegment(unsigned marker, std::string_view body) {
    std::string segment = "\xFF";
    segment += static_cast<char>(marker);
    media::appendBig16(segment, static_cast<std::uint32_t>(body.size() + 2));
    return segment.append(body);
}

std::string withJpegSegment(const std::string& jpeg, unsigned marker, std::string_view body) {
    return jpeg.substr(0, 2) + jpegSegment(marker, body) + jpeg.substr(2);
}

std::string withPngChunk(const std::string& png, std::string_view type, std::string_view body) {
    return png.substr(0, PNG_HEADER_END) + pngChunk(type, body) + png.substr(PNG_HEADER_END);
}

std::string withWebpChunk(const std::string& webp, std::string_view type, std::string_view body, unsigned flag) {
    const auto size = decoded(webp);
    const bool transparent = size.form == PixelForm::Rgba;
    std::string chunks = "WEBPVP8X";
    media::appendLittle32(chunks, 10);
    media::appendLittle32(chunks, flag | (transparent ? 0x10U : 0U));
    for (const auto side : {size.width - 1, size.height - 1})
        for (const unsigned shift : {0U, 8U, 16U})
            chunks += static_cast<char>(side >> shift & 0xFFU);
    chunks += webp.substr(12);
    chunks.append(type);
    media::appendLittle32(chunks, static_cast<std::uint32_t>(body.size()));
    chunks.append(body).append(body.size() % 2, '\0');
    std::string file = "RIFF";
    media::appendLittle32(file, static_cast<std::uint32_t>(chunks.size()));
    return file + chunks;
}

std::string exifWithCanary(Orientation orientation) {
    std::string block(std::string_view("II*\0\x08\0\0\0\x02\0", 10));
    block += std::string_view("\x12\x01\x03\0\x01\0\0\0", 8);
    media::appendLittle32(block, static_cast<std::uint32_t>(orientation));
    block += std::string_view("\x3B\x01\x02\0", 4); // Artist
    media::appendLittle32(block, static_cast<std::uint32_t>(CANARY.size()));
    media::appendLittle32(block, 38);
    media::appendLittle32(block, 0);
    return block.append(CANARY);
}

std::string paddedJpeg(const std::string& jpeg, std::size_t size) {
    constexpr std::size_t segmentHead = 4;
    constexpr std::size_t longest = 65'000;
    std::string padded = jpeg;
    while (padded.size() < size) {
        const std::size_t left = size - padded.size();
        const std::size_t segment = left <= longest ? left : std::min(longest, left - segmentHead);
        padded = withJpegSegment(padded, 0xFE, std::string(segment - segmentHead, 'x'));
    }
    return padded;
}

} // namespace supplierd::tests
