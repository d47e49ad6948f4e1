#include "CsvFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// Variants of products as rows of their own.
class VariantsTest : public CppUnit::TestFixture {
protected:
    static std::string heading() {
        return "sku,name,category_id,base_price,unit,variant_sku,variant_name,variant_base_price\r\n";
    }
    static std::string newProduct(const CsvClient& supplier, const std::string& sku, const std::string& name) {
        return sku + "," + name + "," + std::to_string(supplier.on().category()) + ",0.85,stem";
    }
    static std::string firstMessage(const json& data) {
        CPPUNIT_ASSERT_MESSAGE(data.dump(), !data["errors"].empty());
        return data["errors"][0]["details"][0]["message"];
    }
};

TEST(VariantsTest, variantIsARowBehindItsProduct) {
    CsvClient supplier;
    const json product = supplier.create(
        {{"sku", "P"},
         {"variants", {{{"sku", "P-1"}, {"name", "Long, red"}, {"stem_length", 80}, {"base_price", 1.25}}}}});
    const auto lines = linesOf(supplier.exported());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, lines.size());
    CPPUNIT_ASSERT_MESSAGE(lines[0],
                           lines[0].find(",description,image_urls,variant_id,variant_sku,variant_name,"
                                         "variant_color,variant_stem_length,variant_base_price,"
                                         "variant_stock_qty,variant_is_active,stock_status,") != std::string::npos);
    const std::string id = product["variants"][0]["id"].dump();
    CPPUNIT_ASSERT_EQUAL(product["id"].dump() + ",P" + std::string(15, ',') + "," + id +
                             ",P-1,\"Long, red\",,80,1.25,0,TRUE,,,,,,",
                         lines[2]);
    CPPUNIT_ASSERT_EQUAL(std::count(lines[0].begin(), lines[0].end(), ','),
                         std::count(lines[1].begin(), lines[1].end(), ','));
}

TEST(VariantsTest, variantsAreCreatedAndChangedBySku) {
    CsvClient supplier;
    const std::string file = heading() + newProduct(supplier, "P", "Rose") + ",,,\r\n" + "P,,,,,P-1,Short,0.80\r\n" +
                             "P,,,,,P-2,Long,1.20\r\n";
    requireCounts(supplier.import(file), 3, 0, 0, 0);
    const json product = supplier.bySku("P");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, product["variants"].size());
    CPPUNIT_ASSERT_EQUAL(std::string("P-1"), product["variants"][0]["sku"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(1.2, product["variants"][1]["base_price"].get<double>());

    const std::int64_t seq = supplier.changeSeq();
    requireCounts(supplier.import(file), 0, 0, 3, 0);
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());

    requireCounts(supplier.import("sku,variant sku,variant prijs\nP,P-2,1.30\nP,p-1,0.80\n"), 0, 1, 1, 0);
    const json changed = supplier.bySku("P");
    CPPUNIT_ASSERT_EQUAL(1.3, changed["variants"][1]["base_price"].get<double>());
    CPPUNIT_ASSERT_EQUAL(std::string("Long"), changed["variants"][1]["name"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(product["version"].get<int>() + 1, changed["version"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("P-1"), changed["variants"][0]["sku"].get<std::string>());
}

TEST(VariantsTest, variantWithoutSkuIsNamedByIdOrName) {
    CsvClient supplier;
    const json product = supplier.create({{"sku", "P"}, {"variants", {{{"name", "A"}}, {{"name", "B"}}}}});
    const std::string b = product["variants"][1]["id"].dump();
    requireCounts(supplier.import("sku,variant_id,variant_name,variant_stock_qty\nP,,A,4\nP," + b + ",Bee,5\nP,,C,6\n"),
                  1, 2, 0, 0);
    const json variants = supplier.bySku("P")["variants"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, variants.size());
    CPPUNIT_ASSERT_EQUAL(4, variants[0]["stock_qty"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("Bee"), variants[1]["name"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(6, variants[2]["stock_qty"].get<int>());
    const json failed = supplier.import("sku,variant_id,variant_stock_qty\nP,1,9\n");
    requireCounts(failed, 0, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("variant_id is not a variant of this product"), firstMessage(failed));
}

TEST(VariantsTest, rowsMayRepeatTheirProduct) {
    CsvClient supplier;
    const std::string rose = newProduct(supplier, "P", "Rose");
    requireCounts(supplier.import(heading() + rose + ",P-1,Short,1\r\n" + rose + ",P-2,Long,2\r\n"), 2, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, supplier.bySku("P")["variants"].size());
    const json other =
        supplier.import(heading() + rose + ",P-1,Short,1\r\n" + newProduct(supplier, "P", "Tulip") + ",P-2,Long,2\r\n");
    requireCounts(other, 0, 0, 1, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("sku stands in row 2 already"), firstMessage(other));
}

TEST(VariantsTest, whatIsWrongIsToldOfItsCell) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    const json failed = supplier.import("sku;Variant code;Variant naam;Variant prijs\nP;P-1;Long;dear\n"
                                        "none;N-1;Long;1,00\nP;P-2;;1,00\nP;P;Same;1,00\n",
                                        "decimal=comma");
    requireCounts(failed, 0, 0, 0, 4);
    const json& errors = failed["errors"];
    CPPUNIT_ASSERT_EQUAL(std::string("Variant prijs"), errors[0]["details"][0]["column"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("variant_base_price"), errors[0]["details"][0]["field"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("there is no product with this sku"),
                         errors[1]["details"][0]["message"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("variant_name is required"),
                         errors[2]["details"][0]["message"].get<std::string>());
    CPPUNIT_ASSERT_MESSAGE(errors.dump(), errors[3]["details"][0]["message"].get<std::string>().starts_with(
                                              "variant_sku is already used by product "));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, supplier.bySku("P")["variants"].size());
}

TEST(VariantsTest, variantThatIsWrongKeepsNoOtherFromBeingWritten) {
    CsvClient supplier;
    const std::string file = heading() + newProduct(supplier, "P", "Rose") + ",P-1,,1\r\nP,,,,,P-2,Long,2\r\n";
    const json data = supplier.import(file);
    requireCounts(data, 1, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("variant_name is required"), firstMessage(data));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, supplier.bySku("P")["variants"].size());
}

TEST(VariantsTest, skuOfAVariantStandsInAFileOnce) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    supplier.create({{"sku", "Q"}});
    const json data = supplier.import("sku,variant_sku,variant_name\nP,V,a\nQ,v,b\n");
    requireCounts(data, 1, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("variant_sku stands in row 2 already"), firstMessage(data));
}

TEST(VariantsTest, dryRunLooksAtVariantsOfNewProducts) {
    CsvClient supplier;
    const json data = supplier.import(heading() + newProduct(supplier, "P", "Rose") + ",,,\r\n" +
                                          "P,,,,,P-1,Long,1\r\nP,,,,,P-2,,1\r\nQ,,,,,Q-1,Long,1\r\n",
                                      "dry_run=true");
    requireCounts(data, 2, 0, 0, 2);
    CPPUNIT_ASSERT_EQUAL(std::string("variant_name is required"), firstMessage(data));
    CPPUNIT_ASSERT(supplier.ids().empty());
}

TEST(VariantsTest, emptyCellsClearOnlyWhatTheirRowIsOf) {
    CsvClient supplier;
    supplier.create({{"sku", "P"},
                     {"color", "red"},
                     {"variants", {{{"sku", "P-1"}, {"name", "A"}, {"color", "pink"}, {"base_price", 2}}}}});
    requireCounts(supplier.import("sku,color,variant_sku,variant_color,variant_name\nP,,P-1,,\n", "empty=clear"), 0, 1,
                  0, 0);
    const json product = supplier.bySku("P");
    CPPUNIT_ASSERT_EQUAL(std::string("red"), product["color"].get<std::string>());
    CPPUNIT_ASSERT(product["variants"][0]["color"].is_null());
    CPPUNIT_ASSERT_EQUAL(std::string("A"), product["variants"][0]["name"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(2, product["variants"][0]["base_price"].get<int>());
}

TEST(VariantsTest, nobodyElsesVariantsAreTouched) {
    CsvClient supplier;
    CsvClient other;
    const json product = other.create({{"sku", "P"}, {"variants", {{{"sku", "P-1"}, {"name", "A"}}}}});
    supplier.create({{"sku", "P"}});
    requireCounts(supplier.import("id,variant_sku,variant_name\n" + product["id"].dump() + ",P-1,Mine\n"), 0, 0, 0, 1);
    requireCounts(supplier.import("sku,variant_sku,variant_name\nP,P-1,Mine\n"), 1, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(product, other.bySku("P"));
}

TEST(VariantsTest, imageUrlsNeedThePluginMedia) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    const json data = supplier.import("sku,image_urls\nP,https://example.com/a.jpg\n");
    requireCounts(data, 0, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("no images are taken here: the plugin media is not enabled"), firstMessage(data));
}

} // namespace supplierd::tests
