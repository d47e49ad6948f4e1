#include "RecordedBody.h"

#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

using history::RecordedBody;

class RecordedBodyTest : public CppUnit::TestFixture {
protected:
    static RecordedBody of(const std::string& text) { return RecordedBody::of(text, text.size(), "text/plain", 8'192); }
};

TEST(RecordedBodyTest, textIsKeptAsItIs) {
    const auto body = of("{\"name\":\"Rosé 🌹\"}");
    CPPUNIT_ASSERT(body.isKept() && body.isWhole() && body.isUtf8());
    CPPUNIT_ASSERT_EQUAL(std::string("{\"name\":\"Rosé 🌹\"}"), body.bytes());
}

TEST(RecordedBodyTest, everyByteComesBack) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    const auto body = of(all);
    CPPUNIT_ASSERT(body.isWhole() && !body.isUtf8());
    CPPUNIT_ASSERT(history::isUtf8(body.text));
    CPPUNIT_ASSERT_EQUAL(all, body.bytes());
}

TEST(RecordedBodyTest, longBodyIsCutBetweenCharacters) {
    for (const std::string character : {"x", "é", "€", "🌹"}) {
        std::string text;
        while (text.size() < 200)
            text += character;
        for (std::size_t keeps = 90; keeps < 98; ++keeps) {
            const auto body = RecordedBody::of(text, text.size(), "text/plain", keeps);
            CPPUNIT_ASSERT(body.isKept() && !body.isWhole() && body.isUtf8());
            CPPUNIT_ASSERT_EQUAL(keeps - keeps % character.size(), body.text.size());
            CPPUNIT_ASSERT_EQUAL(text.substr(0, body.text.size()), body.text);
        }
    }
    CPPUNIT_ASSERT_EQUAL(std::string("sku,password\nA,***"),
                         RecordedBody::of("sku,password\nA,hunter2", 22, "text/csv", 100).text);
    CPPUNIT_ASSERT(!RecordedBody::of("abc", 4, "text/plain", 100).isWhole());
    CPPUNIT_ASSERT(!RecordedBody::of("abc", 3, "text/plain", 0).isKept());
}

/// More of it is known than is kept.
TEST(RecordedBodyTest, secretAtTheCutIsBlanked) {
    const std::string text = std::string(80, ' ') + "sk_ab12cd34_hunter2hunter2";
    for (std::size_t keeps = 80; keeps <= text.size(); ++keeps) {
        const auto body = RecordedBody::of(text, text.size(), "text/plain", keeps);
        CPPUNIT_ASSERT_EQUAL(std::string::npos, body.text.find("hunt"));
        CPPUNIT_ASSERT_EQUAL(std::string::npos, body.text.find("ab12"));
    }
}

TEST(RecordedBodyTest, onlyTextIsKept) {
    for (const char* type : {"", "application/json", "Application/JSON; charset=utf-8", "text/csv",
                             "application/x-www-form-urlencoded", "application/merge-patch+json"})
        CPPUNIT_ASSERT_MESSAGE(type, RecordedBody::of("a", 1, type, 10).isKept());
    for (const char* type : {"image/png", "application/octet-stream", "multipart/form-data; boundary=x", "text/xml",
                             "application/xml", "application/jsonx"})
        CPPUNIT_ASSERT_MESSAGE(type, !RecordedBody::of("a", 1, type, 10).isKept());
}

TEST(RecordedBodyTest, blankedZerosAreNotTheWholeBody) {
    const std::string wide("p\0a\0s\0s\0w\0o\0r\0d\0=\0x\0", 20);
    const auto body = of(wide);
    CPPUNIT_ASSERT_EQUAL(std::string("***"), body.bytes());
    CPPUNIT_ASSERT(!body.isWhole());
}

} // namespace supplierd::tests
