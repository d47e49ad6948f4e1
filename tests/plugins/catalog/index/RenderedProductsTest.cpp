#include "index/RenderedProducts.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeCacheMemory.h>
#include <supplierd/testing/FakeMetrics.h>

#include <memory>

namespace supplierd::tests {

using namespace catalog;

class RenderedProductsTest : public CppUnit::TestFixture {
protected:
    void keep(std::int64_t changeSeq, std::int64_t marketplaceSeq) {
        _products.keep(std::make_shared<RenderedProduct>(RenderedProduct{7, 1, changeSeq, marketplaceSeq, "{}", {}}));
    }
    bool has(std::int64_t supplierId, std::int64_t changeSeq, std::int64_t marketplaceSeq) {
        return _products.find(supplierId, 1, changeSeq, marketplaceSeq) != nullptr;
    }
    double count(const char* result) const {
        return _metrics.value("index_rendered_products_total", {{"result", result}});
    }

    testing::FakeMetrics _metrics;
    testing::FakeCacheMemory _memory;
    RenderedProducts _products{_memory, _metrics};
};

TEST(RenderedProductsTest, productIsFoundJustAsItIsAskedFor) {
    keep(5, 3);
    CPPUNIT_ASSERT(has(7, 5, 3) && has(7, 5, 2));
    CPPUNIT_ASSERT(!has(8, 5, 3) && !has(7, 4, 3) && !has(7, 6, 3) && !has(7, 5, 4));
    CPPUNIT_ASSERT(!_products.find(7, 2, 5, 3));
    CPPUNIT_ASSERT_EQUAL(2.0, count("hit"));
    CPPUNIT_ASSERT_EQUAL(5.0, count("miss"));
}

TEST(RenderedProductsTest, whatWasReadLastIsKept) {
    keep(5, 3);
    keep(4, 3);
    CPPUNIT_ASSERT(has(7, 5, 3) && !has(7, 4, 3));
    keep(6, 3);
    CPPUNIT_ASSERT(has(7, 6, 3));
    keep(4, 4); // by a number of the product that the database had lost
    CPPUNIT_ASSERT(has(7, 4, 4));
    keep(9, 3);
    CPPUNIT_ASSERT(!has(7, 9, 3));
}

} // namespace supplierd::tests
