#include "list/ProductList.h"

#include <cppunit/extensions/HelperMacros.h>

namespace supplierd::tests {

using catalog::SupplierTurns;

class SupplierTurnsTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(SupplierTurnsTest);
    CPPUNIT_TEST(testOneRequestOfEachSupplierHasItsTurn);
    CPPUNIT_TEST_SUITE_END();

public:
    void testOneRequestOfEachSupplierHasItsTurn() {
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
};

CPPUNIT_TEST_SUITE_REGISTRATION(SupplierTurnsTest);

} // namespace supplierd::tests
