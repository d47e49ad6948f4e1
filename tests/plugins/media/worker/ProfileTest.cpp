#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/Test.h"
#include "worker/CheckedBytes.h"
#include "worker/ColourProfile.h"
#include "worker/ImageJob.h"

#include <lcms2.h>

#include <array>

namespace supplierd::tests {

using media::ImageType;

namespace {

constexpr std::uint8_t HALF = 128;
constexpr int HALF_OF_LINEAR = 188; // what linear 128 is in sRGB
constexpr int TOLERANCE = 3;

/// The colours of sRGB with light counted linearly.
std::string linearProfile() {
    auto* const curve = ::cmsBuildGamma(nullptr, 1.0);
    std::array<cmsToneCurve*, 3> curves{curve, curve, curve};
    const cmsCIExyY white{0.3127, 0.3290, 1.0};
    const cmsCIExyYTRIPLE primaries{{0.64, 0.33, 1.0}, {0.30, 0.60, 1.0}, {0.15, 0.06, 1.0}};
    auto* const profile = ::cmsCreateRGBProfile(&white, &primaries, curves.data());
    cmsUInt32Number size = 0;
    ::cmsSaveProfileToMem(profile, nullptr, &size);
    std::string bytes(size, '\0');
    ::cmsSaveProfileToMem(profile, bytes.data(), &size);
    ::cmsCloseProfile(profile);
    ::cmsFreeToneCurve(curve);
    return bytes;
}

std::string iccSegment(std::string_view profile, char number = 1, char count = 1) {
    return std::string("ICC_PROFILE\0", 12) + number + count + std::string(profile);
}

int thumbnailGrey(const std::string& file) {
    return decoded(media::processImage(file).thumbnail.bytes).samples[0];
}

} // namespace

class ProfileTest : public CppUnit::TestFixture {
protected:
    const std::string _profile = linearProfile();
    const std::string _jpeg = encoded(oneColour(40, 40, HALF), ImageType::Jpeg);
    const std::string _png = media::processImage(encoded(oneColour(40, 40, HALF), ImageType::Png)).original.bytes;
    const std::string _webp = encoded(oneColour(40, 40, HALF), ImageType::Webp);

    /// A WebP's profile stands before the picture.
    std::string webpWithProfile(const std::string& profile) const {
        const auto behind = withWebpChunk(_webp, "ICCP", profile, 0x20);
        const auto picture = _webp.substr(12);
        const auto chunk = behind.substr(30 + picture.size());
        return behind.substr(0, 30) + chunk + picture;
    }

    static void assertGrey(int expected, const std::string& file) {
        CPPUNIT_ASSERT(std::abs(thumbnailGrey(file) - expected) <= TOLERANCE);
    }

    static std::string linearGamma() {
        std::string gamma;
        media::appendBig32(gamma, 100'000);
        return gamma;
    }

    /// Nothing that speaks of colours.
    std::string plainPng() const { return _png.substr(0, 33) + _png.substr(_png.find("IDAT") - 4); }
};

TEST(ProfileTest, thumbnailIsInSrgbAndOriginalKeepsItsProfile) {
    assertGrey(HALF, _jpeg);
    assertGrey(HALF, _png);
    assertGrey(HALF, _webp);
    const auto jpeg = withJpegSegment(_jpeg, 0xE2, iccSegment(_profile));
    const auto png = withPngChunk(_png, "iCCP", media::deflatedProfile(_profile));
    for (const auto& file : {jpeg, png, webpWithProfile(_profile)}) {
        assertGrey(HALF_OF_LINEAR, file);
        CPPUNIT_ASSERT(media::processImage(file).original.profile);
        assertGrey(HALF_OF_LINEAR, media::processImage(file).original.bytes);
    }
    CPPUNIT_ASSERT(media::processImage(jpeg).original.bytes.find(_profile) != std::string::npos);
    CPPUNIT_ASSERT(media::processImage(png).original.bytes == png);
}

TEST(ProfileTest, profileInTwoSegmentsIsOne) {
    const auto first = iccSegment(_profile.substr(0, 200), 1, 2);
    const auto second = iccSegment(_profile.substr(200), 2, 2);
    // Written in the wrong order: the numbers count.
    assertGrey(HALF_OF_LINEAR, withJpegSegment(withJpegSegment(_jpeg, 0xE2, first), 0xE2, second));
}

TEST(ProfileTest, brokenProfileIsDroppedAndPictureStaysGood) {
    const std::string broken(500, 'x');
    const auto jpeg = withJpegSegment(_jpeg, 0xE2, iccSegment(broken));
    const auto part = withJpegSegment(_jpeg, 0xE2, iccSegment(_profile, 2, 2)); // the first is missing
    CPPUNIT_ASSERT(media::processImage(jpeg).original.bytes == _jpeg);
    CPPUNIT_ASSERT(media::processImage(part).original.bytes == _jpeg);
    const auto png = withPngChunk(_png, "iCCP", media::deflatedProfile(broken));
    const auto unreadable = withPngChunk(_png, "iCCP", std::string("x\0\0not zlib", 11));
    CPPUNIT_ASSERT(media::processImage(png).original.bytes == _png);
    CPPUNIT_ASSERT(media::processImage(unreadable).original.bytes == _png);
    assertGrey(HALF, webpWithProfile(broken));
    CPPUNIT_ASSERT(!media::processImage(webpWithProfile(broken)).original.profile);
}

TEST(ProfileTest, profileOfAnotherColourSpaceIsDropped) {
    auto cmyk = _profile;
    cmyk.replace(16, 4, "CMYK");
    CPPUNIT_ASSERT(media::processImage(withJpegSegment(_jpeg, 0xE2, iccSegment(cmyk))).original.bytes == _jpeg);
}

TEST(ProfileTest, nameOfPngProfileGoes) {
    const auto body = media::deflatedProfile(_profile);
    const auto named = std::string(CANARY) + body.substr(3);
    const auto clean = media::processImage(withPngChunk(_png, "iCCP", named)).original.bytes;
    CPPUNIT_ASSERT(clean == withPngChunk(_png, "iCCP", body));
}

TEST(ProfileTest, gammaOfPngIsObeyed) {
    assertGrey(HALF_OF_LINEAR, withPngChunk(plainPng(), "gAMA", linearGamma()));
}

TEST(ProfileTest, profileCountsMoreThanGamma) {
    const auto both =
        withPngChunk(withPngChunk(plainPng(), "gAMA", linearGamma()), "iCCP", media::deflatedProfile(_profile));
    assertGrey(HALF_OF_LINEAR, both);
}

TEST(ProfileTest, hugeCompressedProfileIsDropped) {
    const auto bomb = media::deflatedProfile(std::string(200'000'000, '\0'));
    CPPUNIT_ASSERT(bomb.size() < 300'000);
    CPPUNIT_ASSERT(media::processImage(withPngChunk(_png, "iCCP", bomb)).original.bytes == _png);
}

} // namespace supplierd::tests
