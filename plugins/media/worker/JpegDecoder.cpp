#include "worker/PixelDecoders.h"
#include "worker/RefusedImage.h"

#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>

namespace supplierd::media {
namespace {

/// What the library hands to its error functions: it sees the first member alone.
struct ErrorState {
    jpeg_error_mgr library;
    std::jmp_buf escape;
};

[[noreturn]] void giveUp(j_common_ptr picture) {
    std::longjmp(reinterpret_cast<ErrorState*>(picture->err)->escape, 1);
}

/// A warning of the library means that it invents pixels and goes on; these two speak of metadata alone.
bool isHarmless(int warning) {
    return warning == JWRN_ADOBE_XFORM || warning == JWRN_JFIF_MAJOR;
}

void onMessage(j_common_ptr picture, int level) {
    if (level < 0 && !isHarmless(picture->err->msg_code))
        giveUp(picture);
}

void printNothing(j_common_ptr) {}

/// One decoding. All state is in members, so that nothing with a destructor is jumped over.
class JpegPixels {
public:
    explicit JpegPixels(std::string_view file) : _file(file) {
        _picture.err = ::jpeg_std_error(&_errors.library);
        _errors.library.error_exit = giveUp;
        _errors.library.emit_message = onMessage;
        _errors.library.output_message = printNothing;
    }
    ~JpegPixels() { ::jpeg_destroy_decompress(&_picture); }
    JpegPixels(const JpegPixels&) = delete;
    JpegPixels& operator=(const JpegPixels&) = delete;

    Raster decode() {
        if (!begin())
            throw RefusedImage(Refusal::Damaged);
        _raster.width = _picture.output_width;
        _raster.height = _picture.output_height;
        _raster.form = _picture.out_color_space == JCS_CMYK ? PixelForm::Cmyk : PixelForm::Rgb;
        _raster.samples.resize(std::size_t{_raster.width} * _raster.height * channelsOf(_raster.form));
        if (!readRows())
            throw RefusedImage(Refusal::Damaged);
        if (_raster.form == PixelForm::Cmyk && _picture.saw_Adobe_marker != FALSE)
            invertInks();
        return std::move(_raster);
    }

private:
    bool begin() {
        if (setjmp(_errors.escape) != 0)
            return false;
        ::jpeg_create_decompress(&_picture);
        ::jpeg_mem_src(&_picture, reinterpret_cast<const unsigned char*>(_file.data()), _file.size());
        ::jpeg_read_header(&_picture, TRUE);
        _picture.out_color_space = _picture.num_components == 4 ? JCS_CMYK : JCS_RGB;
        _picture.scale_num = 1;
        _picture.scale_denom = scale();
        // The library's scaling leaves out what a smaller picture does not show, but reads every coefficient.
        ::jpeg_start_decompress(&_picture);
        return true;
    }

    /// The library is fast for powers of two.
    unsigned scale() const {
        const std::uint32_t reduction = reductionFor(_picture.image_width, _picture.image_height);
        return reduction >= 8 ? 8 : reduction >= 4 ? 4 : reduction >= 2 ? 2 : 1;
    }

    bool readRows() {
        if (setjmp(_errors.escape) != 0)
            return false;
        while (_picture.output_scanline < _picture.output_height) {
            JSAMPROW row = _raster.samples.data() +
                           std::size_t{_picture.output_scanline} * _raster.width * channelsOf(_raster.form);
            ::jpeg_read_scanlines(&_picture, &row, 1);
        }
        ::jpeg_finish_decompress(&_picture);
        return true;
    }

    /// Adobe's programs store CMYK the other way round, and say who they are.
    void invertInks() {
        for (auto& ink : _raster.samples)
            ink = static_cast<std::uint8_t>(255 - ink);
    }

    std::string_view _file;
    jpeg_decompress_struct _picture{};
    ErrorState _errors{};
    Raster _raster;
};

} // namespace

Raster decodeJpeg(std::string_view file) {
    return JpegPixels(file).decode();
}

} // namespace supplierd::media
