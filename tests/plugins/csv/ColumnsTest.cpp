#include "Columns.h"

#include "text/RecordReader.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

std::string columnOf(const std::string& heading) {
    const csv::Column* const column = csv::columnNamed(heading);
    return column ? std::string(column->name) : "none";
}

std::string problemOf(const std::vector<std::string>& cells) {
    try {
        const csv::Heading heading(cells);
        return "";
    } catch (const csv::FileProblem& problem) {
        return problem.what();
    }
}

} // namespace

class ColumnsTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ColumnsTest);
    CPPUNIT_TEST(testColumnsAreKnownByNamesInTwoLanguages);
    CPPUNIT_TEST(testEveryExportedColumnIsKnownByItsOwnName);
    CPPUNIT_TEST(testHeadingWithoutSkuIsRefused);
    CPPUNIT_TEST(testTwoColumnsOfTheSameMeaningAreRefused);
    CPPUNIT_TEST(testUnknownColumnsAreTold);
    CPPUNIT_TEST(testWordsOfSheetsAreTheApis);
    CPPUNIT_TEST_SUITE_END();

public:
    void testColumnsAreKnownByNamesInTwoLanguages() {
        CPPUNIT_ASSERT_EQUAL(std::string("base_price"), columnOf(" Base-Price "));
        CPPUNIT_ASSERT_EQUAL(std::string("base_price"), columnOf("PRIJS"));
        CPPUNIT_ASSERT_EQUAL(std::string("sku"), columnOf("Artikelnr."));
        CPPUNIT_ASSERT_EQUAL(std::string("country_of_origin"), columnOf("Land van herkomst"));
        CPPUNIT_ASSERT_EQUAL(std::string("vat_rate"), columnOf("BTW-%"));
        CPPUNIT_ASSERT_EQUAL(std::string("none"), columnOf("Lieblingsfarbe"));
        CPPUNIT_ASSERT_EQUAL(std::string("none"), columnOf(""));
    }

    void testEveryExportedColumnIsKnownByItsOwnName() {
        for (const csv::Column& column : csv::PRODUCT_COLUMNS)
            CPPUNIT_ASSERT_EQUAL(std::string(column.name), columnOf(std::string(column.name)));
    }

    void testHeadingWithoutSkuIsRefused() {
        CPPUNIT_ASSERT(problemOf({"name", "price"}).find("no column sku") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string(), problemOf({"code", "price"}));
    }

    void testTwoColumnsOfTheSameMeaningAreRefused() {
        CPPUNIT_ASSERT_EQUAL(std::string("two columns of the first row mean base_price: Prijs and price"),
                             problemOf({"sku", "Prijs", "price"}));
    }

    void testUnknownColumnsAreTold() {
        const csv::Heading heading({"sku", "Leverdag", "", "errors", "created_at"});
        CPPUNIT_ASSERT(heading.unknown() == std::vector<std::string>{"Leverdag"});
    }

    void testWordsOfSheetsAreTheApis() {
        CPPUNIT_ASSERT_EQUAL(std::string("stem"), csv::termOf(" Steel"));
        CPPUNIT_ASSERT_EQUAL(std::string("bunch"), csv::termOf("BUNCH"));
        CPPUNIT_ASSERT_EQUAL(std::string("pallet"), csv::termOf("Pallet"));
        CPPUNIT_ASSERT(csv::truthOf("WAAR") == true);
        CPPUNIT_ASSERT(csv::truthOf("nee") == false);
        CPPUNIT_ASSERT(!csv::truthOf("maybe"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ColumnsTest);

} // namespace supplierd::tests
