#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/Test.h"
#include "worker/ImageJob.h"

namespace supplierd::tests {

using media::ImageType;
using media::Orientation;
using media::PixelForm;
using media::Raster;

namespace {

constexpr double SAME = 4; // of 255, after two lossy steps

Raster thumbnailOf(const std::string& file) {
    return decoded(media::processImage(file).thumbnail.bytes);
}

std::string oriented(const Raster& upright, Orientation orientation, ImageType type) {
    const auto stored = encoded(storedFor(upright, orientation), type);
    const auto exif = exifWithCanary(orientation);
    switch (type) {
    case ImageType::Jpeg:
        return withJpegSegment(stored, 0xE1, std::string("Exif\0\0", 6) + exif);
    case ImageType::Png:
        return withPngChunk(stored, "eXIf", exif);
    case ImageType::Webp:
        return withWebpChunk(stored, "EXIF", exif, 0x08);
    }
    return {};
}

} // namespace

class ThumbnailTest : public CppUnit::TestFixture {
protected:
    static void assertSize(std::uint32_t width, std::uint32_t height, const Raster& thumbnail) {
        CPPUNIT_ASSERT_EQUAL(width, thumbnail.width);
        CPPUNIT_ASSERT_EQUAL(height, thumbnail.height);
    }
};

TEST(ThumbnailTest, fitsTheSquareAndKeepsItsProportions) {
    for (const auto type : {ImageType::Jpeg, ImageType::Png, ImageType::Webp}) {
        assertSize(400, 300, thumbnailOf(encoded(gradient(2000, 1500), type)));
        assertSize(267, 400, thumbnailOf(encoded(gradient(1000, 1500), type)));
        assertSize(400, 400, thumbnailOf(encoded(gradient(401, 401), type)));
    }
}

TEST(ThumbnailTest, isNeverEnlarged) {
    for (const auto type : {ImageType::Jpeg, ImageType::Png, ImageType::Webp}) {
        assertSize(400, 20, thumbnailOf(encoded(gradient(400, 20), type)));
        assertSize(1, 1, thumbnailOf(encoded(gradient(1, 1), type)));
    }
}

TEST(ThumbnailTest, noSideVanishes) {
    assertSize(1, 400, thumbnailOf(blackPng(1, 3000)));
    assertSize(400, 1, thumbnailOf(blackPng(12000, 1)));
    assertSize(400, 1, thumbnailOf(encoded(gradient(5000, 2), ImageType::Jpeg)));
    assertSize(400, 1, thumbnailOf(encoded(gradient(5000, 2), ImageType::Webp)));
}

TEST(ThumbnailTest, looksLikeThePicture) {
    for (const auto type : {ImageType::Jpeg, ImageType::Png, ImageType::Webp})
        for (const std::uint32_t factor : {1U, 2U, 3U, 5U, 8U})
            CPPUNIT_ASSERT(difference(gradient(400, 300),
                                      thumbnailOf(encoded(gradient(400 * factor, 300 * factor), type))) < SAME);
}

TEST(ThumbnailTest, standsUprightInAllEightOrientations) {
    const auto upright = gradient(400, 300);
    for (const auto type : {ImageType::Jpeg, ImageType::Png, ImageType::Webp})
        for (std::uint8_t value = 1; value <= 8; ++value) {
            const auto file = oriented(gradient(800, 600), static_cast<Orientation>(value), type);
            CPPUNIT_ASSERT(difference(upright, thumbnailOf(file)) < SAME);
        }
}

TEST(ThumbnailTest, transparentStaysTransparent) {
    for (const auto type : {ImageType::Png, ImageType::Webp}) {
        const auto image = media::processImage(encoded(halfTransparent(1700, 900), type));
        CPPUNIT_ASSERT(image.thumbnail.type == ImageType::Webp);
        const auto thumbnail = decoded(image.thumbnail.bytes);
        CPPUNIT_ASSERT(thumbnail.form == PixelForm::Rgba);
        CPPUNIT_ASSERT_EQUAL(0, int{thumbnail.samples[3]});
        CPPUNIT_ASSERT_EQUAL(255, int{thumbnail.samples.back()});
    }
}

TEST(ThumbnailTest, hiddenColoursOfTransparentPixelsDoNotBleed) {
    Raster chequered{1600, 1600, PixelForm::Rgba, {}}; // opaque black, and white that nobody sees
    for (std::uint32_t y = 0; y < chequered.height; ++y)
        for (std::uint32_t x = 0; x < chequered.width; ++x) {
            const bool seen = (x + y) % 2 == 0;
            const std::uint8_t light = seen ? 0 : 255;
            chequered.samples.insert(chequered.samples.end(),
                                     {light, light, light, static_cast<std::uint8_t>(seen ? 255 : 0)});
        }
    const auto thumbnail = thumbnailOf(encoded(chequered, ImageType::Png));
    const std::size_t middle = (std::size_t{200} * 400 + 200) * 4;
    CPPUNIT_ASSERT(thumbnail.samples[middle] < 10);
    CPPUNIT_ASSERT(std::abs(thumbnail.samples[middle + 3] - 128) < 10);
}

TEST(ThumbnailTest, opaqueAlphaChannelGivesJpeg) {
    auto opaque = halfTransparent(50, 50);
    for (std::size_t at = 3; at < opaque.samples.size(); at += 4)
        opaque.samples[at] = 255;
    CPPUNIT_ASSERT(media::processImage(encoded(opaque, ImageType::Png)).thumbnail.type == ImageType::Jpeg);
}

TEST(ThumbnailTest, reducerTakesMeansOfSquares) {
    const auto thumbnail = thumbnailOf(encoded(oneColour(1603, 1601, 77), ImageType::Png)); // odd edges
    for (const int sample : thumbnail.samples)
        CPPUNIT_ASSERT(std::abs(sample - 77) <= 2);
}

} // namespace supplierd::tests
