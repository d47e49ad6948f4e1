#include "CsvFixture.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

namespace {

/// Returns once the server has room for so many bytes of files that are on their way.
void waitUntilAdmitted(std::int64_t bytes) {
    const std::string line = "supplierd_held_bytes{place=\"files\"} " + std::to_string(bytes) + "\n";
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (fixture().server().adminClient().get("/metrics").body.find(line) == std::string::npos) {
        CPPUNIT_ASSERT_MESSAGE(line, std::chrono::steady_clock::now() < limit);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

} // namespace

class ImportTest : public CppUnit::TestFixture {};

TEST(ImportTest, productsAreCreatedAndThenChangedBySku) {
    CsvClient supplier;
    const HttpResponse accepted = supplier.upload("sku,name,category_id,base_price,unit,stock_qty\n"
                                                  "RN-60,Red Naomi,none,0.85,stem,100\n");
    requireStatus(202, accepted);
    CPPUNIT_ASSERT_EQUAL("/api/v1/supplier/imports/" + accepted.data()["import"]["id"].dump(),
                         accepted.header("Location"));
    requireCounts(supplier.waitForEnd(accepted.data()["import"]["id"]), 0, 0, 0, 1);

    requireCounts(supplier.import("Artikelnummer;Naam;Categorie;Prijs;Eenheid;Voorraad;Kleur\n"
                                  "RN-60;Red Naomi;cut flowers;0,85;steel;100;rood\n"
                                  "TU-1;Tulp \"Parade\";Cut Flowers;1.200,50;bos;5;\n"),
                  2, 0, 0, 0);
    const json rose = supplier.bySku("RN-60");
    CPPUNIT_ASSERT_EQUAL(0.85, rose["base_price"].get<double>());
    CPPUNIT_ASSERT_EQUAL(std::string("stem"), rose["unit"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(100, rose["stock_qty"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("rood"), rose["color"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("pending"), rose["approval"]["status"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(1200.5, supplier.bySku("TU-1")["base_price"].get<double>());

    requireCounts(supplier.import("sku,base_price\nrn-60,0.9\nTU-1,1200.50\n"), 0, 1, 1, 0);
    const json changed = supplier.bySku("RN-60");
    CPPUNIT_ASSERT_EQUAL(0.9, changed["base_price"].get<double>());
    CPPUNIT_ASSERT_EQUAL(100, changed["stock_qty"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("RN-60"), changed["sku"].get<std::string>());
}

TEST(ImportTest, sameFileTwiceChangesNothing) {
    CsvClient supplier;
    const std::string file = productsFile(450, supplier.on().category());
    requireCounts(supplier.import(file), 450, 0, 0, 0);
    const std::int64_t seq = supplier.changeSeq();
    requireCounts(supplier.import(file), 0, 0, 450, 0);
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());
}

TEST(ImportTest, dryRunChangesNothing) {
    CsvClient supplier;
    supplier.create({{"sku", "SKU-1"}, {"name", "Rose 1"}});
    const std::int64_t seq = supplier.changeSeq();
    const json data =
        supplier.import(productsFile(3, supplier.on().category()) + "SKU-9,,1,x,stem,1\r\n", "dry_run=true");
    requireCounts(data, 2, 1, 0, 1);
    CPPUNIT_ASSERT(data["import"]["dry_run"].get<bool>());
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, supplier.ids().size());
}

TEST(ImportTest, whatIsWrittenIsWhatTheApiWrites) {
    CsvClient supplier;
    OperatorClient platform;
    const json made = supplier.create({{"sku", "A"}, {"name", "Old"}, {"stock_qty", 1}, {"base_price", 2}});
    const std::int64_t before = supplier.changeSeq();
    requireCounts(supplier.import("sku,name,category_id,base_price,unit,stock_qty,is_active\n"
                                  "A,New," +
                                  std::to_string(supplier.on().category()) +
                                  ",3,stem,4,ja\n"
                                  "B,Second," +
                                  std::to_string(supplier.on().category()) + ",3,box,4,nee\n"),
                  1, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(before + 1, supplier.changeSeq());
    const json entry = platform.audit("product", idOf(made)).at(0);
    CPPUNIT_ASSERT_EQUAL(std::string("product.update"), entry["action"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(supplier.key().substr(0, 11), entry["actor"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(json({{"name", "Old"}, {"base_price", 2}, {"stock_qty", 1}}).dump(), entry["before"].dump());
    const json second = supplier.bySku("B");
    CPPUNIT_ASSERT(!second["is_active"].get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::string("product.create"),
                         platform.audit("product", idOf(second)).at(0)["action"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(
        std::string("product.created product.price_changed product.stock_changed product.updated"),
        supplier.on().database().text("SELECT kind FROM changes WHERE supplier_id = " + std::to_string(supplier.id()) +
                                      " AND change_seq = " + std::to_string(before + 1)));
    supplier.requireTrueTotals();
}

TEST(ImportTest, productsWithoutSkuAreFoundById) {
    CsvClient supplier;
    const json product = supplier.create({{"name", "No SKU"}});
    requireCounts(supplier.import("id,sku,name\n" + product["id"].dump() + ",,Named\n999999999,,Nobody\n,,Neither\n"),
                  0, 1, 0, 2);
    CPPUNIT_ASSERT_EQUAL(std::string("Named"), supplier.read(product["id"])["name"].get<std::string>());
}

TEST(ImportTest, emptyCellsKeepOrClear) {
    CsvClient supplier;
    const json product = supplier.create({{"sku", "A"}, {"color", "red"}, {"stock_qty", 3}});
    requireCounts(supplier.import("sku,color,stock_qty\nA,,\n"), 0, 0, 1, 0);
    requireCounts(supplier.import("sku,color,stock_qty\nA,,\n", "empty=clear"), 0, 1, 0, 0);
    const json cleared = supplier.read(product["id"]);
    CPPUNIT_ASSERT(cleared["color"].is_null());
    CPPUNIT_ASSERT_EQUAL(0, cleared["stock_qty"].get<int>());
}

TEST(ImportTest, otherSuppliersProductsStayAsTheyAre) {
    CsvClient supplier;
    CsvClient other;
    const json theirs = other.create({{"sku", "SKU-1"}, {"name", "Theirs"}});
    requireCounts(supplier.import(productsFile(2, supplier.on().category())), 2, 0, 0, 0);
    requireCounts(supplier.import("id,name\n" + theirs["id"].dump() + ",Taken\n"), 0, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(theirs.dump(), other.read(theirs["id"]).dump());
}

TEST(ImportTest, manyBatchesAreOneImport) {
    CsvClient supplier;
    const json data = supplier.import(productsFile(1'000, supplier.on().category()), "file_name=roses.csv");
    requireCounts(data, 1'000, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(1'000, data["import"]["rows_total"].get<int>());
    CPPUNIT_ASSERT_EQUAL(1'000, data["import"]["rows_done"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("roses.csv"), data["import"]["file_name"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(1'000, supplier.list()["pagination"]["total_items"].get<int>());
    supplier.requireTrueTotals();
}

TEST(ImportTest, listShowsImportsAndNobodyElseSeesThem) {
    CsvClient supplier;
    const json first = supplier.import(productsFile(1, supplier.on().category()))["import"];
    const json second = supplier.import(productsFile(2, supplier.on().category()))["import"];
    const json listed = dataOf(supplier.get("/imports"));
    CPPUNIT_ASSERT(idsOf(listed["imports"]) == (std::vector{idOf(second), idOf(first)}));
    CPPUNIT_ASSERT_EQUAL(2, listed["pagination"]["total_items"].get<int>());
    CsvClient other;
    const std::string path = "/imports/" + first["id"].dump();
    for (const HttpResponse& response :
         {other.get(path), other.get(path + "/errors.csv"), other.postEmpty(path + "/cancel")})
        requireError(404, "NOT_FOUND", response);
    CPPUNIT_ASSERT_EQUAL(0, dataOf(other.get("/imports"))["pagination"]["total_items"].get<int>());
}

TEST(ImportTest, onlySoManyAreUnderWayAtOnce) {
    CsvClient supplier;
    TestDatabase& database = supplier.on().database();
    for (const char* slot : {"1", "2"})
        database.insert("csv_imports", {{"supplier_id", std::to_string(supplier.id())},
                                        {"slot", slot},
                                        {"state", "0"},
                                        {"is_dry_run", "0"},
                                        {"clears_empty", "0"},
                                        {"actor", "''"},
                                        {"actor_kind", "0"},
                                        {"request_id", "''"}});
    requireError(409, "CONFLICT", supplier.upload(productsFile(1, supplier.on().category())));
    database.exec("UPDATE csv_imports SET slot = NULL, state = 5 WHERE slot = 2 AND supplier_id = " +
                  std::to_string(supplier.id()));
    requireCounts(supplier.import(productsFile(1, supplier.on().category())), 1, 0, 0, 0);
}

// Of what is on its way, nothing is in the database yet.
TEST(ImportTest, oneTooManyIsRefusedBeforeItsFileIsReceived) {
    CsvClient supplier;
    const std::string file = productsFile(1, supplier.on().category());
    const std::string head = "POST /api/v1/supplier/products/import HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " +
                             supplier.key() + "\r\nContent-Type: text/csv\r\nContent-Length: 50000000\r\n\r\n";
    {
        std::vector<HttpClient> senders;
        for (int i = 0; i < 2; ++i) {
            senders.push_back(supplier.anotherClient());
            senders.back().sendRaw(head + file);
        }
        waitUntilAdmitted(100'000'000);
        HttpClient third = supplier.anotherClient();
        third.sendRaw(head);
        requireError(409, "CONFLICT", third.readResponse());
        CsvClient other; // has places of its own
        requireCounts(other.import(productsFile(1, other.on().category())), 1, 0, 0, 0);
    }
    waitUntilAdmitted(0);
    requireCounts(supplier.import(file), 1, 0, 0, 0);
}

TEST(ImportTest, cancelledImportGoesNoFurther) {
    CsvClient supplier;
    const json import = dataOf(supplier.upload(productsFile(20'000, supplier.on().category())), 202)["import"];
    const std::string path = "/imports/" + import["id"].dump();
    const json cancelled = dataOf(supplier.postEmpty(path + "/cancel"))["import"];
    CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), cancelled["state"].get<std::string>());
    const int products = supplier.list()["pagination"]["total_items"];
    CPPUNIT_ASSERT(products < 20'000);
    requireCounts(supplier.import("sku,name\nnone,x\n"), 0, 0, 0, 1); // the job has been past it since
    CPPUNIT_ASSERT_EQUAL(products, supplier.list()["pagination"]["total_items"].get<int>());
    CPPUNIT_ASSERT_EQUAL(cancelled["rows_done"].dump(), dataOf(supplier.get(path))["import"]["rows_done"].dump());
}

} // namespace supplierd::tests
