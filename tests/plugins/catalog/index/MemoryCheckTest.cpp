#include "index/MemoryCheck.h"

#include "RandomCatalog.h"
#include "index/CatalogIndex.h"
#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;

class MemoryCheckTest : public CppUnit::TestFixture {
protected:
    static void requireEstimate(int nameLength, int variants) {
        constexpr std::int64_t COUNT = 30'000;
        constexpr int SKU_LENGTH = 10;
        RandomCatalog random(3);
        CatalogIndex index;
        std::vector<IndexedProduct> products;
        for (std::int64_t id = 1; id <= COUNT; ++id) {
            IndexedProduct product;
            product.id = id;
            product.state = ProductState::Active;
            product.categoryId = 1;
            product.texts.emplace().nameWeights = text(random, nameLength);
            for (int i = 0; i <= variants; ++i)
                product.texts->skus.push_back(
                    {text(random, SKU_LENGTH), static_cast<std::uint64_t>(id * (variants + 1) + i)});
            products.push_back(std::move(product));
        }
        index.apply(products, {}, 1);
        for (int by = 0; by < 6; ++by)
            index.page({}, {static_cast<OrderBy>(by), true}, 0, 20);
        const CatalogSize size{COUNT, static_cast<double>(nameLength + SKU_LENGTH), COUNT * variants, SKU_LENGTH};
        const double ratio = static_cast<double>(size.estimatedBytes()) / static_cast<double>(index.bytes());
        CPPUNIT_ASSERT_MESSAGE(std::to_string(nameLength) + " characters, " + std::to_string(variants) +
                                   " variants: " + std::to_string(ratio),
                               ratio > 0.9 && ratio < 1.1);
    }

    static std::string text(RandomCatalog& random, int length) {
        std::string weights;
        for (int i = 0; i < length; ++i) {
            weights += '\x12';
            weights += static_cast<char>(random.number(0, 60));
        }
        return weights;
    }
};

TEST(MemoryCheckTest, theEstimateIsWhatAnIndexTakes) {
    for (const int length : {8, 36, 200})
        for (const int variants : {0, 3})
            requireEstimate(length, variants);
}

} // namespace supplierd::tests
