#include "host/gate/AddressCounts.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <Poco/Net/IPAddress.h>

#include <string>

namespace supplierd::tests {

class AddressCountsTest : public CppUnit::TestFixture {
protected:
    static host::ClientNetwork client(int number) {
        return host::ClientNetwork(Poco::Net::IPAddress("192.0.2." + std::to_string(number)));
    }
};

TEST(AddressCountsTest, eachClientHasPlacesOfItsOwn) {
    host::AddressCounts counts(2);
    for (int i = 1; i <= 3; ++i)
        CPPUNIT_ASSERT(counts.take(client(i)) && counts.take(client(i)) && !counts.take(client(i)));
    counts.release(client(2));
    CPPUNIT_ASSERT(!counts.take(client(1)) && counts.take(client(2)) && !counts.take(client(2)));
}

TEST(AddressCountsTest, placesAreCountedRightFromAnyThread) {
    host::AddressCounts counts(4);
    together(4, [&](int thread) {
        for (int i = 0; i < 20'000; ++i) {
            const auto own = client(10 + (thread + i) % 40); // they come and go
            CPPUNIT_ASSERT(counts.take(client(1)) && counts.take(own));
            counts.release(own);
            counts.release(client(1));
        }
    });
    for (int i = 0; i < 4; ++i)
        CPPUNIT_ASSERT(counts.take(client(1)));
    CPPUNIT_ASSERT(!counts.take(client(1)));
}

} // namespace supplierd::tests
