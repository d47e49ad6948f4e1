#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::media {

/// How a stored picture has to be turned to stand upright, with the numbers of EXIF.
enum class Orientation : std::uint8_t {
    Upright = 1,
    Mirrored,
    UpsideDown,
    MirroredUpsideDown,
    MirroredLeft,
    Right,
    MirroredRight,
    Left
};

/// Whether width and height change places.
constexpr bool swapsSides(Orientation orientation) {
    return orientation >= Orientation::MirroredLeft;
}

/// Reads the tag out of an EXIF block (the TIFF structure, without "Exif\0\0"). Upright for whatever is odd: broken
/// metadata makes no picture bad. Throws nothing.
Orientation readOrientation(std::string_view tiff) noexcept;

/// An EXIF block that says the orientation and nothing else.
std::string orientationBlock(Orientation orientation);

} // namespace supplierd::media
