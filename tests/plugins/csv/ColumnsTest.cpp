#include "Columns.h"

#include "tests/support/Test.h"
#include "text/RecordReader.h"

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

class ColumnsTest : public CppUnit::TestFixture {};

TEST(ColumnsTest, columnsAreKnownByNamesInTwoLanguages) {
    CPPUNIT_ASSERT_EQUAL(std::string("base_price"), columnOf(" Base-Price "));
    CPPUNIT_ASSERT_EQUAL(std::string("base_price"), columnOf("PRIJS"));
    CPPUNIT_ASSERT_EQUAL(std::string("sku"), columnOf("Artikelnr."));
    CPPUNIT_ASSERT_EQUAL(std::string("country_of_origin"), columnOf("Land van herkomst"));
    CPPUNIT_ASSERT_EQUAL(std::string("vat_rate"), columnOf("BTW-%"));
    CPPUNIT_ASSERT_EQUAL(std::string("none"), columnOf("Lieblingsfarbe"));
    CPPUNIT_ASSERT_EQUAL(std::string("none"), columnOf(""));
}

TEST(ColumnsTest, everyExportedColumnIsKnownByItsOwnName) {
    for (const csv::Column& column : csv::productColumns())
        CPPUNIT_ASSERT_EQUAL(std::string(column.name), columnOf(std::string(column.name)));
}

TEST(ColumnsTest, headingWithoutSkuIsRefused) {
    CPPUNIT_ASSERT(problemOf({"name", "price"}).find("no column sku") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string(), problemOf({"code", "price"}));
}

TEST(ColumnsTest, twoColumnsOfTheSameMeaningAreRefused) {
    CPPUNIT_ASSERT_EQUAL(std::string("two columns of the first row mean base_price: Prijs and price"),
                         problemOf({"sku", "Prijs", "price"}));
}

TEST(ColumnsTest, unknownColumnsAreTold) {
    const csv::Heading heading({"sku", "Leverdag", "", "errors", "created_at"});
    CPPUNIT_ASSERT(heading.unknown() == std::vector<std::string>{"Leverdag"});
}

TEST(ColumnsTest, wordsOfSheetsAreTheApis) {
    CPPUNIT_ASSERT_EQUAL(std::string("stem"), csv::termOf(" Steel"));
    CPPUNIT_ASSERT_EQUAL(std::string("bunch"), csv::termOf("BUNCH"));
    CPPUNIT_ASSERT_EQUAL(std::string("pallet"), csv::termOf("Pallet"));
    CPPUNIT_ASSERT(csv::truthOf("WAAR") == true);
    CPPUNIT_ASSERT(csv::truthOf("nee") == false);
    CPPUNIT_ASSERT(!csv::truthOf("maybe"));
}

} // namespace supplierd::tests
