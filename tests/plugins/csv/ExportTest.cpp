#include "CsvFixture.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

class ExportTest : public CppUnit::TestFixture {};

TEST(ExportTest, productsAreAFileForSpreadsheets) {
    CsvClient supplier;
    const json product = supplier.create({{"sku", "RN-60"}, {"name", "Rose, red"}, {"stock_qty", 7}});
    const HttpResponse response = supplier.get("/products/export.csv");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("text/csv; charset=utf-8"), response.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("attachment; filename=\"products.csv\""), response.header("Content-Disposition"));
    const auto lines = linesOf(response.body);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, lines.size());
    CPPUNIT_ASSERT_EQUAL(std::string("id,sku,name,type,category_id,category,base_price,unit,stock_qty,"
                                     "min_order_qty,color,stem_length,country_of_origin,vat_rate,is_active,"
                                     "description,image_urls,variant_id,variant_sku,variant_name,"
                                     "variant_color,variant_stem_length,variant_base_price,variant_stock_qty,"
                                     "variant_is_active,stock_status,approval,approval_reason,primary_image,created_at,"
                                     "updated_at"),
                         lines[0]);
    const std::string begin = std::to_string(idOf(product)) + ",RN-60,\"Rose, red\",flower," +
                              std::to_string(supplier.on().category()) +
                              ",Cut flowers,0.85,stem,7,1,,,,21,TRUE,,,,,,,,,,,in_stock,pending,,,";
    CPPUNIT_ASSERT_EQUAL(begin, lines[1].substr(0, begin.size()));
}

TEST(ExportTest, separatorAndDecimalSignAreChosen) {
    CsvClient supplier;
    supplier.create({{"sku", "A"}, {"base_price", 1.234}});
    const auto lines = linesOf(supplier.exported("separator=%3B&decimal=comma"));
    CPPUNIT_ASSERT(lines[0].starts_with("id;sku;"));
    CPPUNIT_ASSERT_MESSAGE(lines[1], lines[1].find(";1,2340;stem;") != std::string::npos);
    CPPUNIT_ASSERT(linesOf(supplier.exported("separator=tab"))[0].starts_with("id\tsku\t"));
    requireProblems(supplier.get("/products/export.csv?separator=x&decimal=y"),
                    {"separator:not_in_set", "decimal:not_in_set"});
}

TEST(ExportTest, filtersAndSortAreThoseOfTheList) {
    CsvClient supplier;
    for (const char* sku : {"B", "A", "C"})
        supplier.create({{"sku", sku}, {"name", std::string("Rose ") + sku}});
    supplier.create({{"sku", "D"}, {"name", "Tulip"}});
    const auto lines = linesOf(supplier.exported("search=rose&sort=name"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, lines.size());
    for (std::size_t i = 1; i < lines.size(); ++i)
        CPPUNIT_ASSERT(lines[i].find(std::string(",Rose ") + "ABC"[i - 1]) != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, linesOf(supplier.exported("status=active")).size());
    requireProblems(supplier.get("/products/export.csv?status=nothing"), {"status:not_in_set"});
}

TEST(ExportTest, pagingIsRefused) {
    CsvClient supplier;
    requireProblems(supplier.get("/products/export.csv?page=2&per_page=100"),
                    {"page:unsupported", "per_page:unsupported"});
}

TEST(ExportTest, formulaeAreText) {
    CsvClient supplier;
    supplier.create({{"sku", "@A"}, {"name", "=HYPERLINK(\"http://x\")"}, {"color", "-1"}});
    const std::string line = linesOf(supplier.exported())[1];
    CPPUNIT_ASSERT_MESSAGE(line, line.find(",'@A,\"'=HYPERLINK(\"\"http://x\"\")\",") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(line, line.find(",'-1,") != std::string::npos);
}

TEST(ExportTest, moreThanAPieceIsStreamed) {
    CsvClient supplier;
    supplier.fill(3'000);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3'001}, linesOf(supplier.exported("sort=id")).size());
}

TEST(ExportTest, nobodyElsesProductsAreExported) {
    CsvClient supplier;
    CsvClient other;
    other.create({{"sku", "OTHER"}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, linesOf(supplier.exported()).size());
    SupplierOptions options;
    options.scopes = "orders:read";
    CsvClient withoutScope(options);
    requireForbidden("scope", withoutScope.get("/products/export.csv"));
}

TEST(ExportTest, ordersHaveALineForEachItem) {
    CsvClient supplier;
    CsvClient other;
    OperatorClient platform;
    json items = json::array();
    for (CsvClient* owner : {&supplier, &supplier, &other}) {
        const json product = owner->create({{"sku", "S" + std::to_string(items.size())}, {"stock_qty", 9}});
        owner->on().server().approveProduct(idOf(product));
        items.push_back({{"product_id", product["id"]}, {"quantity", 2}});
    }
    requireStatus(201, platform.post("/orders", {{"order_number", "CSV-1-" + std::to_string(supplier.id())},
                                                 {"customer", {{"company_name", "=Bloom & Co"}}},
                                                 {"items", items}}));
    const auto lines = linesOf(supplier.get("/orders/export.csv?decimal=comma&separator=%3B").body);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, lines.size());
    CPPUNIT_ASSERT(lines[0].starts_with("order_id;order_number;status;"));
    for (const std::string& line : {lines[1], lines[2]}) {
        CPPUNIT_ASSERT_MESSAGE(line, line.find(";'=Bloom & Co;") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(line, line.find(";2;0,85;21;1,7;") != std::string::npos);
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, linesOf(supplier.get("/orders/export.csv?status=shipped").body).size());
    requireProblems(supplier.get("/orders/export.csv?status=x"), {"status:not_in_set"});
}

} // namespace supplierd::tests
