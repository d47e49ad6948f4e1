#include "shared/Refusal.h"
#include "worker/CheckedBytes.h"
#include "worker/Raster.h"
#include "worker/SanitizedImage.h"

#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

namespace supplierd::media {

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr char MARKER = '\xFF';
constexpr std::uint32_t SOF0 = 0xC0;
constexpr std::uint32_t SOF2 = 0xC2;
constexpr std::uint32_t DHT = 0xC4;
constexpr std::uint32_t DAC = 0xCC;
constexpr std::uint32_t SOF15 = 0xCF;
constexpr std::uint32_t RST0 = 0xD0;
constexpr std::uint32_t RST7 = 0xD7;
constexpr std::uint32_t SOI = 0xD8;
constexpr std::uint32_t EOI = 0xD9;
constexpr std::uint32_t SOS = 0xDA;
constexpr std::uint32_t DQT = 0xDB;
constexpr std::uint32_t DRI = 0xDD;
constexpr std::uint32_t DHP = 0xDE;
constexpr std::uint32_t EXP = 0xDF;
constexpr std::uint32_t APP0 = 0xE0;
constexpr std::uint32_t APP1 = 0xE1;
constexpr std::uint32_t APP2 = 0xE2;
constexpr std::uint32_t APP14 = 0xEE;
constexpr std::uint32_t JPG0 = 0xF0;
constexpr std::uint32_t JPG13 = 0xFD;

constexpr auto JFIF = "JFIF\0"sv;
constexpr auto EXIF_ID = "Exif\0\0"sv;
constexpr auto ICC = "ICC_PROFILE\0"sv;
constexpr auto ADOBE = "Adobe"sv;
constexpr std::size_t JFIF_BODY = 12;  // up to the densities; the thumbnail after them goes
constexpr std::size_t ADOBE_BODY = 12; // up to the colour transform
constexpr std::size_t ICC_HEADER = ICC.size() + 2;
constexpr std::size_t MAX_SEGMENT_BODY = 65'533;

// Each scan costs a pass over all coefficients: a small file with thousands of scans is a bomb. Encoders use about ten.
constexpr std::uint64_t MAX_SCANS = 200;
constexpr std::uint64_t MAX_SCANNED_PIXELS = 1'000'000'000;

struct Frame {
    std::vector<std::uint32_t> componentsWithoutScan;
    PictureColours colours = PictureColours::Rgb;
};

class JpegSegments {
public:
    explicit JpegSegments(std::string_view file) : _file(file), _bytes(file) { _picture.reserve(file.size()); }

    SanitizedImage sanitize() {
        _at = 2; // behind SOI
        for (;;) {
            const std::uint32_t marker = nextMarker();
            if (marker == EOI)
                return finish();
            readSegment(marker);
        }
    }

private:
    std::uint32_t nextMarker() {
        if (_bytes.byte(_at) != 0xFF)
            throw RefusedImage(Refusal::Damaged);
        while (_bytes.byte(_at) == 0xFF)
            ++_at;
        return _bytes.byte(_at++);
    }

    void readSegment(std::uint32_t marker) {
        requireSegment(marker);
        const std::uint32_t length = _bytes.big16(_at);
        if (length < 2)
            throw RefusedImage(Refusal::Damaged);
        const auto body = _bytes.slice(_at + 2, length - 2);
        _at += length;
        if (marker >= SOF0 && marker <= SOF2)
            readFrame(body);
        if (marker == SOS)
            readScan(body);
        if ((marker >= SOF0 && marker <= DHT) || marker == SOS || marker == DQT || marker == DRI)
            append(_picture, marker, body);
        if (marker == SOS)
            copyEntropyCodedData();
        if (marker >= APP0 && marker <= APP14 && _scans == 0)
            readApplicationData(marker, body);
    }

    /// Throws for what stands alone but is out of place here, and for kinds of JPEG that browsers do not show.
    static void requireSegment(std::uint32_t marker) {
        const bool otherFrame = marker > SOF2 && marker <= SOF15 && marker != DHT && marker != DAC;
        if (otherFrame || marker == DHP || marker == EXP)
            throw RefusedImage(Refusal::UnsupportedJpeg);
        // Bytes that happen to look like a segment: no picture has segments of reserved kinds, and decoders refuse
        // them.
        const bool isReserved = marker < SOF0 || (marker >= JPG0 && marker <= JPG13);
        if (isReserved || (marker >= RST0 && marker <= SOI))
            throw RefusedImage(Refusal::Damaged);
    }

    void readFrame(std::string_view body) {
        const CheckedBytes frame(body);
        if (_frame)
            throw RefusedImage(Refusal::Damaged);
        if (frame.byte(0) != 8)
            throw RefusedImage(Refusal::UnsupportedJpeg);
        _image.height = frame.big16(1);
        _image.width = frame.big16(3);
        requireAcceptableDimensions(_image);
        const std::uint32_t components = frame.byte(5);
        if (components != 1 && components != 3 && components != 4)
            throw RefusedImage(Refusal::UnsupportedJpeg);
        _frame.emplace();
        _frame->colours = components == 1   ? PictureColours::Grey
                          : components == 3 ? PictureColours::Rgb
                                            : PictureColours::Cmyk;
        for (std::size_t i = 0; i < components; ++i)
            _frame->componentsWithoutScan.push_back(frame.byte(6 + 3 * i));
    }

    void readScan(std::string_view body) {
        const CheckedBytes scan(body);
        const std::uint32_t components = scan.byte(0);
        if (!_frame || components == 0 || components > 4)
            throw RefusedImage(Refusal::Damaged);
        if (++_scans > MAX_SCANS || _scans * _image.width * _image.height > MAX_SCANNED_PIXELS)
            throw RefusedImage(Refusal::Damaged);
        if (scan.byte(1 + 2 * std::size_t{components}) != 0)
            return; // a later scan of a progressive picture: the first of a component begins at coefficient 0
        for (std::size_t i = 0; i < components; ++i)
            std::erase(_frame->componentsWithoutScan, scan.byte(1 + 2 * i));
    }

    void copyEntropyCodedData() {
        const std::size_t begin = _at;
        for (;;) {
            _at = _file.find(MARKER, _at);
            if (_at == std::string_view::npos)
                throw RefusedImage(Refusal::Truncated);
            const std::uint32_t next = _bytes.byte(_at + 1);
            if (next != 0 && !(next >= RST0 && next <= RST7) && next != 0xFF)
                break;
            _at += next == 0xFF ? 1 : 2;
        }
        _picture.append(_file.substr(begin, _at - begin));
    }

    void readApplicationData(std::uint32_t marker, std::string_view body) {
        if (marker == APP0 && body.starts_with(JFIF) && body.size() >= JFIF_BODY && _jfif.empty())
            _jfif = body.substr(0, JFIF_BODY);
        else if (marker == APP1 && body.starts_with(EXIF_ID) && _image.orientation == Orientation::Upright)
            _image.orientation = readOrientation(body.substr(EXIF_ID.size()));
        else if (marker == APP2 && body.starts_with(ICC) && body.size() > ICC_HEADER)
            _profileParts.emplace(static_cast<unsigned char>(body[ICC.size()]), body.substr(ICC_HEADER));
        else if (marker == APP14 && body.starts_with(ADOBE) && body.size() >= ADOBE_BODY)
            _adobe = body.substr(0, ADOBE_BODY);
    }

    SanitizedImage finish() {
        if (!_frame || !_frame->componentsWithoutScan.empty())
            throw RefusedImage(Refusal::Truncated);
        _image.type = ImageType::Jpeg;
        _image.bytes = "\xFF\xD8"sv;
        if (!_jfif.empty())
            append(_image.bytes, APP0, std::string(_jfif) + "\0\0"s);
        if (_image.orientation != Orientation::Upright)
            append(_image.bytes, APP1, std::string(EXIF_ID) + orientationBlock(_image.orientation));
        appendProfile();
        if (!_adobe.empty())
            append(_image.bytes, APP14, _adobe);
        _image.bytes += _picture;
        _image.bytes += "\xFF\xD9"sv;
        return std::move(_image);
    }

    void appendProfile() {
        std::string profile;
        std::uint32_t expected = 1;
        for (const auto& [number, part] : _profileParts) {
            if (number != expected++)
                return;
            profile += part;
        }
        _image.profile = ColourProfile::open(profile, _frame->colours);
        if (!_image.profile)
            return;
        constexpr std::size_t partBytes = MAX_SEGMENT_BODY - ICC_HEADER;
        const std::size_t parts = (profile.size() + partBytes - 1) / partBytes;
        if (parts > 255)
            return;
        for (std::size_t i = 0; i < parts; ++i) {
            std::string body(ICC);
            body += static_cast<char>(i + 1);
            body += static_cast<char>(parts);
            body += profile.substr(i * partBytes, partBytes);
            append(_image.bytes, APP2, body);
        }
    }

    static void append(std::string& out, std::uint32_t marker, std::string_view body) {
        out += MARKER;
        out += static_cast<char>(marker);
        appendBig16(out, static_cast<std::uint32_t>(body.size() + 2));
        out += body;
    }

    std::string_view _file;
    CheckedBytes _bytes;
    std::size_t _at = 0;
    SanitizedImage _image;
    std::optional<Frame> _frame;
    std::uint64_t _scans = 0;
    std::string_view _jfif;
    std::string_view _adobe;
    std::map<std::uint32_t, std::string_view> _profileParts;
    std::string _picture; ///< the segments that make the pixels, in their order
};

} // namespace

SanitizedImage sanitizeJpeg(std::string_view file) {
    return JpegSegments(file).sanitize();
}

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
