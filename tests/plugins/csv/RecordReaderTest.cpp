#include "text/RecordReader.h"

#include "tests/support/Test.h"

#include <algorithm>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

csv::RecordReader::Source piecesOf(const std::string& text, std::size_t size) {
    return [text, size, at = std::size_t{0}]() mutable {
        const std::string piece = text.substr(std::min(at, text.size()), size);
        at += size;
        return piece;
    };
}

/// "1:a|b" for each record.
std::vector<std::string> recordsOf(const std::string& text, char separator = ',', std::size_t piece = 1'000'000) {
    csv::RecordReader reader(piecesOf(text, piece), separator);
    std::vector<std::string> records;
    csv::Record record;
    while (reader.next(record)) {
        std::string shown = std::to_string(record.row) + ":";
        for (std::size_t i = 0; i < record.cells.size(); ++i)
            shown += (i == 0 ? "" : "|") + record.cells[i];
        records.push_back(shown);
    }
    return records;
}

using Records = std::vector<std::string>;

} // namespace

class RecordReaderTest : public CppUnit::TestFixture {};

TEST(RecordReaderTest, rowsCountAsASpreadsheetCountsThem) {
    for (const char* end : {"\n", "\r\n", "\r"}) {
        const std::string e = end;
        CPPUNIT_ASSERT(recordsOf("a,b" + e + e + "c,d" + e + ",," + e + "  ," + e + "e") ==
                       (Records{"1:a|b", "3:c|d", "6:e"}));
    }
}

TEST(RecordReaderTest, quotesSeparatorsAndLineBreaksBelongToTheirCells) {
    CPPUNIT_ASSERT(recordsOf("\"a;\"\"b\"\"\";\"two\r\n\r\nlines\";c\r\nd;5\" pot;e", ';') ==
                   (Records{"1:a;\"b\"|two\r\n\r\nlines|c", "2:d|5\" pot|e"}));
    CPPUNIT_ASSERT(recordsOf("a\tb,c", '\t') == Records{"1:a|b,c"});
}

TEST(RecordReaderTest, piecesMayEndAnywhere) {
    const std::string text = "a,\"b\r\n\"\"x\"\"\"\r\n\r\nc,d\r\n";
    for (std::size_t piece = 1; piece < 9; ++piece)
        CPPUNIT_ASSERT(recordsOf(text, ',', piece) == (Records{"1:a|b\r\n\"x\"", "3:c|d"}));
}

TEST(RecordReaderTest, rowsMayBeShortOrLongAndHaveZeros) {
    CPPUNIT_ASSERT(recordsOf(std::string("a,b,c\nd\ne,f,g,h\ni,\0,j", 21)) ==
                   (Records{"1:a|b|c", "2:d", "3:e|f|g|h", std::string("4:i|\0|j", 7)}));
}

TEST(RecordReaderTest, blanksBelongToTheirCells) {
    CPPUNIT_ASSERT(recordsOf(" a , b\t,\" c \"") == Records{"1: a | b\t| c "});
}

TEST(RecordReaderTest, threeHundredColumnsAreRead) {
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += (i == 0 ? "" : ",") + std::to_string(i);
    csv::RecordReader reader(piecesOf(text, 10), ',');
    csv::Record record;
    CPPUNIT_ASSERT(reader.next(record));
    CPPUNIT_ASSERT_EQUAL(std::size_t{300}, record.cells.size());
    CPPUNIT_ASSERT_EQUAL(std::string("299"), record.cells.back());
}

TEST(RecordReaderTest, cellsAndRowsThatAreTooLargeAreRefused) {
    CPPUNIT_ASSERT_THROW(recordsOf("a,b\n1,\"" + std::string(10'000'000, 'x') + "\"\n", ',', 65'536), csv::FileProblem);
    CPPUNIT_ASSERT_THROW(recordsOf("a,b\n1," + std::string(1'000, ',') + "\n"), csv::FileProblem);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, recordsOf("a,b\n1," + std::string(1'000'000, 'x') + "\n").size());
    std::string row = "a\n1";
    for (int i = 0; i < 5; ++i)
        row += "," + std::string(1'000'000, 'x');
    CPPUNIT_ASSERT_THROW(recordsOf(row + "\n", ',', 65'536), csv::FileProblem);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, recordsOf(row.substr(0, 4'000'000) + "\n", ',', 65'536).size());
}

} // namespace supplierd::tests
