#pragma once

#include "shared/ImageType.h"
#include "worker/Orientation.h"
#include "worker/Raster.h"

#include <string>
#include <string_view>

namespace supplierd::tests {

/// Colours that tell every corner from the others.
media::Raster gradient(std::uint32_t width, std::uint32_t height);
media::Raster oneColour(std::uint32_t width, std::uint32_t height, std::uint8_t grey);
/// The gradient, with the left half transparent.
media::Raster halfTransparent(std::uint32_t width, std::uint32_t height);
/// What has to be stored for a viewer that obeys `orientation` to show `upright`.
media::Raster storedFor(const media::Raster& upright, media::Orientation orientation);

/// Encoded by GraphicsMagick, with nothing but the pixels, or with what it adds to PNG.
std::string encoded(const media::Raster& raster, media::ImageType type);
media::Raster decoded(const std::string& file);
/// Mean difference of all channels; huge when the sizes differ.
double difference(const media::Raster& one, const media::Raster& other);

/// Metadata put into a file of ours.
std::string jpegSegment(unsigned marker, std::string_view body);
std::string withJpegSegment(const std::string& jpeg, unsigned marker, std::string_view body);
std::string withPngChunk(const std::string& png, std::string_view type, std::string_view body);
std::string pngChunk(std::string_view type, std::string_view body);
/// A simple WebP made an extended one with this chunk.
std::string withWebpChunk(const std::string& webp, std::string_view type, std::string_view body, unsigned flag);
/// An EXIF block with the orientation and a canary where a camera writes its owner.
std::string exifWithCanary(media::Orientation orientation);
constexpr std::string_view CANARY = "CANARY-OF-THE-OWNER";

/// One 1-bit PNG, all black, without a library.
std::string blackPng(std::uint32_t width, std::uint32_t height);
/// Rows already filtered, as they are to be compressed.
std::string pngOf(std::uint32_t width, std::uint32_t height, std::string_view rows);

/// A JPEG padded with comments to exactly this size.
std::string paddedJpeg(const std::string& jpeg, std::size_t size);

} // namespace supplierd::tests
