#include "shared/Refusal.h"
#include "worker/CheckedBytes.h"
#include "worker/Raster.h"
#include "worker/SanitizedImage.h"

#include <webp/decode.h>

#include <algorithm>
#include <new>

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

void appendWebpChunk(std::string& out, std::string_view type, std::string_view body) {
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
        appendWebpChunk(_image.bytes, _pictureType, _picture);
        if (!_extended.empty() && _image.orientation != Orientation::Upright)
            appendWebpChunk(_image.bytes, "EXIF", orientationBlock(_image.orientation));
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
        appendWebpChunk(_image.bytes, "VP8X", body);
        if (_image.profile)
            appendWebpChunk(_image.bytes, "ICCP", _profile);
        if (!_alpha.empty())
            appendWebpChunk(_image.bytes, "ALPH", _alpha);
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

namespace {

/// One decoding; frees what the library allocates.
class WebpPixels {
public:
    WebpPixels() {
        if (::WebPInitDecoderConfig(&_config) == 0)
            throw std::bad_alloc();
    }
    ~WebpPixels() { ::WebPFreeDecBuffer(&_config.output); }
    WebpPixels(const WebpPixels&) = delete;
    WebpPixels& operator=(const WebpPixels&) = delete;

    Raster decode(std::string_view file) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(file.data());
        require(::WebPGetFeatures(bytes, file.size(), &_config.input));
        const bool transparent = _config.input.has_alpha != 0;
        const auto width = static_cast<std::uint32_t>(_config.input.width);
        const auto height = static_cast<std::uint32_t>(_config.input.height);
        reduce(width, height);
        _config.output.colorspace = transparent ? MODE_RGBA : MODE_RGB;
        require(::WebPDecode(bytes, file.size(), &_config));
        return copy(transparent ? PixelForm::Rgba : PixelForm::Rgb);
    }

private:
    static void require(VP8StatusCode status) {
        switch (status) {
        case VP8_STATUS_OK:
            return;
        case VP8_STATUS_OUT_OF_MEMORY:
            throw std::bad_alloc();
        case VP8_STATUS_NOT_ENOUGH_DATA:
        case VP8_STATUS_SUSPENDED:
            throw RefusedImage(Refusal::Truncated);
        default:
            throw RefusedImage(Refusal::Damaged);
        }
    }

    void reduce(std::uint32_t width, std::uint32_t height) {
        const std::uint32_t reduction = reductionFor(width, height);
        if (reduction == 1)
            return;
        _config.options.use_scaling = 1;
        _config.options.scaled_width = static_cast<int>((width + reduction - 1) / reduction);
        _config.options.scaled_height = static_cast<int>((height + reduction - 1) / reduction);
        _config.options.no_fancy_upsampling = 1;
    }

    Raster copy(PixelForm form) const {
        const auto& decoded = _config.output;
        Raster raster{static_cast<std::uint32_t>(decoded.width), static_cast<std::uint32_t>(decoded.height), form, {}};
        const std::size_t rowBytes = raster.width * channelsOf(form);
        raster.samples.resize(rowBytes * raster.height);
        for (std::uint32_t row = 0; row < raster.height; ++row)
            std::copy_n(decoded.u.RGBA.rgba + static_cast<std::ptrdiff_t>(row) * decoded.u.RGBA.stride, rowBytes,
                        raster.samples.begin() + static_cast<std::ptrdiff_t>(row * rowBytes));
        return raster;
    }

    WebPDecoderConfig _config{};
};

} // namespace

Raster decodeWebp(std::string_view file) {
    return WebpPixels().decode(file);
}

} // namespace supplierd::media
