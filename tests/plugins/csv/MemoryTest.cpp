#include "CsvFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <fstream>
#include <string>

namespace supplierd::tests {

namespace {

constexpr int PRODUCTS = 20'000;
/// Of each product's description.
constexpr int BYTES = 2'500;
constexpr std::int64_t FILE_KIB = std::int64_t{PRODUCTS} * BYTES / 1'024;

/// How much more memory than at its beginning the server had at its most, in KiB. Lifetime: the server's.
class PeakGrowth {
public:
    explicit PeakGrowth(pid_t server) : _folder("/proc/" + std::to_string(server)), _before(field("VmRSS:")) {
        std::ofstream(_folder + "/clear_refs") << 5; // the peak is that from now on
    }
    std::int64_t now() const { return field("VmHWM:") - _before; }

private:
    std::int64_t field(const std::string& name) const {
        std::ifstream status(_folder + "/status");
        for (std::string word; status >> word;)
            if (std::int64_t size = 0; word == name && status >> size)
                return size;
        CPPUNIT_FAIL(_folder + "/status has no " + name);
        return 0;
    }

    std::string _folder;
    std::int64_t _before;
};

} // namespace

/// Files of 50 MiB, of which the server has a piece at a time in memory.
class MemoryTest : public CppUnit::TestFixture {
protected:
    static void requireLessThanHalf(const PeakGrowth& growth) {
        const std::int64_t kib = growth.now();
        CPPUNIT_ASSERT_MESSAGE("the server took " + std::to_string(kib) + " KiB for a file of " +
                                   std::to_string(FILE_KIB) + " KiB",
                               kib < FILE_KIB / 2);
    }
};

TEST(MemoryTest, exportTakesAPieceOfItsFile) {
    CsvClient supplier;
    supplier.fill(PRODUCTS);
    supplier.on().database().exec("UPDATE products SET description = REPEAT('x', " + std::to_string(BYTES) +
                                  ") WHERE supplier_id = " + std::to_string(supplier.id()));
    linesOf(supplier.exported("search=000001")); // its products are in memory
    const PeakGrowth growth(supplier.on().server().pid());
    const std::string file = supplier.exported("sort=name");
    CPPUNIT_ASSERT_EQUAL(std::size_t{PRODUCTS} + 1, linesOf(file).size());
    CPPUNIT_ASSERT(static_cast<std::int64_t>(file.size()) / 1'024 > FILE_KIB);
    requireLessThanHalf(growth);
}

/// With a hundred variants each, by which 200 of them are as large as the other test's file.
TEST(MemoryTest, exportTakesFewOfLargeProducts) {
    CsvClient supplier;
    std::string text;
    for (int i = 0; i < 240; ++i)
        text += "€";
    json variants = json::array();
    for (int i = 0; i < 100; ++i)
        variants.push_back({{"name", std::to_string(i) + text}, {"color", text.substr(0, 180)}});
    for (int i = 0; i < 60; ++i)
        supplier.create({{"variants", variants}});
    supplier.exported("search=nothing");
    const PeakGrowth growth(supplier.on().server().pid());
    together(4, [&](int) {
        HttpClient client = supplier.anotherClient();
        requireStatus(200, client.get("/products/export.csv"));
    });
    requireLessThanHalf(growth);
}

TEST(MemoryTest, importTakesAPieceOfItsFile) {
    CsvClient supplier;
    std::string file = "sku,name,category_id,base_price,unit,description\r\n";
    const std::string rest =
        ",Rose," + std::to_string(supplier.on().category()) + ",0.85,stem," + std::string(BYTES, 'x') + "\r\n";
    for (int i = 1; i <= PRODUCTS; ++i)
        file += "M-" + std::to_string(i) + rest;
    supplier.import(productsFile(1, supplier.on().category()), "dry_run=true");
    const PeakGrowth growth(supplier.on().server().pid());
    requireCounts(supplier.import(file, "dry_run=true"), PRODUCTS, 0, 0, 0);
    requireLessThanHalf(growth);
}

/// Of characters that take six bytes in JSON.
TEST(MemoryTest, rowsAsLargeAsTheyMayBeAreTakenOneAtATime) {
    CsvClient supplier;
    std::string rest;
    for (int i = 0; i < 20; ++i)
        rest += "," + std::string(64'000, '\x01');
    std::string file = "sku,name,description,color,country_of_origin,variant_name,variant_color,variant_sku,category\n";
    for (int i = 1; i <= 35; ++i)
        file += "L-" + std::to_string(i) + rest + "\n";
    supplier.import(productsFile(1, supplier.on().category()), "dry_run=true");
    const PeakGrowth growth(supplier.on().server().pid());
    requireCounts(supplier.import(file), 0, 0, 0, 35);
    requireLessThanHalf(growth);
}

} // namespace supplierd::tests
