#pragma once

#include "worker/Raster.h"

#include <memory>
#include <string>
#include <string_view>

namespace supplierd::media {

enum class PictureColours : std::uint8_t { Grey, Rgb, Cmyk };

/// An ICC profile that fits the picture that carries it, ready to convert its pixels to sRGB.
class ColourProfile {
public:
    /// Null for a profile that is broken or of another kind of picture: it is dropped, the picture stays good.
    static std::unique_ptr<const ColourProfile> open(std::string_view bytes, PictureColours colours);
    virtual ~ColourProfile() = default;
    ColourProfile(const ColourProfile&) = delete;
    ColourProfile& operator=(const ColourProfile&) = delete;

    /// Returns the picture in sRGB; alpha stays as it is.
    virtual Raster toSrgb(Raster raster) const = 0;

protected:
    ColourProfile() = default;
};

/// What to do with CMYK that says nothing about its inks.
Raster plainCmykToSrgb(const Raster& raster);

/// The colour profile in the body of a PNG's iCCP chunk (name, method, zlib stream). Empty when it is broken or
/// larger than any real one.
std::string inflatedProfile(std::string_view chunkBody);

/// The body of an iCCP chunk with a name that says nothing.
std::string deflatedProfile(std::string_view profile);

} // namespace supplierd::media
