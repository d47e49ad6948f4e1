#include "host/ctl/client/ResponsePrinter.h"
#include "host/ctl/setup/SetupConfiguration.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <cppunit/TestFixture.h>

#include <filesystem>
#include <sstream>
#include <string>

namespace supplierd::tests {

using host::Progress;
using host::ProgressBar;

/// Parts of supplierctl that need no process and no database.
class ControlPartsTest : public CppUnit::TestFixture {
protected:
    /// Of two JSON texts; "": none.
    static std::string describeChange(const std::string& before, const std::string& after) {
        const auto parsed = [](const std::string& text) { return host::ResponseJson::parse(text, nullptr, false); };
        return host::describeChange(parsed(before), parsed(after));
    }

    static std::string repeated(const std::string& text, int times) {
        std::string all;
        for (int i = 0; i < times; ++i)
            all += text;
        return all;
    }
};

TEST(ControlPartsTest, progressFitsItsTerminal) {
    const Progress progress{123'456, 1'000'000, std::chrono::seconds(60)};
    for (std::size_t columns = 0; columns <= 200; ++columns) {
        const auto line = progress.line(columns);
        CPPUNIT_ASSERT_MESSAGE(line, columns == 0 ? line.empty() : line.size() < columns);
    }
    CPPUNIT_ASSERT_EQUAL(std::string("[====>                                   ] 123,456 of 1,000,000, 2,057/s, "
                                     "7 min left"),
                         progress.line(200));
}

TEST(ControlPartsTest, progressEstimatesWhatIsLeft) {
    CPPUNIT_ASSERT_EQUAL(std::string("[>         ] 0 of 4"), (Progress{0, 4, {}}.line(20)));
    CPPUNIT_ASSERT_EQUAL(std::string("[=====>    ] 2 of 4, 1/s, 2 s left"),
                         (Progress{2, 4, std::chrono::seconds(2)}.line(35)));
    CPPUNIT_ASSERT_EQUAL(std::string("[==========] 4 of 4, 2/s, 0 s left"),
                         (Progress{4, 4, std::chrono::seconds(2)}.line(35)));
}

TEST(ControlPartsTest, progressSaysWhatItCounts) {
    CPPUNIT_ASSERT_EQUAL(std::string("[=====>    ] 2 of 4 files, 1/s, 2 s left"),
                         (Progress{2, 4, std::chrono::seconds(2), "files"}.line(41)));
    CPPUNIT_ASSERT_EQUAL(std::string(" 2,000 files, 1,000/s"),
                         (Progress{2'000, 0, std::chrono::seconds(2), "files"}.line(80)));
}

TEST(ControlPartsTest, hiddenBarWritesNothing) {
    std::ostringstream out;
    ProgressBar(out, false, 2).show(1);
    CPPUNIT_ASSERT_EQUAL(std::string(), out.str());
}

TEST(ControlPartsTest, visibleBarIsWipedAtTheEnd) {
    std::ostringstream out;
    ProgressBar(out, true, 2).show(1);
    requireIn("] 0 of 2", out.str());
    CPPUNIT_ASSERT(out.str().starts_with("\r["));
    CPPUNIT_ASSERT(out.str().ends_with("\r\033[K"));
    CPPUNIT_ASSERT(out.str().find('\n') == std::string::npos);
}

TEST(ControlPartsTest, answerIsPrintedAsItsRowSays) {
    const auto row = host::ResponseJson::parse(R"({"value": "url", "done": "user {user.id} added",
        "hints": [{"text": "a path", "if": "url^=/"}, {"text": "a whole link", "if": "url^=https:"}]})");
    const auto printed = [&](const char* answer) {
        std::ostringstream out;
        std::ostringstream err;
        host::ControlContext context(out, err);
        CPPUNIT_ASSERT(host::ResponsePrinter(context, row, {}).print(host::ResponseJson::parse(answer)));
        return out.str() + err.str();
    };
    CPPUNIT_ASSERT_EQUAL(std::string("/welcome\na path\n"), printed(R"({"user": {"id": 3}, "url": "/welcome"})"));
    CPPUNIT_ASSERT_EQUAL(std::string("https://a.example\na whole link\n"), printed(R"({"url": "https://a.example"})"));
    CPPUNIT_ASSERT_EQUAL(std::string("user 3 added\n"), printed(R"({"user": {"id": 3}, "url": null})"));
}

TEST(ControlPartsTest, changesAreToldFieldByField) {
    CPPUNIT_ASSERT_EQUAL(std::string("status: verified -> suspended"),
                         describeChange(R"({"name":"A","status":"verified"})", R"({"name":"A","status":"suspended"})"));
    CPPUNIT_ASSERT_EQUAL(std::string("active: yes, limit: none, name: A, price: 0.085, scopes: a, b"),
                         describeChange("", R"({"name":"A","limit":null,"active":true,"price":0.0850,)"
                                            R"("scopes":["a","b"]})"));
    CPPUNIT_ASSERT_EQUAL(std::string("approval.reason: none -> too dark"),
                         describeChange(R"({"approval":{"status":"rejected","reason":null}})",
                                        R"({"approval":{"status":"rejected","reason":"too dark"}})"));
    CPPUNIT_ASSERT_EQUAL(std::string("a: 1 -> none, b: none -> 2"), describeChange(R"({"a":1})", R"({"b":2})"));
    CPPUNIT_ASSERT_EQUAL(std::string("items: 2 entries"), describeChange("", R"({"items":[{},{"a":1}]})"));
    CPPUNIT_ASSERT_EQUAL(std::string(), describeChange("", ""));
    CPPUNIT_ASSERT_EQUAL(std::string(), describeChange("", "null"));
}

TEST(ControlPartsTest, changeTextIsSafeForATerminal) {
    const auto text = describeChange("", R"({"name\u001b":"A\u001b[2J\nB","long":")" + std::string(100, 'x') +
                                             R"(","wide":")" + repeated("💐", 100) + R"("})");
    for (const char c : text)
        CPPUNIT_ASSERT_MESSAGE(text, static_cast<unsigned char>(c) >= ' ');
    requireIn("long: " + std::string(40, 'x') + "...", text);
    requireIn("wide: " + repeated("💐", 40) + "...", text);
}

TEST(ControlPartsTest, terminalTextShowsWhatItDoesNotSend) {
    CPPUNIT_ASSERT_EQUAL(std::string("Zoë 💐 \"x\" \\ € 花"), host::terminalText("Zoë 💐 \"x\" \\ € 花"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"(a\u001b[2Jb\u000ac\u0009d\u007f\u0000)"),
                         host::terminalText(std::string_view("a\x1b[2Jb\nc\td\x7f\0", 12)));
    CPPUNIT_ASSERT_EQUAL(std::string(R"(\u0080\u009f\u061c\u200f\u2028\u202e\u2069)"),
                         host::terminalText("\u0080\u009f\u061c\u200f\u2028\u202e\u2069"));
    CPPUNIT_ASSERT_EQUAL(std::string("\u00a0\u200b\u202f\u2070\U0010ffff"),
                         host::terminalText("\u00a0\u200b\u202f\u2070\U0010ffff"));
    CPPUNIT_ASSERT_EQUAL(std::string(R"(caf\xe9 \xc3\xab)"), host::terminalText("caf\xe9 ë"));
    CPPUNIT_ASSERT_EQUAL(std::string("a\nb\\u000d"), host::terminalLines("a\nb\r"));
    CPPUNIT_ASSERT_EQUAL(std::string(), host::terminalText(""));
}

class TableTest : public CppUnit::TestFixture {
protected:
    static std::string printed(bool isJson) {
        std::ostringstream out;
        host::ControlContext context(out, out);
        context.json = isJson;
        const auto items = host::ResponseJson::parse(
            R"([{"id": 7, "name": "Zoë", "active": true}, {"id": 10, "name": null, "active": false}])");
        context.print({{"items", items}}, {{"columns", {{"id", "ID"}, {"name", "NAME"}, {"active", "ACTIVE"}}}});
        return out.str();
    }
};

TEST(TableTest, tableAlignsCodePointsAndNumbers) {
    CPPUNIT_ASSERT_EQUAL(std::string("ID  NAME  ACTIVE\n"
                                     " 7  Zoë   yes\n"
                                     "10        no\n"),
                         printed(false));
}

TEST(TableTest, jsonKeepsKindsAndNulls) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"items":[{"id":7,"name":"Zoë","active":true},)"
                                     R"({"id":10,"name":null,"active":false}]})"
                                     "\n"),
                         printed(true));
}

using host::CommandFailure;
using host::ConfigEditor;

class ConfigEditorTest : public CppUnit::TestFixture {
protected:
    static void requireEdit(const std::string& before, const std::string& after) {
        ConfigEditor editor(before);
        editor.set("d", "host", "\"x\"");
        CPPUNIT_ASSERT_EQUAL(after, editor.text());
    }
};

TEST(ConfigEditorTest, onlyTheValueChanges) {
    requireEdit("[d]\nhost = \"a # \\\" b\"   # mine\n", "[d]\nhost = \"x\"   # mine\n");
    requireEdit("[d]\n  host='a' # mine\n", "[d]\n  host=\"x\" # mine\n");
    requireEdit("[ d ]\nhost = 3306# mine\n", "[ d ]\nhost = \"x\"# mine\n");
}

TEST(ConfigEditorTest, newKeyStandsAfterItsDefault) {
    requireEdit("[d]\n# Which host.\n#host = \"y\"\n\n# Which port.\n#port = 1\n",
                "[d]\n# Which host.\n#host = \"y\"\nhost = \"x\"\n\n# Which port.\n#port = 1\n");
}

TEST(ConfigEditorTest, newKeyWithoutADefaultStandsAtTheEndOfItsSection) {
    requireEdit("[d]\nport = 1\n\n[e]\nb = 1\n", "[d]\nport = 1\nhost = \"x\"\n\n[e]\nb = 1\n");
    requireEdit("[d]\n[e]\n", "[d]\nhost = \"x\"\n[e]\n");
}

TEST(ConfigEditorTest, missingSectionIsAppended) {
    requireEdit("", "[d]\nhost = \"x\"\n");
    requireEdit("[e]\na = 1", "[e]\na = 1\n\n[d]\nhost = \"x\"\n");
}

TEST(ConfigEditorTest, keyOfAnotherSectionIsLeftAlone) {
    requireEdit("[c]\nhost = 1\n[d]\nhosts = 2\n[e]\nhost = 3\n",
                "[c]\nhost = 1\n[d]\nhosts = 2\nhost = \"x\"\n[e]\nhost = 3\n");
}

TEST(ConfigEditorTest, commentsThatMentionTheKeyAreNoDefaults) {
    requireEdit("[d]\n# host names are slow\nport = 1\n", "[d]\n# host names are slow\nport = 1\nhost = \"x\"\n");
}

TEST(ConfigEditorTest, valueOverSeveralLinesIsRefused) {
    for (const auto* text : {"[d]\nhost = \"\"\"\na\"\"\"\n", "[d]\nhost = [\n1]\n", "[d]\nhost =\n"}) {
        ConfigEditor editor(text);
        CPPUNIT_ASSERT_THROW_MESSAGE(text, editor.set("d", "host", "1"), CommandFailure);
    }
}

TEST(ConfigEditorTest, textIsQuoted) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"("a\"b\\c\u000ad")"), ConfigEditor::quoted("a\"b\\c\nd"));
}

} // namespace supplierd::tests
