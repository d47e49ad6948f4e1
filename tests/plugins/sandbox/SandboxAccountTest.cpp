#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

class SandboxAccountTest : public CppUnit::TestFixture {};

TEST(SandboxAccountTest, racingRequestsMakeOneSandbox) {
    OperatorClient marketplace;
    const SupplierClient live = marketplace.createSupplier();
    race(8, [&](OperatorClient& another, int) {
        const int status = another.postEmpty(live.path("/sandbox")).status;
        CPPUNIT_ASSERT(status == 200 || status == 201);
    });
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{1},
        fixture().database().integer("SELECT COUNT(*) FROM suppliers WHERE sandbox_of = " + std::to_string(live.id())));
}

} // namespace supplierd::tests
