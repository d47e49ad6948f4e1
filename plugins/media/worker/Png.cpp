#include "shared/ImageLimits.h"
#include "shared/Refusal.h"
#include "worker/CheckedBytes.h"
#include "worker/ColourProfile.h"
#include "worker/Raster.h"
#include "worker/SanitizedImage.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

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

void appendPngChunk(std::string& out, std::string_view type, std::string_view body) {
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
            appendPngChunk(chunk, "eXIf", orientationBlock(_image.orientation));
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
            appendPngChunk(_image.bytes, "iCCP", deflatedProfile(profile));
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

namespace {

/// Shrinks a picture by a whole number while its rows come in: each pixel is the mean of a square, transparent pixels
/// counting by their alpha. Holds one row of sums, never the picture.
class RowReducer {
public:
    RowReducer(std::uint32_t width, std::uint32_t height, PixelForm form, std::uint32_t factor)
        : _width(width), _factor(factor) {
        _reduced.width = (width + factor - 1) / factor;
        _reduced.height = (height + factor - 1) / factor;
        _reduced.form = form;
        const std::size_t rowSamples = _reduced.width * channelsOf(form);
        _reduced.samples.reserve(rowSamples * _reduced.height);
        if (factor > 1)
            _sums.assign(rowSamples, 0);
    }

    /// `row` has the width given. Call it once per row, top to bottom.
    void add(std::span<const std::uint8_t> row) {
        if (_factor == 1) {
            _reduced.samples.insert(_reduced.samples.end(), row.begin(), row.end());
            return;
        }
        if (_reduced.form == PixelForm::Rgba)
            addTransparent(row.data());
        else
            addOpaque(row.data());
        if (++_rowsHeld == _factor)
            flush();
    }

    /// After the last row.
    Raster take() {
        if (_rowsHeld > 0)
            flush();
        return std::move(_reduced);
    }

private:
    void addOpaque(const std::uint8_t* row) {
        const std::size_t channels = channelsOf(_reduced.form);
        for (std::uint32_t column = 0, left = _width; column < _reduced.width; ++column) {
            const std::uint32_t pixels = std::min(_factor, left);
            left -= pixels;
            std::uint32_t* const sums = &_sums[column * channels];
            std::uint32_t red = 0;
            std::uint32_t green = 0;
            std::uint32_t blue = 0;
            for (std::uint32_t i = 0; i < pixels; ++i, row += channels) {
                red += row[0];
                green += row[1];
                blue += row[2];
            }
            sums[0] += red;
            sums[1] += green;
            sums[2] += blue;
        }
    }

    void addTransparent(const std::uint8_t* row) {
        for (std::uint32_t column = 0, left = _width; column < _reduced.width; ++column) {
            const std::uint32_t pixels = std::min(_factor, left);
            left -= pixels;
            std::uint32_t* const sums = &_sums[column * std::size_t{4}];
            for (std::uint32_t i = 0; i < pixels; ++i, row += 4) {
                const std::uint32_t alpha = row[3];
                sums[0] += row[0] * alpha;
                sums[1] += row[1] * alpha;
                sums[2] += row[2] * alpha;
                sums[3] += alpha;
            }
        }
    }

    void flush() {
        for (std::uint32_t column = 0; column < _reduced.width; ++column)
            flushPixel(column);
        std::fill(_sums.begin(), _sums.end(), 0);
        _rowsHeld = 0;
    }

    void flushPixel(std::uint32_t column) {
        const std::size_t channels = channelsOf(_reduced.form);
        const std::uint32_t* const sums = &_sums[column * channels];
        const std::uint32_t pixels = std::min(_factor, _width - column * _factor) * _rowsHeld;
        const bool transparent = _reduced.form == PixelForm::Rgba;
        const std::uint32_t weight = transparent ? sums[3] : pixels;
        for (std::size_t channel = 0; channel < 3; ++channel)
            _reduced.samples.push_back(weight == 0 ? std::uint8_t{0}
                                                   : static_cast<std::uint8_t>((sums[channel] + weight / 2) / weight));
        if (transparent)
            _reduced.samples.push_back(static_cast<std::uint8_t>((sums[3] + pixels / 2) / pixels));
    }

    Raster _reduced;
    std::uint32_t _width;
    std::uint32_t _factor;
    std::uint32_t _rowsHeld = 0;
    std::vector<std::uint32_t> _sums;
};

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
