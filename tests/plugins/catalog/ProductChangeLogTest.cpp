#include "CatalogFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using Texts = std::vector<std::string>;

/// What the writes of products leave in the change log, and the number that their answers carry.
class ProductChangeLogTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    Texts changes() const { return changesOf(fixture().database(), _supplier->id()); }
    std::int64_t number() const { return lastChangeOf(fixture().database(), _supplier->id()); }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductChangeLogTest, eachWriteIsOneEntry) {
    const std::int64_t product = _supplier->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}})["id"];
    _supplier->update(product, {{"name", "Rosa"}, {"is_active", false}});
    _supplier->remove(product);
    const std::string id = std::to_string(product);
    CPPUNIT_ASSERT((Texts{"product.created " + id, "product.updated " + id, "product.deleted " + id}) == changes());
}

TEST(ProductChangeLogTest, anUpdateSaysWhatFollowersAskFor) {
    const json made = _supplier->create({{"stock_qty", 5}, {"base_price", 2}, {"variants", {{{"name", "v"}}}}});
    const std::int64_t product = made["id"];
    const json variant = made["variants"][0]["id"];
    _supplier->update(product, {{"stock_qty", 5}, {"base_price", 2}});
    _supplier->update(product, {{"stock_qty", 6}});
    _supplier->update(product, {{"base_price", 2.5}});
    _supplier->update(product, {{"variants", {{{"id", variant}, {"stock_qty", 1}}}}});
    _supplier->update(product, {{"variants", {{{"id", variant}, {"name", "w"}}}}});
    _supplier->update(product, {{"variants", {{{"id", variant}, {"delete", true}}}}});
    const std::string id = std::to_string(product);
    const std::string updated = "product.updated " + id;
    const std::string price = "product.price_changed " + id + "; ";
    const std::string stock = "product.stock_changed " + id + "; ";
    const Texts expected{updated, stock + updated, price + updated, stock + updated, updated, price + stock + updated};
    CPPUNIT_ASSERT(expected == changesOf(fixture().database(), _supplier->id(), 1));
}

} // namespace supplierd::tests
