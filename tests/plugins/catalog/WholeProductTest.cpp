#include "CatalogFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// Products are read beside somebody who changes them: what is answered was there at one moment.
class WholeProductTest : public CppUnit::TestFixture {};

TEST(WholeProductTest, productAndVariantsAreOfOneVersion) {
    SupplierClient supplier;
    const json product = supplier.create({{"stock_qty", 0}, {"variants", json::array({{{"name", "60 cm"}}})}});
    const std::string path = "/products/" + product["id"].dump();
    HttpClient other = supplier.anotherClient();
    std::int64_t stock = 0;
    const auto write = [&] {
        ++stock;
        const json variant = {{"id", product["variants"][0]["id"]}, {"stock_qty", stock}};
        const HttpResponse response = other.post(path, {{"stock_qty", stock}, {"variants", json::array({variant})}});
        requireStatus(200, response);
    };
    readBesideWriter(
        [&] {
            const HttpResponse response = supplier.get(path);
            requireStatus(200, response);
            const json read = response.data()["product"];
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, read["stock_qty"], read["variants"][0]["stock_qty"]);
            CPPUNIT_ASSERT_EQUAL('"' + read["version"].dump() + '"', response.header("ETag"));
        },
        write);
}

} // namespace supplierd::tests
