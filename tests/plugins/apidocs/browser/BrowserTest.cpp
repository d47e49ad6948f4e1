#include "tests/browser/BrowserRun.h"
#include "tests/support/Places.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// The pages below /docs in a browser: pages.mjs has what is looked at.
class BrowserTest : public CppUnit::TestFixture {
protected:
    static void look(const std::string& testCase) {
        requireBrowser();
        static SupplierClient supplier = [] {
            SupplierClient client;
            client.create({{"name", "Rosa Avalanche"}, {"sku", "RA-50"}});
            return client;
        }();
        static const std::string operatorKey = fixture().server().createOperatorKey();
        runInBrowser(sourcePath("tests/plugins/apidocs/browser/pages.mjs"), testCase, fixture().server().rootUrl(),
                     "apidocs", {{"KEY", supplier.key()}, {"OPERATOR_KEY", operatorKey}});
    }
};

TEST(BrowserTest, everyPageIsAccessibleInLightAndDarkOnEveryScreen) {
    look("everyPage");
}

TEST(BrowserTest, requestsAreTriedWithAKeyThatIsNotKept) {
    look("tryIt");
}

TEST(BrowserTest, operatorsTryTheirRequestsToo) {
    look("operatorsReference");
}

TEST(BrowserTest, everyPageIsSmallAndSoonThere) {
    look("weight");
}

TEST(BrowserTest, searchFindsGuidesAndOperations) {
    look("search");
}

TEST(BrowserTest, pageThatIsNotThereLeadsToThoseThatAre) {
    look("notFound");
}

TEST(BrowserTest, guideListsItsPartsAndLeadsToTheNextOne) {
    look("ways");
}

TEST(BrowserTest, chosenLanguageIsThatOfAllExamples) {
    look("languages");
}

TEST(BrowserTest, pagesAreUsedByKeyboard) {
    look("keyboard");
}

TEST(BrowserTest, guidesAndReferencesAreReadWithoutScripts) {
    look("withoutScripts");
}

} // namespace supplierd::tests
