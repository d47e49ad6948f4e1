#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

class SuppliersTest : public CppUnit::TestFixture {};

TEST(SuppliersTest, twoRacingSuspensionsAreOneChange) {
    OperatorClient op;
    const SupplierClient supplier = op.createSupplier();
    race(8, [&](OperatorClient& another, int) { requireStatus(200, another.postEmpty(supplier.path("/suspend"))); });
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, op.audit("supplier", supplier.id()).size());
}

} // namespace supplierd::tests
