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

} // namespace supplierd::tests
