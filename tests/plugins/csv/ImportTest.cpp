#include "CsvFixture.h"
#include "tests/support/Test.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

std::string utf16Le(const std::string& ascii) {
    std::string bytes = "\xFF\xFE";
    for (const char c : ascii)
        bytes.append(1, c).append(1, '\0');
    return bytes;
}

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
        requireProblems(third.readResponse(), {":too_many"});
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

TEST(ImportTest, excelsUnicodeTextIsUnderstood) {
    CsvClient supplier;
    const json data =
        supplier.import(utf16Le("sku\tname\tcategory\tprice\tunit\r\nA\t\"a \"\"b\"\"\"\tCut flowers\t1.5\tbox\r\n"));
    requireCounts(data, 1, 0, 0, 0);
    CPPUNIT_ASSERT_EQUAL(json("utf-16le"), data["import"]["charset"]);
    CPPUNIT_ASSERT_EQUAL(json("tab"), data["import"]["separator"]);
    CPPUNIT_ASSERT_EQUAL(json("point"), data["import"]["decimal"]);
    CPPUNIT_ASSERT_EQUAL(std::string("a \"b\""), supplier.bySku("A")["name"].get<std::string>());
}

TEST(ImportTest, aLargerBodyIsRefused) {
    CsvClient supplier;
    HttpClient large = supplier.anotherClient();
    large.sendRaw("POST /api/v1/supplier/products/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n"
                  "Authorization: Bearer " +
                  supplier.key() + "\r\nContent-Length: 52428801\r\n\r\n");
    requireError(413, "PAYLOAD_TOO_LARGE", large.readResponse());
}

TEST(ImportTest, anExportOfMoreThanAPieceIsStreamed) {
    CsvClient supplier;
    supplier.fill(3'000);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3'001}, linesOf(supplier.exported("sort=id")).size());
}

TEST(ImportTest, dryRunSaysWhatWouldChange) {
    CsvClient supplier;
    const std::string head = "sku,name,category,base_price,unit,variant_sku,variant_name,variant_base_price\n";
    requireCounts(supplier.import(head + "A,Avalanche,Cut flowers,0.85,stem,,,\n" +
                                  "B,Bonsai,Cut flowers,20,piece,,,\n" + "B,,,,,B-1,small,18\n"),
                  3, 0, 0, 0);
    const std::string file =
        head + "B,Bonsai tree,,20,,,,\n" + "C,Cactus,Cut flowers,3,piece,,,\n" + "A,,,8.5,,,,\n" + "B,,,,,B-1,,6\n";
    const json checked = supplier.import(file, "dry_run=true");
    requireCounts(checked, 1, 3, 0, 0);
    CPPUNIT_ASSERT_EQUAL(json(2), checked["import"]["far_prices"]);
    const json far = {{{"row", 4},
                       {"sku", "A"},
                       {"name", "Avalanche"},
                       {"outcome", "updated"},
                       {"far_price", true},
                       {"before", {{"base_price", 0.85}}},
                       {"after", {{"base_price", 8.5}}}},
                      {{"row", 5},
                       {"sku", "B"},
                       {"name", "Bonsai"},
                       {"outcome", "updated"},
                       {"far_price", true},
                       {"before", {{"variant", {{"base_price", 18}}}}},
                       {"after", {{"variant", {{"base_price", 6}}}}}}};
    const json& changes = checked["changes"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, changes.size());
    CPPUNIT_ASSERT_EQUAL(far, json({changes[0], changes[1]}));
    CPPUNIT_ASSERT_EQUAL(json({{"name", "Bonsai"}}), changes[2]["before"]);
    CPPUNIT_ASSERT_EQUAL(json("created"), changes[3]["outcome"]);
    CPPUNIT_ASSERT_EQUAL(json(nullptr), changes[3]["name"]);
    CPPUNIT_ASSERT_EQUAL(json("Cactus"), changes[3]["after"]["name"]);
    const json done = supplier.import(file);
    CPPUNIT_ASSERT_EQUAL(json::array(), done["changes"]);
    CPPUNIT_ASSERT_EQUAL(json(0), done["import"]["far_prices"]);
}

TEST(ImportTest, farPriceAtTheEndOfALongFileIsShownFirst) {
    CsvClient supplier;
    constexpr int ROWS = 450; // more than a batch
    const std::int64_t category = supplier.on().category();
    supplier.import(productsFile(ROWS, category));
    std::string file = productsFile(ROWS, category, 6);
    file += "SKU-LAST,Last," + std::to_string(category) + ",5,stem,1\n";
    supplier.import(file);
    file = productsFile(ROWS, category, 7) + "SKU-LAST,Last," + std::to_string(category) + ",0,stem,1\n";
    const json checked = supplier.import(file, "dry_run=true");
    requireCounts(checked, 0, ROWS + 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, checked["changes"].size());
    CPPUNIT_ASSERT_EQUAL(json("SKU-LAST"), checked["changes"][0]["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("SKU-1"), checked["changes"][1]["sku"]);
    CPPUNIT_ASSERT_EQUAL(json(1), checked["import"]["far_prices"]);
}

} // namespace supplierd::tests
