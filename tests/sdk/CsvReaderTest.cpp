#include "tests/support/Test.h"

#include <supplierd/Csv.h>
#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeRequest.h>

#include <stdexcept>
#include <string>

namespace supplierd::tests {

/// Each text is read in pieces of several sizes, down to single bytes.
class CsvReaderTest : public CppUnit::TestFixture {
protected:
    static std::string read(const std::string& csv, std::size_t piece, Details& details, const CsvRules& rules) {
        testing::FakeDatabase database;
        testing::FakeRequest request(database, Method::Post, "/");
        request.withRawBody(csv, piece);
        CsvReader reader(request.rawBody(), details, rules);
        std::string text;
        while (reader.next()) {
            text += reader.place().substr(5) + ":";
            for (const std::string& field : reader.fields())
                text += "[" + field + "]";
        }
        return text;
    }

    /// The records, "1:[a][b]2:[c]", and then the details.
    static std::string read(const std::string& csv, const CsvRules& rules = {}) {
        std::string all;
        for (const std::size_t piece : {1, 2, 3, 100'000}) {
            Details details;
            std::string text = read(csv, piece, details, rules);
            for (const Detail& detail : details.entries())
                text += "\n" + detail.code + ": " + detail.message;
            CPPUNIT_ASSERT(all.empty() || all == text);
            all = text;
        }
        return all;
    }

    static void requireEqual(const std::string& expected, const std::string& actual) {
        CPPUNIT_ASSERT_EQUAL(expected, actual);
    }

    static std::string describe(const Detail& detail) { return detail.code + " " + detail.message; }

    testing::FakeDatabase _database;
};

TEST(CsvReaderTest, linesEndAsAnySystemEndsThem) {
    requireEqual("1:[a][b]2:[c][d]3:[e]4:[f]", read("a,b\r\nc,d\ne\rf"));
    requireEqual("1:[a]", read("a\r\n"));
    requireEqual("", read(""));
}

TEST(CsvReaderTest, emptyFieldsStay) {
    requireEqual("1:[a][]2:[][b]3:[][][]", read("a,\n,b\n,\"\","));
}

TEST(CsvReaderTest, quotedFieldsHoldWhatWouldEndThem) {
    requireEqual("1:[a,b][c \"d\"][e\r\nf\ng]4:[h]", read("\"a,b\",\"c \"\"d\"\"\",\"e\r\nf\ng\"\r\nh"));
}

TEST(CsvReaderTest, emptyLinesAndAByteOrderMarkArePassedOver) {
    requireEqual("1:[a]4:[b]", read("\xEF\xBB\xBF\"a\"\n\n\r\nb\n"));
    requireEqual("2:[\xEF\xBB\xBF]", read("\n\xEF\xBB\xBF"));
}

TEST(CsvReaderTest, everyWrongLineIsNamedAndTheOthersAreRead) {
    const std::string quote = "a quote within a field: write the field in quotes, and its own quotes twice";
    const std::string text = "expected UTF-8 text without U+0000";
    requireEqual("1:[good]5:[good][too]\ntype: line 2: " + quote + "\ntype: line 3: " + quote +
                     "\ntype: line 4: " + text + "\ntype: line 6: " + text,
                 read(std::string("good\na\"b,c\n\"d\"e\n\xff\ngood,too\n\0\n", 29)));
}

TEST(CsvReaderTest, quoteThatIsNeverClosedIsNamedWhereItBegins) {
    requireEqual("1:[a]\ntype: line 2: a quote is never closed", read("a\nb,\"c\nd,e\n\n"));
    requireEqual("\ntype: line 1: a quote is never closed", read("\"" + std::string(70'000, '\n')));
}

TEST(CsvReaderTest, recordHasALimit) {
    const std::string longest(CsvReader::MAX_RECORD, 'x');
    requireEqual("1:[" + longest + "]", read(longest + "\n"));
    requireEqual("3:[a]\ntype: line 1: longer than 64 KiB", read("\"" + longest + "\n\",b\na"));
}

TEST(CsvReaderTest, readingEndsWithTooManyDetails) {
    std::string csv;
    for (int line = 0; line < 200; ++line)
        csv += "good\n\"wrong\" \n";
    Details details;
    const auto records = read(csv, 1'000, details, {});
    CPPUNIT_ASSERT_EQUAL(CsvReader::MAX_DETAILS, details.entries().size());
    CPPUNIT_ASSERT(records.ends_with("199:[good]"));
}

TEST(CsvReaderTest, separatorIsTheCallers) {
    requireEqual("1:[a,b][c]", read("a,b;c", {.separator = ';'}));
}

TEST(CsvReaderTest, columnsAreFoundByTheirNames) {
    Details details;
    testing::FakeRequest request(_database, Method::Post, "/");
    request.withRawBody("\xEF\xBB\xBFprice, text ,sku\n1,Late,A-1\n");
    CsvReader reader(request.rawBody(), details, {.columns = {"sku", "text"}});
    CPPUNIT_ASSERT(reader.next());
    CPPUNIT_ASSERT_EQUAL(std::string("A-1"), reader.text("sku", {}).valueOr(""));
    CPPUNIT_ASSERT_EQUAL(std::string("Late"), reader.text("text", {}).valueOr(""));
    CPPUNIT_ASSERT_EQUAL(std::string("line 2"), reader.place());
    CPPUNIT_ASSERT(!reader.next() && details.empty());
}

TEST(CsvReaderTest, columnsThatAreMissingOrTwiceAreNamed) {
    const CsvRules rules{.columns = {"sku", "text"}};
    requireEqual("\nduplicate: line 1: the first line names sku twice"
                 "\nrequired: line 1: the first line must name a column text",
                 read("sku,sku\nA,B\n", rules));
    requireEqual("\nrequired: line 1: the first line must name a column sku"
                 "\nrequired: line 1: the first line must name a column text",
                 read("", rules));
    requireEqual("", read("sku,text", rules));
}

TEST(CsvReaderTest, recordWithAnotherNumberOfFieldsIsPassedOver) {
    requireEqual("3:[c][d]\ntype: line 2: expected 2 fields, found 1\ntype: line 4: expected 2 fields, found 3",
                 read("sku,text\na\nc,d\ne,f,g\n", {.columns = {"sku"}}));
}

TEST(CsvReaderTest, textsAreReadByTheirRules) {
    Details details;
    testing::FakeRequest request(_database, Method::Post, "/");
    request.withRawBody("text,x\n  T\xc3\xbclpe ,\n\xc2\xa0,\nTulips,\n");
    CsvReader reader(request.rawBody(), details, {.columns = {"text"}});
    const TextRule required{.maxCodePoints = 5, .required = true};
    CPPUNIT_ASSERT(reader.next());
    CPPUNIT_ASSERT_EQUAL(std::string("T\xc3\xbclpe"), reader.text("text", required).valueOr(""));
    CPPUNIT_ASSERT(reader.next());
    CPPUNIT_ASSERT(reader.text("text", {}).isNull());
    CPPUNIT_ASSERT(reader.text("text", {.emptyIsNull = false}).value == "");
    CPPUNIT_ASSERT(details.empty());
    CPPUNIT_ASSERT(!reader.text("text", required).present);
    CPPUNIT_ASSERT(reader.next());
    CPPUNIT_ASSERT(!reader.text("text", required).present);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, details.entries().size());
    requireEqual("required line 3: text is required", describe(details.entries().front()));
    requireEqual("too_long line 4: text must have at most 5 characters", describe(details.entries().back()));
}

TEST(CsvReaderTest, recordsHaveALimit) {
    requireEqual("2:[a]3:[b]\ntoo_many: line 4: at most 2 records are taken at once",
                 read("sku\na\nb\nc\nd\n", {.columns = {"sku"}, .maxRecords = 2}));
    requireEqual("2:[a]3:[b]", read("sku\na\nb\n", {.columns = {"sku"}, .maxRecords = 2}));
}

TEST(CsvReaderTest, columnThatNobodyAskedForIsAMistake) {
    Details details;
    testing::FakeRequest request(_database, Method::Post, "/");
    request.withRawBody("sku\nA\n");
    CsvReader reader(request.rawBody(), details, {.columns = {"sku"}});
    CPPUNIT_ASSERT_THROW(reader.text("sku", {}), std::logic_error);
    CPPUNIT_ASSERT(reader.next());
    CPPUNIT_ASSERT_THROW(reader.text("price", {}), std::logic_error);
}

} // namespace supplierd::tests
