#include "host/http/RequestId.h"

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>

namespace supplierd::tests {

using host::isValidRequestId;
using host::newRequestId;

class RequestIdTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RequestIdTest);
    CPPUNIT_TEST(testLettersDigitsDotUnderscoreAndHyphenAreValid);
    CPPUNIT_TEST(testSixtyFourCharactersAreTheMost);
    CPPUNIT_TEST(testEverythingElseIsInvalid);
    CPPUNIT_TEST(testMadeIdsAreValidAndDiffer);
    CPPUNIT_TEST_SUITE_END();

public:
    void testLettersDigitsDotUnderscoreAndHyphenAreValid() {
        CPPUNIT_ASSERT(isValidRequestId("a"));
        CPPUNIT_ASSERT(isValidRequestId("Order_2026.11-20"));
    }

    void testSixtyFourCharactersAreTheMost() {
        CPPUNIT_ASSERT(isValidRequestId(std::string(64, 'x')));
        CPPUNIT_ASSERT(!isValidRequestId(std::string(65, 'x')));
    }

    void testEverythingElseIsInvalid() {
        for (const char* text : {"", " ", "a b", "a/b", "a\"b", "a\nb", "\xc3\xa9", "{}", "a,b", "<script>"})
            CPPUNIT_ASSERT_MESSAGE(text, !isValidRequestId(text));
        CPPUNIT_ASSERT(!isValidRequestId(std::string_view("a\0b", 3)));
    }

    void testMadeIdsAreValidAndDiffer() {
        std::set<std::string> seen;
        for (int i = 0; i < 10'000; ++i) {
            const auto id = newRequestId();
            CPPUNIT_ASSERT(isValidRequestId(id));
            CPPUNIT_ASSERT_MESSAGE(id, seen.insert(id).second);
        }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(RequestIdTest);

} // namespace supplierd::tests
