#include "shared/ImageLimits.h"
#include "worker/PixelDecoders.h"
#include "worker/RefusedImage.h"
#include "worker/RowReducer.h"

#include <png.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace supplierd::media {
namespace {

constexpr png_fixed_point SRGB_SCREEN_GAMMA = 220'000;
constexpr png_alloc_size_t MAX_CHUNK_MEMORY = png_alloc_size_t{8} * 1024 * 1024;

// What may come from the last row on: its data, even in chunks of one byte, a checksum and an end. A bomb has hundreds
// of megabytes of compressed nothing there, which the library would inflate to its end.
constexpr std::size_t MAX_BYTES_AT_END = std::size_t{16} * 1024;
constexpr std::size_t MAX_BYTES_AT_END_PER_ROW_BYTE = 32;

/// One decoding. All state is in members, so that nothing with a destructor is jumped over.
class PngPixels {
public:
    PngPixels(std::string_view file, bool hasProfile) : _file(file), _hasProfile(hasProfile) {}
    ~PngPixels() { ::png_destroy_read_struct(&_png, &_info, nullptr); }
    PngPixels(const PngPixels&) = delete;
    PngPixels& operator=(const PngPixels&) = delete;

    Raster decode() {
        _png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
        _info = _png == nullptr ? nullptr : ::png_create_info_struct(_png);
        if (_info == nullptr)
            throw std::bad_alloc();
        if (!readHeader())
            throw RefusedImage(Refusal::Damaged);
        const auto form = ::png_get_channels(_png, _info) == 4 ? PixelForm::Rgba : PixelForm::Rgb;
        const std::uint32_t width = ::png_get_image_width(_png, _info);
        const std::uint32_t height = ::png_get_image_height(_png, _info);
        _reducer = std::make_unique<RowReducer>(width, height, form, reductionFor(width, height));
        _rowBytes = width * channelsOf(form);
        if (::png_get_rowbytes(_png, _info) != _rowBytes)
            throw RefusedImage(Refusal::Damaged);
        _interlaced = ::png_get_interlace_type(_png, _info) != PNG_INTERLACE_NONE;
        _pixels.resize(_rowBytes * (_interlaced ? height : 1));
        if (!(_interlaced ? readInterlaced(height) : readRows(height)) || _pixelsDoubtful)
            throw RefusedImage(Refusal::Damaged);
        return _reducer->take();
    }

private:
    [[noreturn]] static void onError(png_structp png, png_const_charp) { ::png_longjmp(png, 1); }

    /// Of what a sanitized file can still be warned of, only the compressed pixels matter: too much of them, or bytes
    /// behind them.
    static void onWarning(png_structp png, png_const_charp message) {
        if (std::string_view(message).starts_with("IDAT"))
            static_cast<PngPixels*>(::png_get_error_ptr(png))->_pixelsDoubtful = true;
    }

    static void onRead(png_structp png, png_bytep to, std::size_t size) {
        auto& pixels = *static_cast<PngPixels*>(::png_get_io_ptr(png));
        if (size > pixels._file.size() || size > pixels._allowance)
            ::png_error(png, "end of file");
        std::copy_n(pixels._file.begin(), size, to);
        pixels._file.remove_prefix(size);
        pixels._allowance -= size;
    }

    /// The library looks for the end of the compressed stream as soon as it has the last row, however far it is.
    void readLastRow(png_bytep to) {
        _allowance = MAX_BYTES_AT_END + MAX_BYTES_AT_END_PER_ROW_BYTE * _rowBytes;
        ::png_read_row(_png, to, nullptr);
        ::png_read_end(_png, nullptr);
    }

    bool readHeader() {
        if (setjmp(png_jmpbuf(_png)) != 0)
            return false;
        ::png_set_read_fn(_png, this, onRead);
        ::png_set_user_limits(_png, MAX_IMAGE_SIDE, MAX_IMAGE_SIDE);
        ::png_set_chunk_malloc_max(_png, MAX_CHUNK_MEMORY);
        ::png_read_info(_png, _info);
        toEightBitsOfRgb();
        ::png_read_update_info(_png, _info);
        return true;
    }

    void toEightBitsOfRgb() {
        correctGamma();
        ::png_set_expand(_png);
        ::png_set_scale_16(_png);
        ::png_set_gray_to_rgb(_png);
        ::png_set_interlace_handling(_png);
    }

    /// A profile or the sRGB chunk says more than gAMA does.
    void correctGamma() {
        png_fixed_point gamma = 0;
        const bool known = _hasProfile || ::png_get_valid(_png, _info, PNG_INFO_sRGB) != 0;
        if (!known && ::png_get_gAMA_fixed(_png, _info, &gamma) != 0 && gamma > 0)
            ::png_set_gamma_fixed(_png, SRGB_SCREEN_GAMMA, gamma);
    }

    bool readRows(std::uint32_t height) {
        if (setjmp(png_jmpbuf(_png)) != 0)
            return false;
        for (std::uint32_t row = 0; row + 1 < height; ++row) {
            ::png_read_row(_png, _pixels.data(), nullptr);
            _reducer->add(_pixels);
        }
        readLastRow(_pixels.data());
        _reducer->add(_pixels);
        return true;
    }

    bool readInterlaced(std::uint32_t height) {
        if (!readPasses(height))
            return false;
        for (std::uint32_t row = 0; row < height; ++row)
            _reducer->add(std::span(_pixels).subspan(row * _rowBytes, _rowBytes));
        return true;
    }

    bool readPasses(std::uint32_t height) {
        if (setjmp(png_jmpbuf(_png)) != 0)
            return false;
        constexpr int last = PNG_INTERLACE_ADAM7_PASSES - 1;
        for (int pass = 0; pass < last; ++pass)
            for (std::uint32_t row = 0; row < height; ++row)
                ::png_read_row(_png, rowAt(row), nullptr);
        for (std::uint32_t row = 0; row + 1 < height; ++row)
            ::png_read_row(_png, rowAt(row), nullptr);
        readLastRow(rowAt(height - 1));
        return true;
    }

    png_bytep rowAt(std::uint32_t row) { return _pixels.data() + row * _rowBytes; }

    std::string_view _file;
    bool _hasProfile;
    png_structp _png = nullptr;
    png_infop _info = nullptr;
    std::unique_ptr<RowReducer> _reducer;
    std::size_t _rowBytes = 0;
    std::size_t _allowance = std::numeric_limits<std::size_t>::max(); ///< bytes that the library may still read
    std::vector<std::uint8_t> _pixels; ///< the present row, or all of an interlaced picture
    bool _interlaced = false;
    bool _pixelsDoubtful = false;
};

} // namespace

Raster decodePng(std::string_view file, bool hasProfile) {
    return PngPixels(file, hasProfile).decode();
}

} // namespace supplierd::media
