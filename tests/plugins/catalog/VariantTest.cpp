#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

class VariantTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    std::unique_ptr<SupplierClient> _supplier;
};

TEST(VariantTest, variantsAreCreatedWithTheProduct) {
    const json product = _supplier->create({{"min_order_qty", 5},
                                            {"variants",
                                             {{{"name", "40 cm"}},
                                              {{"name", "60 cm"},
                                               {"sku", "R-60"},
                                               {"color", "red"},
                                               {"stem_length", 60},
                                               {"base_price", 0.0850},
                                               {"stock_qty", 4},
                                               {"is_active", false}}}}});
    const json variants = product["variants"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, variants.size());
    CPPUNIT_ASSERT_EQUAL(json({{"id", variants[0]["id"]},
                               {"sku", nullptr},
                               {"name", "40 cm"},
                               {"color", nullptr},
                               {"stem_length", nullptr},
                               {"base_price", nullptr},
                               {"stock_qty", 0},
                               {"stock_status", "out_of_stock"},
                               {"is_active", true}}),
                         variants[0]);
    CPPUNIT_ASSERT_EQUAL(json({{"id", variants[1]["id"]},
                               {"sku", "R-60"},
                               {"name", "60 cm"},
                               {"color", "red"},
                               {"stem_length", 60},
                               {"base_price", 0.085},
                               {"stock_qty", 4},
                               {"stock_status", "low_stock"},
                               {"is_active", false}}),
                         variants[1]);
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
}

TEST(VariantTest, variantIsChangedAddedAndRemovedInOneUpdate) {
    const json product =
        _supplier->create({{"variants", {{{"name", "a"}, {"sku", "VA"}}, {{"name", "b"}, {"sku", "VB"}}}}});
    const json first = product["variants"][0];
    const json second = product["variants"][1];
    const json after = _supplier->update(product["id"], {{"variants",
                                                          {{{"id", first["id"]}, {"stock_qty", 9}, {"base_price", 2}},
                                                           {{"id", second["id"]}, {"delete", true}},
                                                           {{"name", "c"}, {"sku", "VB"}}}}});
    CPPUNIT_ASSERT_EQUAL(json(2), after["version"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, after["variants"].size());
    json expected = first;
    expected["stock_qty"] = 9;
    expected["stock_status"] = "in_stock";
    expected["base_price"] = 2;
    CPPUNIT_ASSERT_EQUAL(expected, after["variants"][0]);
    CPPUNIT_ASSERT_EQUAL(json("VB"), after["variants"][1]["sku"]);
    CPPUNIT_ASSERT(after["variants"][1]["id"] != second["id"]);
}

TEST(VariantTest, unnamedVariantsStay) {
    const json product = _supplier->create({{"variants", {{{"name", "a"}}, {{"name", "b"}}}}});
    const json after = _supplier->update(product["id"], {{"name", "New"}});
    CPPUNIT_ASSERT_EQUAL(product["variants"], after["variants"]);
}

TEST(VariantTest, everyProblemOfEveryVariantIsNamed) {
    const json wrong{{"base_price", -1},
                     {"variants",
                      {{{"sku", "X"}},
                       {{"name", "ok"}, {"stock_qty", "1"}, {"stem_length", 0}},
                       5,
                       {{"name", ""}, {"base_price", 1.23456}, {"is_active", "yes"}},
                       {{"delete", true}},
                       {{"name", "same"}, {"sku", "x"}}}}};
    requireProblems(_supplier->postProduct(wrong),
                    {"base_price:out_of_range", "variants[0].name:required", "variants[1].stock_qty:type",
                     "variants[1].stem_length:out_of_range", "variants[2]:type", "variants[3].name:required",
                     "variants[3].base_price:out_of_range", "variants[3].is_active:type", "variants[4].id:required",
                     "variants[5].sku:duplicate"});
}

TEST(VariantTest, aVariantWithAWrongIdTellsItsOtherProblemsToo) {
    const json product = _supplier->create({{"variants", {{{"name", "mine"}, {"sku", "MINE"}}}}});
    _supplier->create({{"sku", "TAKEN"}});
    const std::string path = "/products/" + std::to_string(product["id"].get<std::int64_t>());
    requireProblems(_supplier->post(path, {{"variants",
                                            {{{"id", "5"}, {"name", ""}, {"base_price", -1}, {"sku", "taken"}},
                                             {{"id", 0}, {"stock_qty", 1.5}, {"sku", "mine"}},
                                             {{"id", false}, {"delete", true}},
                                             {{"id", 1.5}, {"delete", "yes"}}}}}),
                    {"variants[0].id:type", "variants[0].name:required", "variants[0].base_price:out_of_range",
                     "variants[0].sku:duplicate", "variants[1].id:out_of_range", "variants[1].stock_qty:type",
                     "variants[2].id:type", "variants[3].id:type", "variants[3].delete:type"});
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
}

TEST(VariantTest, variantOfAnotherProductIsAnUnknownReference) {
    const json other = _supplier->create({{"variants", {{{"name", "theirs"}}}}});
    const json product = _supplier->create({{"variants", {{{"name", "mine"}}}}});
    const std::string path = "/products/" + std::to_string(product["id"].get<std::int64_t>());
    const json foreign = other["variants"][0]["id"];
    requireProblems(
        _supplier->post(path, {{"variants", {{{"id", foreign}, {"name", "x"}}, {{"id", 1}, {"delete", true}}}}}),
        {"variants[0].id:unknown_reference", "variants[1].id:unknown_reference"});
    const json mine = product["variants"][0]["id"];
    requireProblems(
        _supplier->post(path, {{"variants", {{{"id", mine}, {"name", "x"}}, {{"id", mine}, {"delete", true}}}}}),
        {"variants[1].id:duplicate"});
    requireProblems(_supplier->postProduct({{"variants", {{{"id", mine}}}}}), {"variants[0].id:unknown_reference"});
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
    CPPUNIT_ASSERT_EQUAL(other, _supplier->read(other["id"]));
}

TEST(VariantTest, atMostAHundredVariants) {
    json many = json::array();
    for (int i = 0; i < 100; ++i)
        many.push_back({{"name", "v" + std::to_string(i)}, {"sku", "SKU-" + std::to_string(i)}});
    const json product = _supplier->create({{"variants", many}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, product["variants"].size());
    CPPUNIT_ASSERT_EQUAL(json("SKU-99"), product["variants"][99]["sku"]);
    const std::string path = "/products/" + std::to_string(product["id"].get<std::int64_t>());
    requireProblems(_supplier->post(path, {{"variants", {{{"name", "one more"}}}}}), {"variants:too_many"});
    const json last = product["variants"][99]["id"];
    const json after =
        _supplier->update(product["id"], {{"variants", {{{"name", "one more"}}, {{"id", last}, {"delete", true}}}}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, after["variants"].size());
    many.push_back({{"name", "v100"}});
    requireProblems(_supplier->postProduct({{"variants", many}}), {"variants:too_many"});
}

TEST(VariantTest, variantsCanSwapTheirSkus) {
    const json product =
        _supplier->create({{"sku", "P"}, {"variants", {{{"name", "a"}, {"sku", "A"}}, {{"name", "b"}, {"sku", "B"}}}}});
    const json a = product["variants"][0]["id"];
    const json b = product["variants"][1]["id"];
    const json after = _supplier->update(
        product["id"], {{"sku", "A"}, {"variants", {{{"id", a}, {"sku", "B"}}, {{"id", b}, {"sku", "P"}}}}});
    CPPUNIT_ASSERT_EQUAL(json("A"), after["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("B"), after["variants"][0]["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("P"), after["variants"][1]["sku"]);
}

TEST(VariantTest, nullAndEmptyVariantsChangeNothing) {
    const json product = _supplier->create({{"variants", {{{"name", "a"}}}}});
    CPPUNIT_ASSERT_EQUAL(product, _supplier->update(product["id"], {{"variants", nullptr}}));
    CPPUNIT_ASSERT_EQUAL(product, _supplier->update(product["id"], {{"variants", json::array()}}));
}

} // namespace supplierd::tests
