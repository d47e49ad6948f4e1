#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"
#include "worker/ImageJob.h"

namespace supplierd::tests {

using media::ImageType;
using media::Orientation;
using media::Refusal;

namespace {

constexpr unsigned COMMENT = 0xFE;
constexpr unsigned APP1 = 0xE1;
constexpr unsigned APP13 = 0xED;
constexpr unsigned EXIF_FLAG = 0x08;
constexpr unsigned XMP_FLAG = 0x04;

Refusal refusalOf(const std::string& file) {
    return thrownBy<media::RefusedImage>([&] { media::processImage(file); }).reason();
    return {};
}

std::string sanitized(const std::string& file) {
    return media::processImage(file).original.bytes;
}

std::string exifSegment(Orientation orientation) {
    return std::string("Exif\0\0", 6) + exifWithCanary(orientation);
}

} // namespace

class SanitizerTest : public CppUnit::TestFixture {
protected:
    const std::string _jpeg = encoded(gradient(60, 40), ImageType::Jpeg);
    const std::string _png = sanitized(encoded(halfTransparent(60, 40), ImageType::Png)); // without its date
    const std::string _webp = encoded(gradient(60, 40), ImageType::Webp);
};

TEST(SanitizerTest, cleanFilesComeOutAsTheyWere) {
    CPPUNIT_ASSERT(sanitized(_jpeg) == _jpeg);
    CPPUNIT_ASSERT(sanitized(_png) == _png);
    CPPUNIT_ASSERT(sanitized(_webp) == _webp);
}

TEST(SanitizerTest, metadataGoesAndPixelDataStays) {
    const auto exif = exifSegment(Orientation::Upright);
    const std::string xmp = "http://ns.adobe.com/xap/1.0/ " + std::string(CANARY);
    CPPUNIT_ASSERT(sanitized(withJpegSegment(_jpeg, APP1, exif)) == _jpeg);
    CPPUNIT_ASSERT(sanitized(withJpegSegment(_jpeg, APP1, xmp)) == _jpeg);
    CPPUNIT_ASSERT(sanitized(withJpegSegment(_jpeg, APP13, CANARY)) == _jpeg);
    CPPUNIT_ASSERT(sanitized(withJpegSegment(_jpeg, COMMENT, CANARY)) == _jpeg);
    for (const auto* const type : {"tEXt", "zTXt", "iTXt", "tIME", "eXIf", "prVt", "sPLT"})
        CPPUNIT_ASSERT(sanitized(withPngChunk(_png, type, CANARY)) == _png);
    CPPUNIT_ASSERT(sanitized(withPngChunk(_png, "eXIf", exifWithCanary(Orientation::Upright))) == _png);
    const auto withExif = withWebpChunk(_webp, "EXIF", exifWithCanary(Orientation::Upright), EXIF_FLAG);
    const auto withXmp = withWebpChunk(_webp, "XMP ", xmp, XMP_FLAG);
    for (const auto& file : {withExif, withXmp, withWebpChunk(_webp, "priv", CANARY, 0)}) {
        const auto clean = sanitized(file);
        CPPUNIT_ASSERT(clean.find(CANARY) == std::string::npos);
        CPPUNIT_ASSERT(clean.find(_webp.substr(12)) == 30); // the picture's chunk, behind an extended header
        CPPUNIT_ASSERT_EQUAL('\0', clean[20]);              // whose flags promise nothing
    }
}

TEST(SanitizerTest, orientationIsAllThatIsLeftOfExif) {
    for (std::uint8_t value = 2; value <= 8; ++value) {
        const auto orientation = static_cast<Orientation>(value);
        const auto exif = exifWithCanary(orientation);
        for (const auto& file : {withJpegSegment(_jpeg, APP1, exifSegment(orientation)),
                                 withPngChunk(_png, "eXIf", exif), withWebpChunk(_webp, "EXIF", exif, EXIF_FLAG)}) {
            const auto image = media::processImage(file);
            CPPUNIT_ASSERT(image.original.orientation == orientation);
            CPPUNIT_ASSERT(image.original.bytes.find(CANARY) == std::string::npos);
            requireIn(media::orientationBlock(orientation), image.original.bytes);
        }
    }
}

TEST(SanitizerTest, whatComesOutComesOutTheSameAgain) {
    const auto exif = exifWithCanary(Orientation::Left);
    for (const auto& file : {withJpegSegment(_jpeg, APP1, exifSegment(Orientation::Left)),
                             withPngChunk(_png, "eXIf", exif), withWebpChunk(_webp, "EXIF", exif, EXIF_FLAG)}) {
        const auto once = sanitized(file);
        CPPUNIT_ASSERT(sanitized(once) == once);
    }
}

TEST(SanitizerTest, trailingDataGoes) {
    const std::string tail = "<script>" + std::string(CANARY);
    CPPUNIT_ASSERT(sanitized(_jpeg + tail) == _jpeg);
    CPPUNIT_ASSERT(sanitized(_png + tail) == _png);
    CPPUNIT_ASSERT(sanitized(_webp + tail) == _webp);
}

TEST(SanitizerTest, thumbnailInsideJfifGoes) {
    const std::string start("\xFF\xD8\xFF\xE0\x00\x10JFIF\0", 11);
    CPPUNIT_ASSERT(_jpeg.starts_with(start));
    const auto jfif = _jpeg.substr(6, 12) + std::string("\x02\x01", 2) + "RGBRGB";
    const auto file = _jpeg.substr(0, 2) + jpegSegment(0xE0, jfif) + _jpeg.substr(20);
    CPPUNIT_ASSERT(sanitized(file) == _jpeg);
}

TEST(SanitizerTest, cutFilesAreRefusedWhereverTheyAreCut) {
    const auto photograph = gradient(200, 150);
    for (const auto type : {ImageType::Jpeg, ImageType::Png, ImageType::Webp}) {
        const auto file = encoded(photograph, type);
        for (std::size_t size = 0; size < file.size(); size += 1 + file.size() / 97)
            CPPUNIT_ASSERT_NO_THROW(refusalOf(file.substr(0, size)));
        CPPUNIT_ASSERT(refusalOf(file.substr(0, file.size() - 1)) == Refusal::Truncated);
    }
    // The end is there, the rest is not: a decoder fills with grey and only warns.
    CPPUNIT_ASSERT(refusalOf(_jpeg.substr(0, _jpeg.size() / 10 * 9) + "\xFF\xD9") == Refusal::Damaged);
}

TEST(SanitizerTest, pngWithWrongChecksumIsRefusedOnlyWherePixelsDependOnIt) {
    auto damaged = _png;
    damaged[_png.find("IDAT") + 10] ^= 1;
    CPPUNIT_ASSERT(refusalOf(damaged) == Refusal::Damaged);
    auto harmless = withPngChunk(_png, "tEXt", "Title");
    harmless[harmless.find("Title")] = 'X';
    CPPUNIT_ASSERT(sanitized(harmless) == _png);
}

TEST(SanitizerTest, pngWithTooFewOrTooManyPixelsIsRefused) {
    const std::string row(2, '\0');
    CPPUNIT_ASSERT_NO_THROW(sanitized(pngOf(8, 2, row + row)));
    CPPUNIT_ASSERT(refusalOf(pngOf(8, 2, row)) == Refusal::Damaged);
    CPPUNIT_ASSERT(refusalOf(pngOf(8, 2, row + row + row)) == Refusal::Damaged);
    CPPUNIT_ASSERT(refusalOf(pngOf(8, 2, std::string(100'000'000, '\0'))) == Refusal::Damaged);
}

TEST(SanitizerTest, strayBytesBetweenJpegSegmentsAreRefused) {
    using namespace std::string_literals;
    const auto byteAt = [this](std::size_t at) { return static_cast<unsigned char>(_jpeg.at(at)); };
    const std::size_t behindFirst = 4 + std::size_t{byteAt(4)} * 256 + byteAt(5);
    // (Right behind the first marker, bytes that begin otherwise make another kind of file of it.)
    for (const std::size_t at : {behindFirst, _jpeg.find("\xFF\xDA")}) {
        for (const std::string& stray : {"\0"s, "AB"s, "\xFF\0"s, "\xFF\x01"s, "\xFF\xF0\0\x04xy"s, "\xFF\xFD\0\x02"s})
            CPPUNIT_ASSERT(Refusal::Damaged == refusalOf(std::string(_jpeg).insert(at, stray)));
        // Any number of fill bytes may come before a marker.
        CPPUNIT_ASSERT(sanitized(std::string(_jpeg).insert(at, "\xFF\xFF\xFF")) == _jpeg);
    }
}

TEST(SanitizerTest, jpegThatLacksAComponentIsRefused) {
    const auto scan = _jpeg.find("\xFF\xDA");
    auto one = _jpeg;
    one.replace(scan + 2, 12, std::string("\x00\x08\x01\x01\x00\x00\x3F\x00", 8)); // the scan of the first only
    CPPUNIT_ASSERT(refusalOf(one) == Refusal::Truncated);
}

TEST(SanitizerTest, jpegWithThousandsOfScansIsRefused) {
    const auto scan = _jpeg.find("\xFF\xDA");
    std::string bomb = _jpeg.substr(0, scan);
    const auto body = _jpeg.substr(scan, _jpeg.size() - 2 - scan);
    for (int i = 0; i < 1000; ++i)
        bomb += body;
    CPPUNIT_ASSERT(refusalOf(bomb + "\xFF\xD9") == Refusal::Damaged);
}

TEST(SanitizerTest, animatedFilesAreRefusedAsSuch) {
    const std::string control(8, '\x01');
    CPPUNIT_ASSERT(refusalOf(withPngChunk(_png, "acTL", control)) == Refusal::Animated);
    CPPUNIT_ASSERT(refusalOf(withWebpChunk(_webp, "ANIM", "123456", 0)) == Refusal::Animated);
    CPPUNIT_ASSERT(refusalOf(withWebpChunk(_webp, "priv", "x", 0x02)) == Refusal::Animated);
    CPPUNIT_ASSERT(media::refusalText(Refusal::Animated) == "animated images are not supported");
}

TEST(SanitizerTest, sizesAreJudgedExactly) {
    CPPUNIT_ASSERT_NO_THROW(media::processImage(blackPng(8000, 5000))); // 40 megapixels
    CPPUNIT_ASSERT(refusalOf(blackPng(8000, 5001)) == Refusal::Dimensions);
    CPPUNIT_ASSERT_NO_THROW(media::processImage(blackPng(12000, 1)));
    CPPUNIT_ASSERT(refusalOf(blackPng(12001, 1)) == Refusal::Dimensions);
    CPPUNIT_ASSERT(refusalOf(blackPng(1, 12001)) == Refusal::Dimensions);
    CPPUNIT_ASSERT(sanitized(paddedJpeg(_jpeg, 5'242'880)) == _jpeg);
    CPPUNIT_ASSERT(refusalOf(paddedJpeg(_jpeg, 5'242'881)) == Refusal::TooLarge);
}

TEST(SanitizerTest, otherKindsAreRefused) {
    for (const auto* const start : {"", "GIF89a", "BM", "<svg xmlns=''/>", "%PDF-1.4", "push graphic-context",
                                    "RIFF....AVI ", " \xFF\xD8\xFF", "\x89PNG\n"})
        CPPUNIT_ASSERT(refusalOf(start) == Refusal::UnknownType);
    auto arithmetic = _jpeg;
    arithmetic[_jpeg.find("\xFF\xC0") + 1] = '\xC9';
    CPPUNIT_ASSERT(refusalOf(arithmetic) == Refusal::UnsupportedJpeg);
}

} // namespace supplierd::tests
