#include "worker/CheckedBytes.h"
#include "worker/DeflatedProfile.h"
#include "worker/SanitizedImage.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace supplierd::media {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t SIGNATURE_BYTES = 8;
constexpr std::size_t FRAME_BYTES = 12; // length, type, checksum
constexpr std::size_t HEADER_BODY = 13;
constexpr std::uint32_t MAX_CHUNK = 0x7FFF'FFFF;
constexpr std::uint32_t COLOUR_BIT = 2;

/// What changes how the pixels look; text, times, EXIF and everything private stays behind.
constexpr std::array KEPT{"IHDR"sv, "PLTE"sv, "IDAT"sv, "IEND"sv, "tRNS"sv, "gAMA"sv,
                          "cHRM"sv, "sRGB"sv, "sBIT"sv, "bKGD"sv, "pHYs"sv, "cICP"sv};
/// What no picture can be shown without.
constexpr std::array ESSENTIAL{"IHDR"sv, "PLTE"sv, "IDAT"sv, "IEND"sv, "tRNS"sv};
constexpr std::array ANIMATED{"acTL"sv, "fcTL"sv, "fdAT"sv};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& types, std::string_view type) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

std::uint32_t checksum(std::string_view typeAndBody) {
    return static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(typeAndBody.data()), typeAndBody.size()));
}

void append(std::string& out, std::string_view type, std::string_view body) {
    appendBig32(out, static_cast<std::uint32_t>(body.size()));
    const std::size_t begin = out.size();
    out += type;
    out += body;
    appendBig32(out, checksum(std::string_view(out).substr(begin)));
}

class PngChunks {
public:
    explicit PngChunks(std::string_view file) : _file(file), _bytes(file) { _image.bytes.reserve(file.size()); }

    SanitizedImage sanitize() {
        _image.type = ImageType::Png;
        _image.bytes = _file.substr(0, SIGNATURE_BYTES);
        std::size_t at = SIGNATURE_BYTES;
        while (!_ended)
            at += readChunk(at);
        if (!_pixelsSeen)
            throw RefusedImage(Refusal::Truncated);
        if (_image.orientation != Orientation::Upright) {
            std::string chunk;
            append(chunk, "eXIf", orientationBlock(_image.orientation));
            _image.bytes.insert(SIGNATURE_BYTES + FRAME_BYTES + HEADER_BODY, chunk);
        }
        return std::move(_image);
    }

private:
    std::size_t readChunk(std::size_t at) {
        const std::uint32_t length = _bytes.big32(at);
        const auto type = _bytes.slice(at + 4, 4);
        requireType(type);
        if (length > MAX_CHUNK)
            throw RefusedImage(Refusal::Damaged);
        const auto whole = _bytes.slice(at, FRAME_BYTES + length);
        const auto body = whole.substr(8, length);
        const bool sound = checksum(whole.substr(4, 4 + length)) == _bytes.big32(at + 8 + length);
        if (!sound && (contains(ESSENTIAL, type) || isCritical(type)))
            throw RefusedImage(Refusal::Damaged);
        if (sound)
            take(type, body, whole);
        _pixelsEnded = _pixelsSeen && type != "IDAT"sv;
        return whole.size();
    }

    static bool isCritical(std::string_view type) { return std::isupper(static_cast<unsigned char>(type[0])) != 0; }

    static void requireType(std::string_view type) {
        const bool letters =
            std::all_of(type.begin(), type.end(), [](unsigned char c) { return c < 0x80 && std::isalpha(c) != 0; });
        if (!letters)
            throw RefusedImage(Refusal::Damaged);
    }

    void take(std::string_view type, std::string_view body, std::string_view whole) {
        const bool header = type == "IHDR"sv;
        if (header == _headerSeen) // first, and only once
            throw RefusedImage(Refusal::Damaged);
        if (contains(ANIMATED, type))
            throw RefusedImage(Refusal::Animated);
        if (header)
            readHeader(body);
        else if (type == "IDAT"sv)
            requireOneRunOfPixels();
        else if (type == "IEND"sv)
            _ended = true;
        else if (type == "eXIf"sv && _image.orientation == Orientation::Upright)
            _image.orientation = readOrientation(body);
        else if (type == "iCCP"sv)
            takeProfile(body);
        if (contains(KEPT, type))
            _image.bytes += whole;
        else if (isCritical(type))
            throw RefusedImage(Refusal::Damaged);
    }

    void readHeader(std::string_view body) {
        if (body.size() != HEADER_BODY)
            throw RefusedImage(Refusal::Damaged);
        const CheckedBytes header(body);
        _headerSeen = true;
        _image.width = header.big32(0);
        _image.height = header.big32(4);
        _colours = (header.byte(9) & COLOUR_BIT) != 0 ? PictureColours::Rgb : PictureColours::Grey;
        requireAcceptableDimensions(_image);
    }

    void requireOneRunOfPixels() {
        if (_pixelsEnded)
            throw RefusedImage(Refusal::Damaged);
        _pixelsSeen = true;
    }

    /// Written anew: the name of a profile is free text.
    void takeProfile(std::string_view body) {
        if (_image.profile || _pixelsSeen)
            return;
        const auto profile = inflatedProfile(body);
        _image.profile = ColourProfile::open(profile, _colours);
        if (_image.profile)
            append(_image.bytes, "iCCP", deflatedProfile(profile));
    }

    std::string_view _file;
    CheckedBytes _bytes;
    SanitizedImage _image;
    PictureColours _colours = PictureColours::Rgb;
    bool _headerSeen = false;
    bool _pixelsSeen = false;
    bool _pixelsEnded = false;
    bool _ended = false;
};

} // namespace

SanitizedImage sanitizePng(std::string_view file) {
    return PngChunks(file).sanitize();
}

} // namespace supplierd::media
