#include "worker/PixelDecoders.h"
#include "worker/RefusedImage.h"

#include <webp/decode.h>

#include <algorithm>
#include <new>

namespace supplierd::media {
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
