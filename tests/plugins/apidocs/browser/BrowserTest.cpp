#include "tests/browser/BrowserRun.h"
#include "tests/support/SupplierClient.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

/// The pages below /docs in a browser: pages.mjs has what is looked at.
class BrowserTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(BrowserTest);
    CPPUNIT_TEST(testEveryPageIsAccessibleInLightAndDarkOnDesktopAndPhone);
    CPPUNIT_TEST(testRequestsAreTriedWithAKeyThatIsNotKept);
    CPPUNIT_TEST(testOperatorsTryTheirRequestsToo);
    CPPUNIT_TEST(testChosenLanguageIsThatOfAllExamples);
    CPPUNIT_TEST(testPagesAreUsedByKeyboard);
    CPPUNIT_TEST(testGuidesAreReadWithoutScripts);
    CPPUNIT_TEST_SUITE_END();

    static void look(const std::string& testCase) {
        if (!hasBrowser())
            return;
        static SupplierClient supplier = [] {
            SupplierClient client;
            client.create({{"name", "Rosa Avalanche"}, {"sku", "RA-50"}});
            return client;
        }();
        static const std::string operatorKey = fixture().server().createOperatorKey();
        runInBrowser(SUPPLIERD_TEST_SOURCE_DIR "/tests/plugins/apidocs/browser/pages.mjs", testCase,
                     fixture().server().rootUrl(), "apidocs", {{"KEY", supplier.key()}, {"OPERATOR_KEY", operatorKey}});
    }

public:
    void testEveryPageIsAccessibleInLightAndDarkOnDesktopAndPhone() { look("everyPage"); }
    void testRequestsAreTriedWithAKeyThatIsNotKept() { look("tryIt"); }
    void testOperatorsTryTheirRequestsToo() { look("operatorsReference"); }
    void testChosenLanguageIsThatOfAllExamples() { look("languages"); }
    void testPagesAreUsedByKeyboard() { look("keyboard"); }
    void testGuidesAreReadWithoutScripts() { look("withoutScripts"); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(BrowserTest);

} // namespace supplierd::tests
