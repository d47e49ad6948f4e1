#include "CsvFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

namespace {

/// "row: column/field/code" for each detail.
std::vector<std::string> problemsOf(const json& data) {
    std::vector<std::string> problems;
    for (const json& row : data["errors"])
        for (const json& detail : row["details"])
            problems.push_back(row["row"].dump() + ": " +
                               (detail["column"].is_null() ? "-" : detail["column"].get<std::string>()) + "/" +
                               detail["field"].get<std::string>() + "/" + detail["code"].get<std::string>());
    return problems;
}

/// "column/code/message" of each row's first detail.
std::vector<std::string> reasonsOf(const json& data) {
    std::vector<std::string> reasons;
    for (const json& row : data["errors"]) {
        const json& detail = row["details"][0];
        reasons.push_back(detail["column"].get<std::string>() + "/" + detail["code"].get<std::string>() + "/" +
                          detail["message"].get<std::string>());
    }
    return reasons;
}

} // namespace

class ImportErrorsTest : public CppUnit::TestFixture {};

TEST(ImportErrorsTest, everyWrongCellIsToldByItsRowAndColumn) {
    CsvClient supplier;
    const std::string zero("A\0B", 3);
    const json data = supplier.import("sku;Naam;Categorie;Prijs;Eenheid;Voorraad\n"
                                      "A;;Nowhere;abc;stem;5\n"
                                      "B;b;Cut flowers;1,23456;pallet;-1\n"
                                      "C;" +
                                      zero +
                                      ";Cut flowers;1,5;stem;1,5;more\n"
                                      "D;d;Cut flowers;1,5;stem;5\n");
    requireCounts(data, 1, 0, 0, 3);
    CPPUNIT_ASSERT_EQUAL(
        json({"2: Categorie/category/unknown_reference", "2: Naam/name/required", "2: Prijs/base_price/type",
              "3: Eenheid/unit/not_in_set", "3: Prijs/base_price/out_of_range", "3: Voorraad/stock_qty/out_of_range",
              "4: -//too_many", "4: Naam/name/type", "4: Voorraad/stock_qty/type"})
            .dump(),
        [&] {
            auto problems = problemsOf(data);
            std::sort(problems.begin(), problems.end());
            return json(problems).dump();
        }());
}

TEST(ImportErrorsTest, errorsFileHasTheRowsWithTheirReasons) {
    CsvClient supplier;
    const json data = supplier.import("sku;naam;categorie;prijs;eenheid\n"
                                      "A;\"=x;\ny\";Cut flowers;abc;stem\n"
                                      "B;b;Cut flowers;1,5;stem\n");
    requireCounts(data, 1, 0, 0, 1);
    const HttpResponse file = supplier.get("/imports/" + data["import"]["id"].dump() + "/errors.csv");
    requireStatus(200, file);
    CPPUNIT_ASSERT_EQUAL(std::string(BOM) +
                             "sku;naam;categorie;prijs;eenheid;errors\r\n"
                             "A;\"'=x;\ny\";Cut flowers;abc;stem;prijs: base_price must be a number from 0 to "
                             "99999999.9999 with at most 4 decimals\r\n",
                         file.body);
    CPPUNIT_ASSERT_EQUAL("/api/v1/supplier/imports/" + data["import"]["id"].dump() + "/errors.csv",
                         data["import"]["errors_url"].get<std::string>());
}

TEST(ImportErrorsTest, mendedErrorsFileCanBeImported) {
    CsvClient supplier;
    const json data = supplier.import("sku,name,category,price,unit\nA,=a,Cut flowers,abc,stem\n");
    std::string file = supplier.get("/imports/" + data["import"]["id"].dump() + "/errors.csv").body;
    file.replace(file.find("abc"), 3, "1.5");
    const json mended = supplier.import(file);
    requireCounts(mended, 1, 0, 0, 0);
    CPPUNIT_ASSERT(mended["import"]["unknown_columns"].empty());
    CPPUNIT_ASSERT_EQUAL(std::string("=a"), supplier.bySku("A")["name"].get<std::string>());
}

TEST(ImportErrorsTest, skuThatStandsTwiceIsAnErrorOfTheSecondRow) {
    CsvClient supplier;
    std::string file = productsFile(450, supplier.on().category());
    file += "sku-1,Again," + std::to_string(supplier.on().category()) + ",1,stem,1\r\n";
    for (int round = 0; round < 2; ++round) {
        const json data = supplier.import(file);
        requireCounts(data, round == 0 ? 450 : 0, 0, round == 0 ? 0 : 450, 1);
        CPPUNIT_ASSERT_EQUAL(json({"452: sku/sku/duplicate"}).dump(), json(problemsOf(data)).dump());
    }
    CPPUNIT_ASSERT_EQUAL(std::string("Rose 1"), supplier.bySku("SKU-1")["name"].get<std::string>());
}

TEST(ImportErrorsTest, skuOfAVariantIsRefused) {
    CsvClient supplier;
    supplier.create({{"sku", "A"}, {"variants", {{{"name", "long"}, {"sku", "A-L"}}}}});
    const json data = supplier.import("sku,stock_qty\nA-L,5\n");
    CPPUNIT_ASSERT_EQUAL(json({"2: sku/sku/unsupported"}).dump(), json(problemsOf(data)).dump());
}

/// What spreadsheets make of SKUs, in an export.
TEST(ImportErrorsTest, skuThatIsNotThatOfTheIdIsRefused) {
    CsvClient supplier;
    const std::vector<std::pair<std::string, std::string>> mangled{
        {"0012", "12"}, {"1E5", "100000"}, {"2-3", "02-Mar"}};
    std::string file = "id,sku,name,category_id,base_price,unit,variant_name,variant_stock_qty\n";
    std::vector<std::string> reasons;
    for (const auto& [sku, changed] : mangled) {
        const json product = supplier.create({{"sku", sku}, {"name", "Rose"}});
        const std::string category = std::to_string(supplier.on().category());
        file += product["id"].dump() + "," + changed + ",Tulip," + category + ",1,stem,,\n";
        file += product["id"].dump() + "," + changed + ",,,,,Long,5\n"; // of a variant, as an export has it
        for (int i = 0; i < 2; ++i)
            reasons.push_back("sku/unsupported/the product with the id " + product["id"].dump() + " has the SKU " +
                              sku + ": restore it, or clear the id to make a new product");
    }
    const std::int64_t seq = supplier.changeSeq();
    for (const char* query : {"dry_run=true", "", "empty=clear"}) {
        const json data = supplier.import(file, query);
        requireCounts(data, 0, 0, 0, 6);
        CPPUNIT_ASSERT_EQUAL(json(reasons).dump(), json(reasonsOf(data)).dump());
    }
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, supplier.ids().size());
    for (const auto& [sku, changed] : mangled)
        file.replace(file.find("," + changed + ",Tulip"), changed.size() + 1, "," + sku);
    requireCounts(supplier.import(file), 0, 3, 0, 3);
    CPPUNIT_ASSERT_EQUAL(std::string("Tulip"), supplier.bySku("1e5")["name"].get<std::string>());
}

TEST(ImportErrorsTest, skuOfAnotherProductThanTheIdsChangesNeither) {
    CsvClient supplier;
    const std::string one = supplier.create({{"sku", "0012"}, {"name", "One"}})["id"].dump();
    const std::string other = supplier.create({{"sku", "12"}, {"name", "Other"}})["id"].dump();
    const std::int64_t seq = supplier.changeSeq();
    for (const char* query : {"dry_run=true", ""}) {
        const json data =
            supplier.import("id,sku,name,variant_name\n" + one + ",12,New,\n" + one + ",12,,Long\n", query);
        requireCounts(data, 0, 0, 0, 2);
        const std::string reason = "sku/unsupported/the product with the id " + one +
                                   " has the SKU 0012: restore it, or clear the id to change product " + other +
                                   ", which has this SKU";
        CPPUNIT_ASSERT_EQUAL(json({reason, reason}).dump(), json(reasonsOf(data)).dump());
    }
    const json both = supplier.import("id,sku,name\n" + other + ",12,Other\n" + one + ",12,New\n");
    requireCounts(both, 0, 0, 1, 1);
    CPPUNIT_ASSERT_EQUAL(json({"3: sku/sku/duplicate", "3: sku/sku/unsupported"}).dump(),
                         json(problemsOf(both)).dump());
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());
    requireCounts(supplier.import("id,sku,name\n,12,New\n" + one + ",0012,Newer\n"), 0, 2, 0, 0);
}

TEST(ImportErrorsTest, skuBesideTheIdOfAProductWithoutOneIsRefused) {
    CsvClient supplier;
    const std::string id = supplier.create({{"name", "No SKU"}})["id"].dump();
    const std::string file = "id,sku,name,category_id,base_price,unit\n" + id + ",A,a," +
                             std::to_string(supplier.on().category()) + ",1,stem\n";
    const json data = supplier.import(file);
    CPPUNIT_ASSERT_EQUAL(json({"sku/unsupported/the product with the id " + id +
                               " has no SKU: clear it here to change that product, or clear the id to make a new "
                               "product"})
                             .dump(),
                         json(reasonsOf(data)).dump());
    supplier.remove(std::stoll(id));
    requireCounts(supplier.import(file), 1, 0, 0, 0); // the id of nothing says nothing
}

TEST(ImportErrorsTest, skuOfAVariantThatIsNotThatOfItsIdIsRefused) {
    CsvClient supplier;
    const json product =
        supplier.create({{"sku", "P"}, {"variants", {{{"sku", "0012"}, {"name", "A"}}, {{"name", "B"}}}}});
    const std::string a = product["variants"][0]["id"].dump();
    const std::string b = product["variants"][1]["id"].dump();
    for (const char* query : {"dry_run=true", ""}) {
        const json data = supplier.import("sku,variant_id,variant_sku,variant_name\nP," + a + ",12,A\nP," + b +
                                              ",B-1,B\nP," + a + ",0012,A\nP," + b + ",,B\n",
                                          query);
        requireCounts(data, 0, 0, 2, 2);
        CPPUNIT_ASSERT_EQUAL(json({"variant_sku/unsupported/the variant with the id " + a +
                                       " has the SKU 0012: restore it, or clear variant_id",
                                   "variant_sku/unsupported/the variant with the id " + b +
                                       " has no SKU: clear it here to change that variant, or clear variant_id"})
                                 .dump(),
                             json(reasonsOf(data)).dump());
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, supplier.bySku("P")["variants"].size());
}

TEST(ImportErrorsTest, categoriesThatAreNotActiveAreRefused) {
    CsvClient supplier;
    ServerProcess& server = supplier.on().server();
    const std::int64_t parent = server.createCategory("Closed");
    const std::int64_t child = server.createCategory("Below it", "flower", parent);
    const std::int64_t open = server.createCategory("Open");
    supplier.on().database().exec("UPDATE categories SET is_active = 0 WHERE id = " + std::to_string(parent));
    std::string file = "sku,name,category_id,base_price,unit\n";
    for (const std::int64_t category : {supplier.on().category(), parent, child, open, std::int64_t{999'999'999}})
        file += std::to_string(category) + ",x," + std::to_string(category) + ",1,stem\n";
    const json data = supplier.import(file);
    requireCounts(data, 2, 0, 0, 3);
    CPPUNIT_ASSERT_EQUAL(
        json({"3: category_id/category_id/unknown_reference", "4: category_id/category_id/unknown_reference",
              "6: category_id/category_id/unknown_reference"})
            .dump(),
        json(problemsOf(data)).dump());
}

TEST(ImportErrorsTest, errorsGoWithTheFile) {
    CsvClient supplier;
    const json data = supplier.import("sku,name\nA,a\n");
    const std::string id = data["import"]["id"].dump();
    supplier.on().database().exec("UPDATE csv_imports SET has_file = 0 WHERE id = " + id);
    requireError(404, "NOT_FOUND", supplier.get("/imports/" + id + "/errors.csv"));
    CPPUNIT_ASSERT(dataOf(supplier.get("/imports/" + id))["import"]["errors_url"].is_null());
}

TEST(ImportErrorsTest, onlyTheNewestFilesAreKept) {
    CsvClient supplier;
    std::string many = "sku\n";
    for (int i = 0; i < 150; ++i)
        many += "X-" + std::to_string(i) + "\n";
    const std::int64_t oldest = idOf(supplier.import(many)["import"]);
    std::vector<std::int64_t> others;
    for (int i = 0; i < 11; ++i) // ten are kept, beside that of the one that comes
        others.push_back(idOf(supplier.import("sku\nX\n")["import"]));
    const json data = dataOf(supplier.get("/imports/" + std::to_string(oldest)));
    CPPUNIT_ASSERT_EQUAL(json(nullptr), data["import"]["errors_url"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, data["errors"].size());
    requireError(404, "NOT_FOUND", supplier.get("/imports/" + std::to_string(oldest) + "/errors.csv"));
    requireStatus(200, supplier.get("/imports/" + std::to_string(others.front()) + "/errors.csv"));
    const std::string ofOldest = " WHERE import_id = " + std::to_string(oldest);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         supplier.on().database().integer("SELECT COUNT(*) FROM csv_import_pieces" + ofOldest));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100},
                         supplier.on().database().integer("SELECT COUNT(*) FROM csv_import_errors" + ofOldest));
}

} // namespace supplierd::tests
