#include "host/ctl/terminal/Listing.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <sstream>

namespace supplierd::tests {

using host::Listing;

class ListingTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ListingTest);
    CPPUNIT_TEST(testTableAlignsCodePointsAndNumbers);
    CPPUNIT_TEST(testJsonKeepsKindsAndNulls);
    CPPUNIT_TEST_SUITE_END();

public:
    void testTableAlignsCodePointsAndNumbers() {
        std::ostringstream out;
        listing().printTable(out);
        CPPUNIT_ASSERT_EQUAL(std::string("ID  NAME  ACTIVE\n"
                                         " 7  Zoë   yes\n"
                                         "10        no\n"),
                             out.str());
    }

    void testJsonKeepsKindsAndNulls() {
        std::string text;
        JsonWriter writer(text);
        listing().appendJson(writer);
        CPPUNIT_ASSERT_EQUAL(
            std::string(R"([{"id":7,"name":"Zoë","active":true},{"id":10,"name":null,"active":false}])"), text);
    }

private:
    static Listing listing() {
        Listing result(
            {{"id", "ID", Listing::Kind::Integer}, {"name", "NAME"}, {"active", "ACTIVE", Listing::Kind::Boolean}});
        result.add({"7", "Zoë", "true"});
        result.add({"10", std::nullopt, "false"});
        return result;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ListingTest);

} // namespace supplierd::tests
