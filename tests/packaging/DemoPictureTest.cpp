#include "packaging/demo/DemoPicture.h"

#include "tests/plugins/media/ImageFixtures.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

using demo::DemoPicture;
using demo::DemoSupplier;

/// The pictures that the demo data draws itself.
class DemoPictureTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(DemoPictureTest);
    CPPUNIT_TEST(testDozensOfPicturesOfAllKindsAndSuppliers);
    CPPUNIT_TEST(testNewestProductsHavePictures);
    CPPUNIT_TEST(testPicturesAreWholeFilesOfTheirKind);
    CPPUNIT_TEST(testPicturesDifferAndStayTheSame);
    CPPUNIT_TEST_SUITE_END();

public:
    void testDozensOfPicturesOfAllKindsAndSuppliers() {
        std::set<std::string> names;
        std::set<std::string_view> kinds;
        for (const DemoSupplier& supplier : _suppliers) {
            const auto pictures = demo::demoPictures(supplier);
            CPPUNIT_ASSERT(pictures.size() >= 10);
            for (const DemoPicture& picture : pictures) {
                CPPUNIT_ASSERT_MESSAGE(picture.fileName(), names.insert(picture.fileName()).second);
                kinds.insert(demo::mediaTypeOf(picture.format));
            }
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, kinds.size());
        CPPUNIT_ASSERT_MESSAGE(std::to_string(names.size()), names.size() < 100);
    }

    void testNewestProductsHavePictures() {
        for (const DemoSupplier& supplier : _suppliers) {
            std::set<const demo::DemoProduct*> pictured;
            for (const DemoPicture& picture : demo::demoPictures(supplier))
                pictured.insert(picture.product);
            for (std::size_t back = 1; back <= 5; ++back) // a list's first page, as quickstart prints it
                CPPUNIT_ASSERT(pictured.contains(&supplier.products[supplier.products.size() - back]));
        }
    }

    void testPicturesAreWholeFilesOfTheirKind() {
        for (const DemoSupplier& supplier : _suppliers) {
            std::set<demo::PictureFormat> seen;
            for (const DemoPicture& picture : demo::demoPictures(supplier)) {
                if (!seen.insert(picture.format).second)
                    continue;
                const std::string file = picture.draw();
                const media::Raster raster = decoded(file);
                // The decoder may shrink by a whole factor.
                CPPUNIT_ASSERT_MESSAGE(picture.fileName(), std::max(raster.width, raster.height) >= 800);
                CPPUNIT_ASSERT_MESSAGE(picture.fileName(), file.size() > 4'000 && file.size() < 2'000'000);
            }
        }
    }

    void testPicturesDifferAndStayTheSame() {
        const auto pictures = demo::demoPictures(_suppliers.front());
        CPPUNIT_ASSERT(pictures[0].draw() == pictures[0].draw());
        std::set<std::string> files;
        for (std::size_t i = 0; i < 5; ++i)
            CPPUNIT_ASSERT(files.insert(pictures[i].draw()).second);
    }

private:
    const std::vector<DemoSupplier> _suppliers = demo::demoSuppliers();
};

CPPUNIT_TEST_SUITE_REGISTRATION(DemoPictureTest);

} // namespace supplierd::tests
