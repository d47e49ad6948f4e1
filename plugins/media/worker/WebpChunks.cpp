#include "worker/CheckedBytes.h"
#include "worker/SanitizedImage.h"

#include <webp/decode.h>

namespace supplierd::media {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::size_t RIFF_HEADER = 12;
constexpr std::size_t CHUNK_HEADER = 8;
constexpr std::size_t EXTENDED_BODY = 10;
constexpr auto EXIF_PREFIX = "Exif\0\0"sv;

// Flags of the VP8X chunk.
constexpr std::uint32_t ANIMATION = 0x02;
constexpr std::uint32_t EXIF = 0x08;
constexpr std::uint32_t ALPHA = 0x10;
constexpr std::uint32_t PROFILE = 0x20;

void append(std::string& out, std::string_view type, std::string_view body) {
    out += type;
    appendLittle32(out, static_cast<std::uint32_t>(body.size()));
    out += body;
    if (body.size() % 2 != 0)
        out += '\0';
}

class WebpChunks {
public:
    explicit WebpChunks(std::string_view file) : _bytes(file) {}

    SanitizedImage sanitize() {
        const std::size_t end = CHUNK_HEADER + std::size_t{_bytes.little32(4)};
        for (std::size_t at = RIFF_HEADER; at + CHUNK_HEADER <= end;)
            at += readChunk(at, end);
        if (end > _bytes.size() || _picture.empty())
            throw RefusedImage(Refusal::Truncated);
        _image.type = ImageType::Webp;
        write();
        readDimensions();
        return std::move(_image);
    }

private:
    std::size_t readChunk(std::size_t at, std::size_t end) {
        const auto type = _bytes.slice(at, 4);
        const std::size_t length = _bytes.little32(at + 4);
        if (length > end - at - CHUNK_HEADER)
            throw RefusedImage(Refusal::Damaged);
        take(type, _bytes.slice(at + CHUNK_HEADER, length));
        return CHUNK_HEADER + length + length % 2;
    }

    void take(std::string_view type, std::string_view body) {
        if (type == "VP8X"sv)
            takeExtended(body);
        else if (type == "ANIM"sv || type == "ANMF"sv)
            throw RefusedImage(Refusal::Animated);
        else if (type == "VP8 "sv || type == "VP8L"sv)
            takePicture(type, body);
        else if (type == "ALPH"sv && _picture.empty())
            _alpha = body;
        else if (type == "ICCP"sv && _profile.empty())
            _profile = body;
        else if (type == "EXIF"sv && _image.orientation == Orientation::Upright)
            _image.orientation =
                readOrientation(body.starts_with(EXIF_PREFIX) ? body.substr(EXIF_PREFIX.size()) : body);
    }

    void takeExtended(std::string_view body) {
        if (body.size() < EXTENDED_BODY || !_extended.empty() || !_picture.empty())
            throw RefusedImage(Refusal::Damaged);
        if ((CheckedBytes(body).byte(0) & ANIMATION) != 0)
            throw RefusedImage(Refusal::Animated);
        _extended = body.substr(0, EXTENDED_BODY);
    }

    void takePicture(std::string_view type, std::string_view body) {
        if (!_picture.empty() || body.empty())
            throw RefusedImage(Refusal::Damaged);
        _pictureType = type;
        _picture = body;
    }

    void write() {
        _image.bytes = "RIFF\0\0\0\0WEBP"s;
        if (!_extended.empty())
            writeExtended();
        append(_image.bytes, _pictureType, _picture);
        if (!_extended.empty() && _image.orientation != Orientation::Upright)
            append(_image.bytes, "EXIF", orientationBlock(_image.orientation));
        std::string size;
        appendLittle32(size, static_cast<std::uint32_t>(_image.bytes.size() - CHUNK_HEADER));
        _image.bytes.replace(4, size.size(), size);
    }

    void writeExtended() {
        _image.profile = ColourProfile::open(_profile, PictureColours::Rgb);
        std::uint32_t flags = CheckedBytes(_extended).byte(0) & ALPHA;
        flags |= _image.profile ? PROFILE : 0;
        flags |= _image.orientation != Orientation::Upright ? EXIF : 0;
        std::string body;
        appendLittle32(body, flags);
        body += _extended.substr(4);
        append(_image.bytes, "VP8X", body);
        if (_image.profile)
            append(_image.bytes, "ICCP", _profile);
        if (!_alpha.empty())
            append(_image.bytes, "ALPH", _alpha);
    }

    void readDimensions() {
        WebPBitstreamFeatures features{};
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(_image.bytes.data());
        const auto status = ::WebPGetFeatures(bytes, _image.bytes.size(), &features);
        if (status != VP8_STATUS_OK)
            throw RefusedImage(status == VP8_STATUS_NOT_ENOUGH_DATA ? Refusal::Truncated : Refusal::Damaged);
        if (features.has_animation != 0)
            throw RefusedImage(Refusal::Animated);
        _image.width = static_cast<std::uint32_t>(features.width);
        _image.height = static_cast<std::uint32_t>(features.height);
        requireAcceptableDimensions(_image);
    }

    CheckedBytes _bytes;
    SanitizedImage _image;
    std::string_view _extended;
    std::string_view _alpha;
    std::string_view _profile;
    std::string_view _pictureType;
    std::string_view _picture;
};

} // namespace

SanitizedImage sanitizeWebp(std::string_view file) {
    return WebpChunks(file).sanitize();
}

} // namespace supplierd::media
