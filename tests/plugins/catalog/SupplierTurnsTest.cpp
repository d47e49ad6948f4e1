#include "list/ProductList.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

using catalog::SupplierTurns;

class SupplierTurnsTest : public CppUnit::TestFixture {};

TEST(SupplierTurnsTest, oneRequestOfEachSupplierHasItsTurn) {
    SupplierTurns turns;
    {
        const auto first = turns.tryTake(7);
        CPPUNIT_ASSERT(first != nullptr);
        CPPUNIT_ASSERT(turns.tryTake(7) == nullptr);
        CPPUNIT_ASSERT(turns.tryTake(7) == nullptr);
        const auto other = turns.tryTake(8);
        CPPUNIT_ASSERT(other != nullptr);
    }
    CPPUNIT_ASSERT(turns.tryTake(7) != nullptr);
    CPPUNIT_ASSERT(turns.tryTake(7) != nullptr); // the one before ended with its line
}

} // namespace supplierd::tests
