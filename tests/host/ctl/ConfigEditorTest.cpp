#include "host/ctl/setup/ConfigEditor.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

using host::CommandFailure;
using host::ConfigEditor;

class ConfigEditorTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ConfigEditorTest);
    CPPUNIT_TEST(testOnlyTheValueChanges);
    CPPUNIT_TEST(testNewKeyStandsAfterItsDefault);
    CPPUNIT_TEST(testNewKeyWithoutADefaultStandsAtTheEndOfItsSection);
    CPPUNIT_TEST(testMissingSectionIsAppended);
    CPPUNIT_TEST(testKeyOfAnotherSectionIsLeftAlone);
    CPPUNIT_TEST(testCommentsThatMentionTheKeyAreNoDefaults);
    CPPUNIT_TEST(testValueOverSeveralLinesIsRefused);
    CPPUNIT_TEST(testTextIsQuoted);
    CPPUNIT_TEST_SUITE_END();

public:
    void testOnlyTheValueChanges() {
        requireEdit("[d]\nhost = \"a # \\\" b\"   # mine\n", "[d]\nhost = \"x\"   # mine\n");
        requireEdit("[d]\n  host='a' # mine\n", "[d]\n  host=\"x\" # mine\n");
        requireEdit("[ d ]\nhost = 3306# mine\n", "[ d ]\nhost = \"x\"# mine\n");
    }

    void testNewKeyStandsAfterItsDefault() {
        requireEdit("[d]\n# Which host.\n#host = \"y\"\n\n# Which port.\n#port = 1\n",
                    "[d]\n# Which host.\n#host = \"y\"\nhost = \"x\"\n\n# Which port.\n#port = 1\n");
    }

    void testNewKeyWithoutADefaultStandsAtTheEndOfItsSection() {
        requireEdit("[d]\nport = 1\n\n[e]\nb = 1\n", "[d]\nport = 1\nhost = \"x\"\n\n[e]\nb = 1\n");
        requireEdit("[d]\n[e]\n", "[d]\nhost = \"x\"\n[e]\n");
    }

    void testMissingSectionIsAppended() {
        requireEdit("", "[d]\nhost = \"x\"\n");
        requireEdit("[e]\na = 1", "[e]\na = 1\n\n[d]\nhost = \"x\"\n");
    }

    void testKeyOfAnotherSectionIsLeftAlone() {
        requireEdit("[c]\nhost = 1\n[d]\nhosts = 2\n[e]\nhost = 3\n",
                    "[c]\nhost = 1\n[d]\nhosts = 2\nhost = \"x\"\n[e]\nhost = 3\n");
    }

    void testCommentsThatMentionTheKeyAreNoDefaults() {
        requireEdit("[d]\n# host names are slow\nport = 1\n", "[d]\n# host names are slow\nport = 1\nhost = \"x\"\n");
    }

    void testValueOverSeveralLinesIsRefused() {
        for (const auto* text : {"[d]\nhost = \"\"\"\na\"\"\"\n", "[d]\nhost = [\n1]\n", "[d]\nhost =\n"}) {
            ConfigEditor editor(text);
            CPPUNIT_ASSERT_THROW_MESSAGE(text, editor.set("d", "host", "1"), CommandFailure);
        }
    }

    void testTextIsQuoted() {
        CPPUNIT_ASSERT_EQUAL(std::string(R"("a\"b\\c\u000ad")"), ConfigEditor::quoted("a\"b\\c\nd"));
    }

private:
    static void requireEdit(const std::string& before, const std::string& after) {
        ConfigEditor editor(before);
        editor.set("d", "host", "\"x\"");
        CPPUNIT_ASSERT_EQUAL(after, editor.text());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ConfigEditorTest);

} // namespace supplierd::tests
