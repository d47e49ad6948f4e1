#include "worker/Orientation.h"

#include "worker/CheckedBytes.h"

namespace supplierd::media {
namespace {

constexpr std::uint32_t TIFF_VERSION = 42;
constexpr std::uint32_t ORIENTATION_TAG = 0x0112;
constexpr std::uint32_t SHORT_TYPE = 3;
constexpr std::size_t ENTRY_BYTES = 12;
constexpr std::uint32_t FIRST_DIRECTORY = 8;
constexpr std::uint32_t MIN_VALUE = 1;
constexpr std::uint32_t MAX_VALUE = 8;

/// The numbers of a TIFF block, in the byte order that it declares.
class TiffNumbers {
public:
    explicit TiffNumbers(std::string_view tiff) : _bytes(tiff), _big(tiff.starts_with("MM")) {}

    std::uint32_t number16(std::size_t at) const { return _big ? _bytes.big16(at) : _bytes.little16(at); }
    std::uint32_t number32(std::size_t at) const { return _big ? _bytes.big32(at) : _bytes.little32(at); }

private:
    CheckedBytes _bytes;
    bool _big;
};

Orientation findOrientation(const TiffNumbers& tiff) {
    if (tiff.number16(2) != TIFF_VERSION)
        return Orientation::Upright;
    const std::size_t directory = tiff.number32(4);
    const std::uint32_t entries = tiff.number16(directory);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::size_t entry = directory + 2 + i * ENTRY_BYTES;
        if (tiff.number16(entry) != ORIENTATION_TAG)
            continue;
        const std::uint32_t value = tiff.number16(entry + 8);
        const bool valid = tiff.number16(entry + 2) == SHORT_TYPE && tiff.number32(entry + 4) == 1 &&
                           value >= MIN_VALUE && value <= MAX_VALUE;
        return valid ? static_cast<Orientation>(value) : Orientation::Upright;
    }
    return Orientation::Upright;
}

} // namespace

Orientation readOrientation(std::string_view tiff) noexcept {
    if (!tiff.starts_with("MM") && !tiff.starts_with("II"))
        return Orientation::Upright;
    try {
        return findOrientation(TiffNumbers(tiff));
    } catch (const RefusedImage&) { // cut short: metadata alone, the picture does not suffer
        return Orientation::Upright;
    }
}

std::string orientationBlock(Orientation orientation) {
    std::string block = "MM";
    appendBig16(block, TIFF_VERSION);
    appendBig32(block, FIRST_DIRECTORY);
    appendBig16(block, 1); // entries
    appendBig16(block, ORIENTATION_TAG);
    appendBig16(block, SHORT_TYPE);
    appendBig32(block, 1);
    appendBig16(block, static_cast<std::uint32_t>(orientation));
    appendBig16(block, 0);
    appendBig32(block, 0); // no further directory
    return block;
}

} // namespace supplierd::media
