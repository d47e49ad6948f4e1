#include "tests/support/Test.h"

#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <limits>
#include <random>

namespace supplierd::tests {

class JsonWriterTest : public CppUnit::TestFixture {
protected:
    static std::string quoted(std::string_view text) {
        std::string out;
        appendJsonString(out, text);
        return out;
    }
};

TEST(JsonWriterTest, objectsAndArraysNestWithCommasBetween) {
    std::string out;
    JsonWriter json(out);
    json.beginObject().field("id", 1).field("name", "Rose").key("tags").beginArray();
    json.value("a").value(2).beginObject().endObject().beginArray().endArray().value(3).endArray();
    json.field("price", *Decimal::parse("0.0850")).key("o").beginObject().field("x", false).endObject();
    json.field("last", std::string("z")).endObject();
    CPPUNIT_ASSERT_EQUAL(
        std::string(R"({"id":1,"name":"Rose","tags":["a",2,{},[],3],"price":0.085,"o":{"x":false},"last":"z"})"), out);
}

TEST(JsonWriterTest, emptyContainersAreWritten) {
    std::string out;
    JsonWriter(out).beginObject().key("a").beginArray().endArray().key("b").beginObject().endObject().endObject();
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"a":[],"b":{}})"), out);
}

TEST(JsonWriterTest, booleansAreWordsAndNullIsNull) {
    std::string out;
    JsonWriter json(out);
    json.beginArray().value(true).value(false).null().value(nullptr);
    json.value(std::optional<std::int64_t>()).value(std::optional<std::string>("x")).value(std::optional<bool>(true));
    json.endArray();
    CPPUNIT_ASSERT_EQUAL(std::string(R"([true,false,null,null,null,"x",true])"), out);
}

TEST(JsonWriterTest, integersKeepEveryDigit) {
    std::string out;
    JsonWriter json(out);
    json.beginArray().value(0).value(-1).value(std::numeric_limits<std::int64_t>::min());
    json.value(std::numeric_limits<std::int64_t>::max()).value(std::numeric_limits<std::uint64_t>::max());
    json.value(static_cast<unsigned char>(200)).endArray();
    CPPUNIT_ASSERT_EQUAL(std::string("[0,-1,-9223372036854775808,9223372036854775807,18446744073709551615,200]"), out);
}

TEST(JsonWriterTest, rawJsonIsTakenVerbatim) {
    std::string out;
    JsonWriter(out).beginObject().field("a", 1).key("b").raw("[1, 2]").field("c", 2).endObject();
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"a":1,"b":[1, 2],"c":2})"), out);
}

TEST(JsonWriterTest, quotesBackslashesAndControlsAreEscaped) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"("a\"b\\c/d")"), quoted("a\"b\\c/d"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"("\b\f\n\r\t\u0001\u001f\u0000")"),
                         quoted(std::string_view("\b\f\n\r\t\x01\x1f\0", 8)));
    CPPUNIT_ASSERT_EQUAL(std::string("\"\x7f\""), quoted("\x7f"));
    std::string out;
    JsonWriter(out).beginObject().field("k\"\n", "v").endObject();
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"k\"\n":"v"})"), out);
}

TEST(JsonWriterTest, escapesAreFoundAtEveryPlaceOfATextOfAnyLength) {
    for (std::size_t length = 1; length <= 300; length += length < 40 ? 1 : 37) {
        for (std::size_t at = 0; at < length; ++at) {
            std::string text(length, 'x');
            text[at] = '"';
            std::string expected = text;
            expected.insert(at, 1, '\\');
            CPPUNIT_ASSERT_EQUAL('"' + expected + '"', quoted(text));
        }
        const std::string plain(length, '~');
        CPPUNIT_ASSERT_EQUAL('"' + plain + '"', quoted(plain));
    }
}

TEST(JsonWriterTest, textOfEveryPlaneIsKept) {
    for (const char* text : {"é", "Tulpen für €5", "日本語", "💐 bouquet 💐", "\u2028\uFFFF\uFFFD", "\U0010FFFF"})
        CPPUNIT_ASSERT_EQUAL('"' + std::string(text) + '"', quoted(text));
}

TEST(JsonWriterTest, whatIsNotUtf8BecomesAReplacementCharacter) {
    const std::string lost = "\uFFFD";
    CPPUNIT_ASSERT_EQUAL("\"a" + lost + "b\"", quoted("a\xFF"
                                                      "b"));
    CPPUNIT_ASSERT_EQUAL("\"caf" + lost + "\"", quoted("caf\xE9"));
    CPPUNIT_ASSERT_EQUAL('"' + lost + lost + '"', quoted("\xC0\xAF"));            // overlong
    CPPUNIT_ASSERT_EQUAL('"' + lost + lost + lost + '"', quoted("\xED\xA0\x80")); // a surrogate
    CPPUNIT_ASSERT_EQUAL('"' + lost + "x\"", quoted("\xF0\x9F\x92"
                                                    "x"));                                   // cut
    CPPUNIT_ASSERT_EQUAL('"' + lost + "\\\"\"", quoted("\xF0\x9F\x92\""));                   // does not eat the quote
    CPPUNIT_ASSERT_EQUAL('"' + lost + lost + lost + lost + '"', quoted("\xF4\x90\x80\x80")); // beyond U+10FFFF
}

TEST(JsonWriterTest, randomBytesAlwaysGiveValidJson) {
    std::mt19937 random(20261120); // NOLINT(cert-msc32-c,cert-msc51-cpp): a test that repeats
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random() % 40, '\0');
        for (char& c : text)
            c = static_cast<char>(random() % (round % 2 == 0 ? 255 : 126) + 1);
        std::string out;
        JsonWriter(out).beginObject().field("text", text).endObject();
        CPPUNIT_ASSERT(isValidUtf8(out));
        const std::string read = std::string(parseJsonObject(out).get("text").text());
        CPPUNIT_ASSERT(!isValidUtf8(text) || read == text);
    }
}

} // namespace supplierd::tests
