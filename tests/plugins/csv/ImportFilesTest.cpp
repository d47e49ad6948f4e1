#include "CsvFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

using nlohmann::json;

namespace {

std::string utf16Le(const std::string& ascii) {
    std::string bytes = "\xFF\xFE";
    for (const char c : ascii)
        bytes.append(1, c).append(1, '\0');
    return bytes;
}

std::string formatOf(const json& data) {
    const json& import = data["import"];
    return import["charset"].get<std::string>() + " " + import["separator"].get<std::string>() + " " +
           import["decimal"].get<std::string>();
}

/// Further names of a heading.
std::string manyColumns(int count, std::size_t length) {
    std::string columns;
    for (int i = 0; i < count; ++i)
        columns += "," + std::string(length, 'x');
    return columns;
}

std::string manyRows(int count) {
    std::string file = "sku\n";
    for (int i = 0; i < count; ++i)
        file += "A\n";
    return file;
}

} // namespace

/// Files as spreadsheets write them.
class ImportFilesTest : public CppUnit::TestFixture {};

TEST(ImportFilesTest, dutchExcelFileOfWindows1252IsUnderstood) {
    CsvClient supplier;
    const json data = supplier.import("Artikelnummer;Naam;Categorie;Prijs;Eenheid;BTW %\r\n"
                                      "R1;Roz\xE9;Cut flowers;\x80 1.234,50;steel;9%\r\n");
    requireCounts(data, 1, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::string("windows-1252 ; comma"), formatOf(data));
    const json product = supplier.bySku("R1");
    CPPUNIT_ASSERT_EQUAL(std::string("Rozé"), product["name"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(1234.5, product["base_price"].get<double>());
    CPPUNIT_ASSERT_EQUAL(9, product["vat_rate"].get<int>());
}

TEST(ImportFilesTest, excelsUnicodeTextIsUnderstood) {
    CsvClient supplier;
    const json data =
        supplier.import(utf16Le("sku\tname\tcategory\tprice\tunit\r\nA\t\"a \"\"b\"\"\"\tCut flowers\t1.5\tbox\r\n"));
    requireCounts(data, 1, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::string("utf-16le tab point"), formatOf(data));
    CPPUNIT_ASSERT_EQUAL(std::string("a \"b\""), supplier.bySku("A")["name"].get<std::string>());
}

TEST(ImportFilesTest, separatorLineAndEmptyRowsArePassedOver) {
    CsvClient supplier;
    const json data = supplier.import(std::string(BOM) + "sep=|\r\n\r\nsku|name|category|price|unit\r\n\r\n||||\r\n"
                                                         "A|a;b|Cut flowers|1|box\r\n|||\r\nB\r\n");
    requireCounts(data, 1, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(8, data["errors"][0]["row"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("B"), data["errors"][0]["sku"].get<std::string>());
}

TEST(ImportFilesTest, lineBreaksWithinCellsAndThreeHundredColumns) {
    CsvClient supplier;
    std::string heading = "sku,name,category,price,unit,description";
    std::string row = "A,n,Cut flowers,1,box,\"two\r\n\r\nlines; \"\"quoted\"\"\"";
    for (int i = 0; i < 294; ++i) {
        heading += ",x" + std::to_string(i);
        row += ",\"" + std::to_string(i) + "\"";
    }
    const json data = supplier.import(heading + "\n" + row + "\n");
    requireCounts(data, 1, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{294}, data["import"]["unknown_columns"].size());
    CPPUNIT_ASSERT_EQUAL(std::string("two\r\n\r\nlines; \"quoted\""),
                         supplier.bySku("A")["description"].get<std::string>());
}

TEST(ImportFilesTest, libreOfficeFileWithAllTextsInQuotesIsUnderstood) {
    CsvClient supplier;
    const json data = supplier.import("\"Artikelnummer\",\"Naam\",\"Categorie\",\"Prijs\",\"Eenheid\",\"Actief\"\n"
                                      "\"00017\",\"Roos, \"\"rood\"\"\nlang\",\"Cut flowers\",\"0,95\",\"steel\",WAAR\n"
                                      "\"00018\",\"Tulp\",\"Cut flowers\",\"1.200,50\",\"bos\",ONWAAR\n");
    requireCounts(data, 2, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::string("utf-8 , comma"), formatOf(data));
    const json rose = supplier.bySku("00017");
    CPPUNIT_ASSERT_EQUAL(std::string("Roos, \"rood\"\nlang"), rose["name"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(0.95, rose["base_price"].get<double>());
    const json tulip = supplier.bySku("00018");
    CPPUNIT_ASSERT_EQUAL(1200.5, tulip["base_price"].get<double>());
    CPPUNIT_ASSERT_EQUAL(false, tulip["is_active"].get<bool>());
}

TEST(ImportFilesTest, formulaeThatKeepLeadingZerosAreTexts) {
    CsvClient supplier;
    const std::string category = std::to_string(supplier.on().category());
    const std::string file = "sku,name,category_id,base_price,unit,stock_qty,color\n"
                             "\"=\"\"0042\"\"\",Rose," +
                             category + ",1,stem,\"=\"\"7\"\"\",=A1&\"x\"\n";
    requireCounts(supplier.import(file), 1, 0, 0, 0);
    const json product = supplier.bySku("0042");
    CPPUNIT_ASSERT_EQUAL(7, product["stock_qty"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("=A1&\"x\""),
                         product["color"].get<std::string>()); // which nothing here works out
    requireCounts(supplier.import(supplier.exported()), 0, 0, 1, 0);
}

TEST(ImportFilesTest, errorsOfFormulaeAreNoValues) {
    CsvClient supplier;
    supplier.create({{"sku", "A"}, {"color", "red"}, {"stock_qty", 3}});
    const json data = supplier.import("sku;Kleur;voorraad\nA;#N/B;3\nA2;;Err:509\n");
    requireCounts(data, 0, 0, 0, 2);
    const json& detail = data["errors"][0]["details"][0];
    CPPUNIT_ASSERT_EQUAL(std::string("Kleur"), detail["column"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("color is an error of the spreadsheet: #N/B"),
                         detail["message"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("red"), supplier.bySku("A")["color"].get<std::string>());
}

TEST(ImportFilesTest, unknownColumnsAreTold) {
    CsvClient supplier;
    const HttpResponse response = supplier.upload("sku,Leverdag,Prijs\nA,ma,1\n");
    const json import = dataOf(response, 202)["import"];
    CPPUNIT_ASSERT_EQUAL(std::string("[\"Leverdag\"]"), import["unknown_columns"].dump());
    CPPUNIT_ASSERT_EQUAL(std::string("[{\"column\":\"sku\",\"field\":\"sku\"},"
                                     "{\"column\":\"Prijs\",\"field\":\"base_price\"}]"),
                         import["columns"].dump());
    CPPUNIT_ASSERT_EQUAL(std::string("unknown column 'Leverdag' is left out"),
                         response.json()["warnings"][0]["message"].get<std::string>());
    supplier.waitForEnd(import["id"]);
}

TEST(ImportFilesTest, filesThatAreNoneAreRefusedAndLeaveNothing) {
    CsvClient supplier;
    for (const std::string& file :
         {std::string("\n\n"), std::string("name,price\nx,1\n"), std::string("sku,price,prijs\nx,1,2\n"),
          std::string("sku,na\0me\nA,b\n", 14), "sku," + std::string(256, 'x') + "\nA,b\n",
          "sku" + manyColumns(300, 250) + "\nA\n", manyRows(1'048'577), std::string(BOM) + "sku,name\nA,Roz\xE9\n",
          "sku,name\nA,\"" + std::string(10'000'000, 'x') + "\"\nB,b\n"})
        requireProblems(supplier.upload(file), {"file:unsupported"});
    CPPUNIT_ASSERT_EQUAL(0, dataOf(supplier.get("/imports"))["pagination"]["total_items"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         supplier.on().database().integer("SELECT COUNT(*) FROM csv_import_pieces p LEFT JOIN "
                                                          "csv_imports i ON i.id = p.import_id WHERE i.id IS NULL"));
}

TEST(ImportFilesTest, separatorLineMustNameOneThatSeparates) {
    CsvClient supplier;
    for (const char* separator : {" ", "\"", "\r", "\x01", "\xC3\xA9", "\x7F"})
        requireProblems(supplier.upload("sep=" + std::string(separator) + "\nsku name\nA b\n"), {"file:unsupported"});
    requireCounts(supplier.import("sep=^\nsku^name^category^price^unit\nA^a^Cut flowers^1^box\n"), 1, 0, 0, 0);
}

/// Of 64 characters, which are 256 bytes.
TEST(ImportFilesTest, longestSkusAreToldApart) {
    CsvClient supplier;
    std::string flowers;
    for (int i = 0; i < 63; ++i)
        flowers += "💐";
    const std::string file = "sku,name,category,price,unit\n" + flowers + "🌷,a,Cut flowers,1,box\n" + flowers +
                             "🌹,b,Cut flowers,1,box\n" + flowers + "🌹🌹,c,Cut flowers,1,box\n";
    const json data = supplier.import(file);
    requireCounts(data, 2, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(flowers + "🌹🌹", data["errors"][0]["sku"].get<std::string>());
    requireCounts(supplier.import(file), 0, 0, 2, 1);
}

TEST(ImportFilesTest, cellsThatNoFieldTakesAreErrorsOfTheirRows) {
    CsvClient supplier;
    std::string urls;
    for (int i = 0; i < 11; ++i)
        urls += "|http://image.example/" + std::to_string(i);
    const json data = supplier.import("sku,name,category,price,unit,description,image_urls\n"
                                      "A,a,Cut flowers,1,box," +
                                      std::string(500'000, '\x01') + ",\nB,b,Cut flowers,1,box,," + urls +
                                      "\nC,c,Cut flowers,1,box,short,\n");
    requireCounts(data, 1, 0, 0, 2);
    CPPUNIT_ASSERT_EQUAL(std::string("too_long"), data["errors"][0]["details"][0]["code"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("description"), data["errors"][0]["details"][0]["column"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("too_many"), data["errors"][1]["details"][0]["code"].get<std::string>());
}

TEST(ImportFilesTest, commasWithinCellsOfAnotherSeparatorMakeNoColumns) {
    CsvClient supplier;
    std::string list;
    for (int i = 0; i < 1'500; ++i)
        list += "x,";
    requireCounts(supplier.import("sku;name;category;price;unit;description\nA;a;Cut flowers;1;box;" + list + "\n"), 1,
                  0, 0, 0);
}

TEST(ImportFilesTest, decimalSignThatMayBeEitherIsAskedFor) {
    CsvClient supplier;
    supplier.create({{"sku", "A"}});
    requireProblems(supplier.upload("sku;price\nA;1,234\n"), {"decimal:required"});
    requireCounts(supplier.import("sku;price\nA;1,234\n", "decimal=comma"), 0, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(1.234, supplier.bySku("A")["base_price"].get<double>());
    requireCounts(supplier.import("sku;price\nA;1,234\n", "decimal=point"), 0, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(1234.0, supplier.bySku("A")["base_price"].get<double>());
}

TEST(ImportFilesTest, otherTypesAndLargerBodiesAreRefused) {
    CsvClient supplier;
    requireError(415, "UNSUPPORTED_MEDIA_TYPE", supplier.upload("{}", "", "application/json"));
    requireProblems(
        supplier.upload("sku\n", "separator=x&charset=y&decimal=z&empty=q&dry_run=1"),
        {"separator:not_in_set", "charset:not_in_set", "decimal:not_in_set", "empty:not_in_set", "dry_run:not_in_set"});
    HttpClient large = supplier.anotherClient();
    large.sendRaw("POST /api/v1/supplier/products/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n"
                  "Authorization: Bearer " +
                  supplier.key() + "\r\nContent-Length: 52428801\r\n\r\n");
    requireError(413, "PAYLOAD_TOO_LARGE", large.readResponse());
}

} // namespace supplierd::tests
