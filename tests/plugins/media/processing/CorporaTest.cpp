#include "WorkerPool.h"
#include "tests/plugins/media/fixtures/CorpusFiles.h"
#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/Test.h"
#include "worker/CheckedBytes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace supplierd::tests {

using media::ImageRefusal;
using media::ProcessedImage;
using media::WorkerPool;
using namespace std::chrono_literals;

namespace {

constexpr std::array CANARIES{"CANARY", "52.123456", "<?php", "<html", "http://ns.adobe", "Photoshop 3.0", "tEXt",
                              "zTXt",   "iTXt",      "XMP ",  "MPF",   "root:x:"};
constexpr double SAME_PICTURE = 8;

std::string codeOf(const media::ImageResult& result) {
    const auto* const refusal = std::get_if<ImageRefusal>(&result);
    return refusal == nullptr ? std::string() : std::string(refusal->code());
}

/// The picture in 8 x 8 pixels: what is left when size and sharpness do not count.
media::Raster miniature(const media::Raster& raster) {
    constexpr std::uint32_t side = 8;
    const std::size_t channels = media::channelsOf(raster.form);
    std::vector<std::uint64_t> sums(side * side * channels);
    std::vector<std::uint64_t> counts(sums.size());
    for (std::uint32_t y = 0; y < raster.height; ++y)
        for (std::uint32_t x = 0; x < raster.width; ++x)
            for (std::size_t channel = 0; channel < channels; ++channel) {
                const std::size_t square = y * side / raster.height * side + x * side / raster.width;
                sums[square * channels + channel] +=
                    raster.samples[(std::size_t{y} * raster.width + x) * channels + channel];
                ++counts[square * channels + channel];
            }
    media::Raster small{side, side, raster.form, {}};
    for (std::size_t i = 0; i < sums.size(); ++i)
        small.samples.push_back(static_cast<std::uint8_t>(sums[i] / std::max(counts[i], std::uint64_t{1})));
    return small;
}

void assertServable(const std::string& name, const ProcessedImage& image) {
    const auto thumbnail = decoded(image.thumbnail);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(name, image.thumbnailWidth, thumbnail.width);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(name, image.thumbnailHeight, thumbnail.height);
    CPPUNIT_ASSERT_MESSAGE(name, image.thumbnailType != media::ImageType::Png);
    CPPUNIT_ASSERT_MESSAGE(name, media::imageTypeOf(image.original) == image.type);
    for (const auto& served : {image.original, image.thumbnail})
        for (const auto* const canary : CANARIES)
            CPPUNIT_ASSERT_MESSAGE(name + " holds " + canary, served.find(canary) == std::string::npos);
}

} // namespace

class CorporaTest : public CppUnit::TestFixture {
protected:
    WorkerPool _pool{[] {
        media::WorkerPoolSettings settings;
        settings.program = SUPPLIERD_IMAGEWORKER;
        settings.workers = 1;
        settings.imageLimit = 60s;
        return settings;
    }()};

    media::ImageResult process(const std::string& image) {
        return _pool.process(image, std::chrono::steady_clock::now() + 60s);
    }

    /// The own files of the corpora hold the reference as it is, and an orientation that turns it; the others were
    /// turned against their orientation, so that all of them look like the reference.
    void assertSamePicture(const CorpusFile& file, const std::string& reference) {
        auto one = decoded(std::get<ProcessedImage>(process(file.content)).thumbnail);
        if (const std::string own = "meta_orient"; file.name.starts_with(own))
            one = storedFor(one, static_cast<media::Orientation>(file.name[own.size()] - '0'));
        const auto other = decoded(std::get<ProcessedImage>(process(reference)).thumbnail);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file.name, one.width < one.height, other.width < other.height);
        CPPUNIT_ASSERT_MESSAGE(file.name, difference(miniature(one), miniature(other)) < SAME_PICTURE);
    }
};

TEST(CorporaTest, everyFileGetsItsVerdictAndCostsNoWorker) {
    std::string wrong;
    for (const auto& file : corpusFiles()) {
        const auto result = process(file.content);
        const auto code = codeOf(result);
        if (!file.allows(code))
            wrong += file.folder + "/" + file.name + ": " + file.expected + ", got '" + code + "'\n";
        if (const auto* const image = std::get_if<ProcessedImage>(&result)) {
            assertServable(file.name, *image);
            const auto again = process(image->original);
            CPPUNIT_ASSERT_MESSAGE(file.name, std::get<ProcessedImage>(again).original == image->original);
        }
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), wrong);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, _pool.counts().lost);
}

TEST(CorporaTest, orientationGroupsLookTheSame) {
    const std::map<std::string, std::string> references{{"exs_landscape_", "ref_landscape_1.jpg"},
                                                        {"pil_hopper_orientation_", "ref_hopper."},
                                                        {"rec_Portrait_", "ref_Portrait_1.jpg"},
                                                        {"vips_rot_", "ref_vips_1.jpg"},
                                                        {"meta_orient", "ref_gradient.png"}};
    const auto files = corpusFiles();
    const auto contentOf = [&](const std::string& folder, const std::string& start) {
        for (const auto& file : files)
            if ((file.folder == folder || start == "ref_gradient.png") && file.name.starts_with(start))
                return file.content;
        return std::string();
    };
    for (const auto& file : files)
        for (const auto& [start, reference] : references)
            if (file.name.starts_with(start))
                assertSamePicture(file, contentOf(file.folder, reference));
}

} // namespace supplierd::tests
